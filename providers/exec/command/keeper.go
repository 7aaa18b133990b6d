package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"ctxfs/providers/internal/procs"
)

// KeeperCommand is the name of the command that becomes a keeper. Its arguments are the
// command line that it keeps.
const KeeperCommand = "exec-keeper"

// The descriptors that a keeper inherits besides the standard ones, which are the
// command's.
const (
	lifeFD   = 3 // the reading end of a pipe: everything ends when the writing one is closed
	reportFD = 4 // where it reports how the command has ended
)

// grace is how long a command may take to end when it is told to.
const grace = time.Second

// Keep is the whole process of a keeper. It returns its exit code.
func Keep(argv []string) int {
	runtime.LockOSThread() // the command is killed when this thread ends
	var is syscall.Stat_t
	if len(argv) == 0 || syscall.Fstat(reportFD, &is) != nil || is.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		fmt.Fprintln(os.Stderr, "ctxfs: this command is started by ctxfs for the folders of [exec]")
		return 2
	}
	syscall.CloseOnExec(lifeFD)
	syscall.CloseOnExec(reportFD)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = os.NewFile(lifeFD, "life").Read(make([]byte, 1))
	}()
	e, report := Ended{Exit: -1}, json.NewEncoder(os.NewFile(reportFD, "report"))
	_ = report.Encode(begun{procs.Mark()}) // a reader that is gone ends everything
	if err := procs.Adopt(); err != nil {
		e.Error = err.Error()
	} else if process, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   procs.DiesWith(&syscall.SysProcAttr{}, syscall.SIGKILL),
	}); err != nil {
		e.Error = err.Error()
	} else {
		e.Exit = follow(process.Pid, children, signals, gone)
	}
	_ = report.Encode(e)
	return 0
}

// follow waits for the end of a command, ends what it has left, and returns its exit code;
// -1 if it was ended.
func follow(pid int, children, signals <-chan os.Signal, gone <-chan struct{}) int {
	exit, ended, told := -1, false, false
	reaped := func(e procs.Exit) {
		if e.PID == pid {
			ended = true
			if !told {
				exit = e.Code()
			}
		}
	}
	for !ended && !told {
		select {
		case <-children:
			procs.Reap(reaped)
		case <-gone:
			told = true
		case s := <-signals:
			told = s == syscall.SIGTERM || s == syscall.SIGQUIT
		}
	}
	wait := grace
	if ended {
		wait = 0 // its work is done, and nobody reads what daemons write
	}
	_ = procs.End(wait, reaped, pid) // those that cannot be ended are beyond everybody's reach
	return exit
}
