package control

import (
	"fmt"
	"time"
)

// State is what keeps a process from answering.
type State string

const (
	Unknown State = ""
	Busy    State = "busy"    // it runs, or wants to
	Waiting State = "waiting" // in the kernel, state D
	Stopped State = "stopped" // by SIGSTOP or SIGTSTP
	Traced  State = "traced"  // a debugger holds it
	Frozen  State = "frozen"  // its control group is frozen
	Killed  State = "killed"  // but one of its threads has not ended
	Hung    State = "hung"    // it has nothing to do
	Asleep  State = "asleep"  // at the moment; it may hang
)

// sample is what can be seen of a process from outside, at one time.
type sample struct {
	code   byte          // as in proc(5); 0 if nothing can be seen
	cpu    time.Duration // processor time of all its threads
	wants  bool          // a thread runs or is ready to run
	kernel bool          // a thread waits in state D
	frozen bool
	dying  bool // all its threads have ended or were killed, but not all have ended
}

// state returns what a single sample shows.
func (s sample) state() State {
	switch {
	case s.code == 0:
		return Unknown
	case s.dying, s.code == 'Z', s.code == 'X':
		return Killed
	case s.code == 'T':
		return Stopped
	case s.code == 't':
		return Traced
	case s.frozen:
		return Frozen
	case s.wants:
		return Busy
	case s.kernel:
		return Waiting
	}
	return Asleep
}

// isStill reports whether the process does nothing until another process acts.
func (s sample) isStill() bool {
	switch s.state() {
	case Stopped, Traced, Frozen:
		return true
	}
	return false
}

// Silent reports that the background process does not answer, and why. It unwraps
// to a [Fault].
type Silent struct {
	State State
	Fault Fault
}

func (s *Silent) Error() string { return s.Fault.Error() }
func (s *Silent) Unwrap() error { return &s.Fault }

// processName names the background process, whose ID is 0 if it cannot be seen.
func processName(pid int) string {
	if pid == 0 {
		return "the background process"
	}
	return fmt.Sprintf("the background process (%d)", pid)
}

// newSilent describes what is wrong with a process, and how to fix it.
func newSilent(pid int, state State, what string) *Silent {
	s := &Silent{State: state}
	name := processName(pid)
	switch state {
	case Stopped:
		s.Fault = Fault{Message: name + " " + what + ": it is stopped", Hint: fmt.Sprintf("let it go on: kill -CONT %d", pid)}
	case Traced:
		s.Fault = Fault{Message: name + " " + what + ": a debugger holds it", Hint: "end the debugger, or let it continue the process"}
	case Frozen:
		s.Fault = Fault{Message: name + " " + what + ": its control group is frozen", Hint: "thaw it: its container is paused or its session suspended"}
	case Killed:
		s.Fault = Fault{Message: name + " " + what + ": it was killed, and a thread of it waits in the kernel, which kill -9 does not end", Hint: "free its mounts: ctxfs mount"}
	case Waiting:
		s.Fault = Fault{Message: name + " " + what + ": it waits in the kernel (state D), as for a disk or a network file system that does not answer", Hint: "kill -9 does not help; see what it waits for: cat /proc/" + fmt.Sprint(pid) + "/wchan"}
	case Hung:
		s.Fault = Fault{Message: name + " " + what + ", although it is not busy", Hint: fmt.Sprintf("restart it: kill -9 %d; ctxfs mount", pid)}
	default:
		s.Fault = Fault{Message: name + " " + what, Hint: "see what it does: ps -o pid,stat,time,args -p " + fmt.Sprint(pid)}
	}
	return s
}
