// Package keeper is the process above everything that belongs to a run of an agent.
//
//	ctxfs agent run               prints the result; holds a pipe whose end says that it is gone
//	 └ ctxfs agent-keeper         this package: small, started in milliseconds
//	    └ ctxfs agent-runner      prepares, records, waits, writes the result; see package runner
//	       └ the agent
//
// The keeper registers the run (see package confined) and holds its lock. Whatever a
// descendant of it leaves behind, also in a session of its own, becomes the runner's
// child, or the keeper's once the runner has ended (PR_SET_CHILD_SUBREAPER). So when the
// runner has ended, however it has, the keeper ends what is left and then itself. If the
// keeper is killed, the runner's line to it ends, and the runner ends everything likewise.
// If both are killed at once, the next program that looks ends what has the run's mark.
//
// The package imports little: a keeper stays as long as its run.
package keeper

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/procs"
)

// Command and RunnerCommand are the names of the commands that become a keeper and a
// runner. Both take the folder of a run as their argument.
const (
	Command       = "agent-keeper"
	RunnerCommand = "agent-runner"
)

// ReadOnly, as a second argument, says that the run is read-only.
const ReadOnly = "read-only"

// The descriptors that a keeper inherits.
const (
	LockFD   = 3 // the lock of the run
	CallerFD = 4 // the reading end of a pipe: the run is cancelled when the writing one is closed; no pipe if it is detached
)

// The descriptors that a runner inherits, besides the lock.
const (
	// AnswerFD is where it writes the result that it cannot store: the keeper's standard
	// output.
	AnswerFD = 4
	// LineFD is the reading end of a pipe: a byte says that the run is cancelled, its end
	// that the keeper is gone. A signal could come before the runner can take it.
	LineFD = 5
)

// Ready is what a keeper writes to its standard output when the run is its own. Anything
// else is an error.
const Ready = "ready\n"

// stuckTime is how long a runner may take to end everything and to write the result after
// it was told to: one that takes longer hangs, and is killed.
const stuckTime = 30 * time.Second

// keeper is a run that is kept.
type keeper struct {
	runner int
	line   *os.File // the writing end of the runner's
	leave  func()   // takes the run from the register
}

// Main is the whole process. It returns its exit code.
func Main(args []string) int {
	// Not ignored, which the agent would inherit: each is taken, and two of them mean nothing.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	gone := callerGone()
	k, err := begin(args)
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		return 1
	}
	fmt.Fprint(os.Stdout, Ready)
	os.Stdout.Close()
	var stuck <-chan time.Time
	cancel := func() {
		_, _ = k.line.Write([]byte{'c'})
		_ = syscall.Kill(k.runner, syscall.SIGCONT) // a zombie at worst: nobody else waits for it
		stuck = time.After(stuckTime)
	}
	code := -1 // the runner's, once it has ended
	for code < 0 {
		select {
		case <-children:
			procs.Reap(func(e procs.Exit) {
				if e.PID == k.runner {
					code = e.Code()
				}
			})
		case <-gone:
			gone = nil
			cancel()
		case s := <-signals:
			if s == syscall.SIGTERM || s == syscall.SIGQUIT {
				cancel()
			}
		case <-stuck:
			_ = syscall.Kill(k.runner, syscall.SIGKILL)
		}
	}
	_ = procs.End(0, nil, k.runner)
	if code == 0 { // or else whoever finds it in the register stores that it is lost
		k.leave()
	}
	return code
}

// callerGone returns a channel that is closed when the caller has ended; nil if the run is
// detached.
func callerGone() <-chan struct{} {
	var is syscall.Stat_t
	if syscall.Fstat(CallerFD, &is) != nil || is.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = os.NewFile(CallerFD, "caller").Read(make([]byte, 1))
	}()
	return gone
}

// begin registers the run and starts its runner.
func begin(args []string) (k *keeper, err error) {
	if len(args) == 0 {
		return nil, errors.New("this command is started by: ctxfs agent run")
	}
	dir := args[0]
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := procs.Adopt(); err != nil {
		return nil, err
	}
	syscall.CloseOnExec(LockFD)
	syscall.CloseOnExec(CallerFD)
	register, id := confined.In(filepath.Dir(filepath.Dir(dir))), filepath.Base(dir)
	if err := register.Enter(id, len(args) > 1 && args[1] == ReadOnly, procs.Mark()); err != nil {
		return nil, fmt.Errorf("the run cannot be registered: %w", err)
	}
	k = &keeper{leave: func() { register.Leave(id) }}
	if err := k.start(self, dir); err != nil {
		k.leave()
		return nil, fmt.Errorf("the runner cannot be started: %w", err)
	}
	return k, nil
}

// start starts the runner.
func (k *keeper) start(self, dir string) error {
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer nothing.Close()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	process, err := os.StartProcess(self, []string{self, RunnerCommand, dir}, &os.ProcAttr{
		Files: []*os.File{nothing, nothing, os.Stderr, os.NewFile(LockFD, "lock"), os.Stdout, theirs},
	})
	if err != nil {
		ours.Close()
		return err
	}
	k.runner, k.line = process.Pid, ours
	return nil
}
