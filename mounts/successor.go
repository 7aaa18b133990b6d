package mounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/mounts/control"
)

// A newer build takes over from a running process ([TakeOver]): it asks it to retire
// ([OpRetire]). That process first finishes calls that are under way, while it still
// shows everything. Then it writes into its record what it shows, so that it can be
// shown again after any kill from here on, unmounts, and leaves the seat. Any
// process that takes the seat reads the record and shows it all again
// ([Server.Restore]), before it answers any request. Clients that come meanwhile
// wait.

// OpRetire ends the process in favour of a newer one, and returns what that one
// shows again. Its first reply, if any, says that calls are under way.
var OpRetire = fs.Talk[fs.None, fs.None, Retired]{Name: "retire"}

// Retired is the answer of a process that ends in favour of a newer one.
type Retired struct {
	Views []ViewInfo `json:"views"`
}

const (
	// drainTime is how long a retiring process lets calls finish. Commands wait as
	// long for the next process: less than places.UntilServed does.
	drainTime = 10 * time.Second
	drainLook = 20 * time.Millisecond
	// handedTime is how long it is remembered what a retired process has shown. Its
	// successor shows it within a second, unless it is killed.
	handedTime = 10 * time.Minute
)

// Handed is what a process has left to the next one.
type Handed struct {
	Views []ViewInfo `json:"views"`
	At    time.Time  `json:"at"`
}

// TakeOver ends the process of an older build and takes its seat. Working is called
// if that waits for calls under way. It fails with control.ErrRunning if the process
// that runs is no older build, and takes the seat if no process runs.
func TakeOver(ctx context.Context, home control.Home, working func()) (*control.Seat, error) {
	home.Note = nil // it is about the process that ends
	c, err := home.Dial(ctx)
	if errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrGone) {
		return home.Claim(ctx)
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if !c.Older {
		return nil, control.ErrRunning
	}
	_, err = OpRetire.Ask(ctx, c, fs.None{}, func(fs.None) { working() }, nil)
	if err != nil && !errors.Is(err, control.ErrGone) { // it may have been killed
		return nil, err
	}
	return home.Claim(ctx)
}

// mountsOf returns the views that a successor shows again: a folder is synced for a
// program, which asks the successor for it.
func mountsOf(views []ViewInfo) []ViewInfo {
	return slices.DeleteFunc(slices.Clone(views), func(v ViewInfo) bool { return v.Kind != "fuse" })
}

// handedOver returns what the last process has left to this one.
func handedOver(home control.Home) *Handed {
	var table ServerInfo
	if home.ReadRecord(&table) != nil || table.Handed == nil || time.Since(table.Handed.At) > handedTime {
		return nil
	}
	return table.Handed
}

// Restore shows what a retired process has shown. The caller calls it before Serve;
// what cannot be shown again is told in a line for a person.
func (s *Server) Restore(note func(line string)) {
	if s.handed == nil {
		return
	}
	for _, v := range s.handed.Views {
		if _, err := s.Mount(v.Dir); err != nil {
			s.opts.Log.Warn("not mounted again", "dir", v.Dir, "error", err)
			note(fmt.Sprintf("%s is not mounted again: %v", v.Dir, err))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handed = nil
	s.saveTable()
}

// retire answers [OpRetire]. Working is called if calls are under way. If the client
// leaves before the views end, everything stays as it was.
func (s *Server) retire(ctx context.Context, working func() error, reply func(Retired) error) error {
	if s.ending() || !s.retiring.CompareAndSwap(false, true) {
		return errEnding
	}
	if err := s.drain(ctx, working); err != nil {
		s.retiring.Store(false)
		return err
	}
	views, err := s.handOver()
	if err != nil {
		return err
	}
	defer s.End()
	defer close(s.retired)
	return reply(Retired{Views: views})
}

// drain waits until no call is under way, or for drainTime.
func (s *Server) drain(ctx context.Context, working func() error) error {
	if s.opts.Busy == nil || !s.opts.Busy() {
		return nil
	}
	if err := working(); err != nil {
		return err
	}
	look := time.NewTicker(drainLook)
	defer look.Stop()
	late := time.After(drainTime)
	for s.opts.Busy() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ended:
			return errEnding
		case <-late:
			return nil
		case <-look.C:
		}
	}
	return nil
}

// handOver takes all views off their folders, and leaves a record of them that is
// not written any more.
func (s *Server) handOver() ([]ViewInfo, error) {
	s.mounting.Lock()
	defer s.mounting.Unlock()
	if rounds.IsClosed(s.ended) {
		return nil, errEnding
	}
	s.opts.Seat.Listener.Close() // from here on clients find the next process
	s.mu.Lock()
	views := s.shown()
	all := s.info().Mounts
	s.handed = &Handed{Views: mountsOf(all), At: time.Now()}
	s.saveTable()
	s.sealed = true
	s.mu.Unlock()
	for _, v := range views {
		if v.mount == nil {
			v.close(0)
		} else if err := v.mount.Yield(); err != nil {
			s.opts.Log.Warn("cannot unmount", "dir", v.Dir, "error", err)
		}
	}
	s.mu.Lock()
	s.fading = append(s.fading, views...)
	s.mu.Unlock()
	return all, nil
}

// isRetired reports whether the views have been left to another process. If that is
// under way, it waits.
func (s *Server) isRetired() bool {
	s.mounting.Lock()
	defer s.mounting.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sealed
}
