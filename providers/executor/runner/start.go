package runner

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/procs"
)

// Options says what to start.
type Options struct {
	Store job.Store
	// Program is the path of this program, which becomes the run's keeper and its runner.
	Program  string
	Request  request.Request
	Settings request.Settings
	// Detach lets the run go on when this process has ended.
	Detach bool
}

// Started is a run that has been started.
type Started struct {
	Job *job.Job

	store job.Store
	kept  *procs.Kept
	ended chan []byte // receives the result that could not be stored
}

// Start starts a run, and returns as soon as its keeper has it: it goes on, or is
// cancelled, without anything being left behind, whatever happens to this process. An
// error means that nothing was started.
func Start(o Options) (*Started, error) {
	register := confined.In(o.Store.State())
	if by := register.Check(os.Getpid()); by != nil {
		return nil, by
	}
	within, _ := register.Of(os.Getpid())
	r, kind, err := o.Settings.Resolve(o.Request)
	if err != nil {
		return nil, err
	}
	program, err := programs.Find(o.Request.Agent, kind)
	if err != nil {
		return nil, err
	}
	EndLost(o.Store)
	status := job.Status{State: job.Waiting, Created: time.Now(), Agent: program.ID, Dir: r.RepoDir, Within: within.ID}
	if r.ReadOnly {
		status.ReadOnly = request.Requested
	}
	name := program.ID
	if _, ok := o.Settings.Kinds[o.Request.Agent]; ok {
		name = o.Request.Agent
	}
	j, lock, err := o.Store.Create(slug(name), o.Request, status)
	if err != nil {
		return nil, fmt.Errorf("the run cannot be stored: %w", err)
	}
	defer lock.Close() // the keeper has it
	s := &Started{Job: j, store: o.Store}
	if err := s.launch(o.Program, o.Detach, lock); err != nil {
		_ = os.RemoveAll(j.Dir)
		return nil, fmt.Errorf("the run cannot be started: %w", err)
	}
	return s, nil
}

// launch starts the keeper with the runner, and waits until that has the run.
func (s *Started) launch(program string, detach bool, lock *os.File) error {
	procs.KeepDescriptors()
	answer, says, err := os.Pipe()
	if err != nil {
		return err
	}
	defer says.Close()
	k := procs.Keep{Keeper: procs.Helper(program, procs.RoleAgentKeeper, s.Job.Dir), Dir: "/", Stdout: says, Given: lock, Detached: detach}
	if errs, err := os.OpenFile(s.Job.Path(job.LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
		defer errs.Close()
		k.Stderr = errs
	}
	s.kept, err = k.Start()
	says.Close()
	if err != nil {
		answer.Close()
		return err
	}
	said := bufio.NewReader(answer)
	if line, _ := said.ReadString('\n'); line != ready {
		answer.Close()
		s.kept.End()
		e, err := s.kept.Wait()
		return errors.Join(errors.New(strings.TrimSpace(line+" "+e.Error)), err)
	}
	if detach {
		answer.Close()
		go s.kept.Forget() // this process may live longer
		return nil
	}
	s.ended = make(chan []byte, 1)
	go func() {
		// It ends when keeper and runner have ended, in either order.
		body, _ := io.ReadAll(said)
		answer.Close()
		_, _ = s.kept.Wait() // how the keeper has ended shows in the result
		s.ended <- body
	}()
	return nil
}

// Wait waits until the run has ended, and all that belongs to it, and returns it with its
// result. If ctx ends first, the run is cancelled.
func (s *Started) Wait(ctx context.Context) (*job.Job, error) {
	var said []byte
	select {
	case <-ctx.Done():
		s.kept.End()
		said = <-s.ended
	case said = <-s.ended:
	}
	var told request.Result
	if json.Unmarshal(said, &told) == nil && told.ID == s.Job.ID { // it could not be stored
		j, err := s.store.Load(told.ID)
		if err == nil {
			err = j.Finish(told, time.Now())
		}
		if err != nil {
			told.Notes = append(told.Notes, "this result could not be stored, so the run counts as lost: "+wording.Cause(err).Error())
		}
	}
	EndLost(s.store) // if its keeper was killed
	j, err := s.store.Load(s.Job.ID)
	switch {
	case err != nil && told.ID == s.Job.ID:
		j = s.Job // its folder was deleted
	case err != nil:
		return nil, err
	}
	if told.ID == j.ID {
		j.Result = &told
	}
	return j, nil
}

// slug makes a name part of an id.
func slug(name string) string {
	text := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(name))
	return cmp.Or(strings.Trim(text[:min(len(text), 40)], "-"), "agent")
}
