// Package runner runs an agent: [Start] is what a caller does, [Run] the process that
// follows the agent from its turn to its result. Between them is a keeper (package procs):
//
//	ctxfs agent run               prints the result; holds a pipe whose end says that it is gone
//	 └ ctxfs helper agent-keeper  small, started in milliseconds
//	    └ ctxfs helper agent-runner  prepares, records, waits, writes the result
//	       └ the agent
//
// Keeper and runner hold the lock of the run, which is registered (package confined). When
// the runner has ended, however it has, the keeper ends what is left and then itself. If
// the keeper is killed, the runner ends everything, too. If both are killed at once, the
// next program that looks ends what has the run's mark.
//
// In order: start.go (the caller), stop.go (what ends runs, and what is left of killed ones), run.go
// (a run from its beginning to its end), repository.go (what
// it works on), turn.go (whose turn it is), process.go (the agent's
// processes), session.go (its session, and the terminal that it is lent).
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/sandbox"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/procs"
)

// Config is what a runner needs besides its run.
type Config struct {
	// Dir is the folder of the run, Keeper the number of its keeper, Mark the mark of its
	// processes.
	Dir      string
	Keeper   int
	Mark     uint64
	Settings request.Settings
	// Environ is the environment for the agent.
	Environ []string
	Tree    Tree
	Open    Open
	// Reach are folders with sockets that a read-only run reaches.
	Reach []string
}

// Tree is what ctxfs shows, as a runner knows it.
type Tree interface {
	// Hint returns the line that tells an agent where its context is, and the folder in which
	// the tree is mounted; "" if it is not.
	Hint(context.Context) (line, mount string)
	// Has reports whether there is an entry at a path from the root. What it cannot know is
	// not there.
	Has(ctx context.Context, path string) bool
	// Spent returns what the requests of an agent's session took, as its log has it; nil if
	// it does not.
	Spent(ctx context.Context, session string) *request.Usage
}

// Why a run is ended before the agent has.
var (
	errCancelled = errors.New("it was cancelled, or whoever started it has ended")
	errKilled    = errors.New("the process that kept it was killed")
	errTime      = errors.New("the time limit was reached")
)

// run is a run that is under way.
type run struct {
	Config
	store      job.Store
	job        *job.Job
	request    request.Request
	kind       request.Kind
	program    programs.Program
	repository repository
	result     request.Result
	mount      string // of the tree, or ""
	// configuration is that of an agent that may only read, as it was before.
	configuration map[string]string

	mu     sync.Mutex // guards status while the agent runs
	status job.Status
}

// ready is what a runner writes to its standard output when it has the run. Anything else is
// an error.
const ready = "ready\n"

// Run is the whole process of a runner: it runs the agent and stores the result. Its
// parent must be its keeper; its standard output is for the result that it cannot store.
func Run(c Config) error {
	runtime.LockOSThread() // the agent is killed when this thread ends
	procs.KeepDescriptors()
	ctx, stop := context.WithCancelCause(context.Background())
	// Not ignored, which the agent would inherit. The keeper tells by its line.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	go func() { stop(follow(signals)) }()
	store := job.Store{Dir: filepath.Dir(c.Dir)}
	register, id := confined.In(store.State()), filepath.Base(c.Dir)
	j, err := store.Load(id)
	if err == nil {
		err = procs.Adopt()
	}
	if err == nil {
		err = register.Enter(id, j.Status.ReadOnly != "", c.Keeper, c.Mark)
	}
	if err != nil {
		fmt.Println(err)
		return err
	}
	fmt.Print(ready)
	r := &run{Config: c, store: store, job: j, status: j.Status}
	r.result = request.Result{ID: j.ID, Agent: j.Status.Agent, Ended: request.Failure}
	r.do(ctx)
	j.Status = r.status
	err = j.Finish(r.result, time.Now())
	r.repository.forget()
	if err != nil {
		err = json.NewEncoder(os.Stdout).Encode(r.result)
	}
	if err == nil { // or else the process that finds it in the register stores that it is lost
		register.Leave(id)
	}
	return err
}

// follow waits until the run is to be ended, and returns why.
func follow(signals <-chan os.Signal) error {
	told := make(chan error, 1)
	go func() {
		if n, _ := os.NewFile(procs.LineFD, "line").Read(make([]byte, 1)); n > 0 {
			told <- errCancelled
			return
		}
		told <- errKilled
	}()
	for {
		select {
		case why := <-told:
			return why
		case s := <-signals:
			if s == syscall.SIGTERM || s == syscall.SIGQUIT {
				return errCancelled
			}
		}
	}
}

// do runs the agent, and fills in the result.
func (r *run) do(ctx context.Context) {
	var err error
	if r.request, r.kind, err = r.Settings.Resolve(r.job.Request); err != nil {
		r.failed(err, "see the kinds of subagents: ctxfs config validate")
		return
	}
	r.request.ReadOnly = r.request.ReadOnly || r.status.ReadOnly != "" // the configuration may have changed
	if r.program, err = programs.Find(r.job.Request.Agent, r.kind); err != nil {
		r.failed(err, "")
		return
	}
	r.status.Runner = os.Getpid()
	r.job.Status = r.status
	if err := turn(ctx, r.store, r.job, r.Settings.Limit, func() { _ = r.job.SetStatus(r.status) }); err != nil {
		r.ended(err)
		return
	}
	r.status = r.job.Status
	r.runAgent(ctx)
}

// failed says why the agent was not started, or what was wrong afterwards.
func (r *run) failed(err error, fix string) {
	r.result.Ended, r.result.Error, r.result.Fix = request.Failure, fs.Cause(err), fix
}

// ended reports that a run was ended early.
func (r *run) ended(why error) {
	switch {
	case errors.Is(why, errCancelled):
		r.result.Ended, r.result.Error = request.Cancelled, why.Error()
	case errors.Is(why, errKilled):
		r.result.Ended, r.result.Error = request.Lost, why.Error()
	case errors.Is(why, errStuck):
		r.failed(why, "run more at once: limit in the table [agents] of config.toml")
	case errors.Is(why, syscall.E2BIG):
		r.failed(fmt.Errorf("the prompt, of %s, is too long for an argument of a program", wording.Size(int64(len(r.request.Prompt)))),
			"put it into a file of the folder, and have the prompt say so")
	case errors.Is(why, errTime):
		r.result.Ended = request.Timeout
		r.result.Error = fmt.Sprintf("it had not ended within %v", r.request.Timeout())
		r.result.Fix = "give it more time: --timeout, or timeoutMs"
	default:
		r.failed(why, "")
	}
}

// runAgent starts the agent and follows it to its end.
func (r *run) runAgent(ctx context.Context) {
	scratch := r.job.Path(job.ScratchDir)
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		r.failed(err, "")
		return
	}
	defer os.RemoveAll(scratch)
	if err := r.enterRepository(ctx); err != nil {
		if r.ended(err); r.result.Ended == request.Failure {
			r.result.Fix = "have it work in the folder itself: without worktree"
		}
		return
	}
	var why error
	defer func() { r.leaveRepository(why) }()
	o := programs.Options{Prompt: r.request.Prompt, Dir: r.status.Dir, Scratch: scratch, Hint: r.hint(ctx), ReadOnly: r.request.ReadOnly, Schema: r.request.Schema}
	if !fs.Within(r.mount, o.Dir) {
		o.Mount = r.mount
	}
	invocation := r.program.Invoke(o)
	r.status.Session = invocation.Session
	p := &process{argv: invocation.Argv, dir: r.status.Dir, renders: r.program.Renders()}
	p.environ = with(r.Environ, append(invocation.Env, confined.Variable+"="+r.job.ID, "PWD="+p.dir)...)
	if r.request.ReadOnly {
		r.readOnly(p, scratch)
	}
	var err error
	if p.terminal, err = r.Open(r.job.ID, p.argv, p.dir, p.environ); err != nil {
		fmt.Fprintln(os.Stderr, err) // the agent runs nevertheless
		p.terminal = nil
	} else {
		r.status.Terminal, r.status.Recording = p.terminal.ID(), p.terminal.Dir()
		r.status.Log = p.terminal.Log()
		r.result.TerminalLog = r.status.Log
		p.environ = p.terminal.Environ()
	}
	var out programs.Output
	var readErr error
	p.read = func(stdout *io.PipeReader) { out, readErr = r.program.Read(stdout, o, r.live(p)) }
	p.started = func() {
		r.setStatus(func(s *job.Status) { s.State, s.Started = job.Running, time.Now() })
	}
	why = p.run(ctx, r.request.Timeout())
	if !r.status.Started.IsZero() {
		r.result.DurationMS = time.Since(r.status.Started).Milliseconds()
	}
	r.say(p, out, readErr, why)
}

// setStatus changes the status while the agent runs.
func (r *run) setStatus(change func(*job.Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
	_ = r.job.SetStatus(r.status) // the result says what matters
}

// live shows what the agent prints in its terminal, and makes its session known.
func (r *run) live(p *process) programs.Live {
	return programs.Live{
		Show:    func(text string) { p.show([]byte(text + "\n")) },
		Session: func(id string) { r.setStatus(func(s *job.Status) { s.Session = id }) },
	}
}

// readOnly has the agent write only what is its own.
func (r *run) readOnly(p *process, scratch string) {
	r.result.ReadOnly = request.Requested
	r.status.ReadOnly = r.result.ReadOnly
	p.environ = sandbox.Environ(p.environ, scratch)
	state, configuration := ownPaths(r.program, p.environ)
	r.configuration = noted(configuration)
	r.noteConfiguration()
	// In a worktree Dir is not the folder that was named.
	keep := append(slices.Clone(configuration), r.request.RepoDir)
	p.only = &sandbox.Rules{Dir: p.dir, Write: append(state, scratch), Keep: keep, Reach: r.Reach}
	p.closed = func(report sandbox.Report) {
		if report.Kept {
			maps.DeleteFunc(r.configuration, func(_, was string) bool { return was != "" })
			r.noteConfiguration()
		}
		if report.Enforced {
			r.result.ReadOnly = request.Enforced
			r.status.ReadOnly = r.result.ReadOnly
		} else if !r.program.HasReadOnly() {
			r.result.Notes = append(r.result.Notes, r.program.ID+" has no flag for being read-only: it was kept from nothing")
		}
		r.result.Notes = append(r.result.Notes, report.Notes...)
		for _, note := range report.Notes {
			fmt.Fprintln(os.Stderr, "read-only:", note)
			p.show([]byte("ctxfs: read-only: " + note + "\n"))
		}
	}
}

// say fills in what the agent has said and how it has ended.
func (r *run) say(p *process, out programs.Output, readErr, why error) {
	if p.exit != nil {
		code := p.exit.Code()
		r.result.ExitCode = &code
	}
	if out.Session != "" {
		r.status.Session = out.Session
	}
	r.result.Session = r.status.Session
	r.result.Structured, r.result.Usage = out.Structured, out.Usage
	r.tellSession(why)
	r.tell(out.Text)
	r.result.Notes = append(r.result.Notes, keepConfiguration(r.job, r.configuration)...)
	defer func() { r.tellWhy(out.Failed) }()
	switch {
	case why != nil:
		r.ended(why)
	case p.exit.Status.Signaled():
		r.result.Error = "it was ended by a signal: " + p.exit.Status.Signal().String()
	case out.Failed != "":
		r.result.Error = out.Failed
	case p.exit.Code() != 0:
		r.result.Error = fmt.Sprintf("it exited with %d", p.exit.Code())
	case readErr != nil:
		r.result.Error = "its output cannot be understood: " + readErr.Error()
	default:
		r.result.Ended = request.Success
	}
}

// tell stores the answer, and puts it into the result, in full where it is short.
func (r *run) tell(text string) {
	if text == "" {
		return
	}
	path := r.job.Path(job.TextFile)
	notice := ""
	if atomicfile.Write(path, []byte(text)) == nil {
		r.result.TextFile, notice = path, "The whole answer: "+path
	}
	const lines = 1 << 10 // for those that an excerpt adds
	r.result.Text = string(excerpt.Of([]byte(text), request.MaxText-lines, notice))
}
