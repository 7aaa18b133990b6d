package procs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// A keeper is a small process between this one and a program. It adopts whatever the program
// leaves behind, and ends it when the program has ended, or this process, however it does:
//
//	ctxfs                holds a pipe whose end says that it is gone
//	 └ ctxfs helper keep [RunKeeper]
//	    └ the program
//
// What it starts has a mark, which it tells: where the keeper itself is killed, as the program
// may do, [Kept.Wait] ends what has the mark.
//
// A program that is itself a helper, with what it has started to end, is told by its keeper to
// end ([Leading]), and goes on if its keeper is killed: a byte from its line says the one, the
// end of that the other. A signal could come before it can take it.

// The descriptors that a keeper inherits besides the standard ones, which are the program's,
// and those of a program that is told.
const (
	lifeFD   = 3 // the reading end of a pipe: everything ends when the writing one is closed; no pipe where it does not
	reportFD = 4 // where it reports how the program has ended
	givenFD  = 5 // a file that both hold as long as they live

	GivenFD = 3
	LineFD  = 4
)

const (
	// keepGrace is how long a program may take to end that is not told by a line.
	keepGrace = time.Second
	// stuckTime is how long one that is may take: it hangs after that, and is killed.
	stuckTime = 30 * time.Second
)

// ErrLost reports that a keeper was killed.
var ErrLost = errors.New("its keeper was killed")

// Keep is a program to be started with a keeper.
type Keep struct {
	// Keeper is the command line of the keeper, by [Helper].
	Keeper         []string
	Dir            string
	Env            []string
	Stdout, Stderr *os.File
	// Given is a file for a program that is told.
	Given *os.File
	// Detached lets it go on when this process has ended.
	Detached bool
}

// Kept is the keeper of a program that was started.
type Kept struct {
	cmd          *exec.Cmd
	life, report *os.File
}

// begun is what a keeper reports first: the mark of all that it starts.
type begun struct {
	Mark uint64 `json:"mark"`
}

// Ended is what it reports at last.
type Ended struct {
	Exit  int    `json:"exit"`            // -1 if the program was told to end
	Error string `json:"error,omitempty"` // why the program was not started
}

// Start starts the keeper, which starts the program. Its standard input is empty. Wait must
// be called.
func (k Keep) Start() (*Kept, error) {
	theirs, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	report, says, err := os.Pipe()
	if err != nil {
		life.Close()
		return nil, err
	}
	defer says.Close()
	p := &Kept{exec.Command(k.Keeper[0], k.Keeper[1:]...), life, report}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = k.Dir, k.Env, k.Stdout, k.Stderr
	p.cmd.ExtraFiles = []*os.File{theirs, says, k.Given}
	if k.Detached {
		p.cmd.ExtraFiles[0] = k.Given // no pipe
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := p.cmd.Start(); err != nil {
		life.Close()
		report.Close()
		return nil, err
	}
	return p, nil
}

// End has the keeper end everything.
func (k *Kept) End() {
	k.life.Close()
	_ = k.cmd.Process.Signal(syscall.SIGCONT) // or it would not notice, if it is stopped
}

// Wait waits until the keeper has ended. If it was killed, what it has started is killed too.
func (k *Kept) Wait() (e Ended, err error) {
	defer k.life.Close()
	defer k.report.Close()
	report := json.NewDecoder(io.LimitReader(k.report, 64<<10))
	var b begun
	_ = report.Decode(&b)
	err = report.Decode(&e)
	_, _ = io.Copy(io.Discard, k.report)
	status := k.cmd.Wait()
	if err == nil {
		return e, nil
	}
	EndMarked(b.Mark)
	if status == nil {
		return e, ErrLost
	}
	return e, fmt.Errorf("%w: %w", ErrLost, status)
}

// Forget waits until the keeper of a program has ended that goes on without this process.
func (k *Kept) Forget() {
	k.life.Close()
	k.report.Close()
	_ = k.cmd.Wait()
}

// RunKeeper is the whole process of a keeper. It returns its exit code. Argv returns the
// command line of the program, which has the mark; told says that it is told to end.
func RunKeeper(argv func(mark uint64) []string, told bool) int {
	runtime.LockOSThread() // a program that is not told is killed when this thread ends
	if !isPipe(reportFD) {
		fmt.Fprintln(os.Stderr, "ctxfs: this command is started by ctxfs itself")
		return 2
	}
	// Not ignored, which the program would inherit: each is taken, and two of them mean nothing.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	k := keeping{pid: -1, exit: -1, signals: signals, children: make(chan os.Signal, 1)}
	signal.Notify(k.children, syscall.SIGCHLD)
	if isPipe(lifeFD) {
		gone := make(chan struct{})
		k.gone = gone
		go func() {
			defer close(gone)
			_, _ = os.NewFile(lifeFD, "life").Read(make([]byte, 1))
		}()
	}
	KeepDescriptors()
	report, mark := json.NewEncoder(os.NewFile(reportFD, "report")), Mark()
	_ = report.Encode(begun{mark}) // a reader that is gone ends everything
	err := Adopt()
	if err == nil {
		err = k.start(argv(mark), told)
	}
	e := Ended{Exit: -1}
	if err != nil {
		e.Error = err.Error()
	} else {
		e.Exit = k.follow()
	}
	_ = report.Encode(e)
	return 0
}

func isPipe(fd int) bool {
	var is syscall.Stat_t
	return syscall.Fstat(fd, &is) == nil && is.Mode&syscall.S_IFMT == syscall.S_IFIFO
}

// keeping is a program that is kept.
type keeping struct {
	pid, exit         int
	line              *os.File // the writing end of that of a program that is told
	signals, children chan os.Signal
	gone              <-chan struct{} // closed when this keeper's owner has ended; nil without an owner
}

func (k *keeping) start(argv []string, told bool) error {
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	if told {
		theirs, ours, err := os.Pipe()
		if err != nil {
			return err
		}
		k.line = ours
		attr.Files = append(attr.Files, os.NewFile(givenFD, "given"), theirs)
	} else {
		attr.Sys = DiesWith(&syscall.SysProcAttr{}, syscall.SIGKILL)
	}
	process, err := os.StartProcess(argv[0], argv, attr)
	if err == nil {
		k.pid = process.Pid
	}
	return err
}

// follow waits for the end of the program, ends what it has left, and returns its exit code;
// -1 if it was ended.
func (k *keeping) follow() (exit int) {
	ended, told := false, false
	exit = -1
	reaped := func(e Exit) {
		if e.PID == k.pid {
			ended = true
			if !told {
				exit = e.Code()
			}
		}
	}
	var stuck <-chan time.Time
	for !ended && (!told || k.line != nil) {
		tell := false
		select {
		case <-k.children:
			Reap(reaped)
		case <-k.gone:
			k.gone, tell = nil, true
		case s := <-k.signals:
			tell = s == syscall.SIGTERM || s == syscall.SIGQUIT
		case <-stuck:
			_ = syscall.Kill(k.pid, syscall.SIGKILL) // a zombie at worst: no other process waits for it
		}
		if told = told || tell; tell && k.line != nil {
			_, _ = k.line.Write([]byte{'t'})
			_ = syscall.Kill(k.pid, syscall.SIGCONT)
			stuck = time.After(stuckTime)
		}
	}
	grace := keepGrace
	if ended {
		grace = 0 // its work is done, and what daemons write is not read
	}
	_ = End(grace, reaped, k.pid) // those that cannot be ended are beyond anyone's reach
	return exit
}
