package procs

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// rlimitRTTime is RLIMIT_RTTIME: how long a process with real-time scheduling may compute
// without a pause, in microseconds. Children inherit limits whatever else they shed: their
// environment, their session, their parent. So a limit that no process reaches, a hundred
// thousand years and more, is a mark that stays.
const rlimitRTTime = 15

// Mark marks this process, and all that it starts from now on, and returns the mark; 0 if
// that is not possible. A mark that it has already, since it was started by something that is
// marked, is replaced: a limit can be lowered.
func Mark() uint64 {
	var is syscall.Rlimit
	const infinity = ^uint64(0)
	const least = 1 << 61 // of a mark
	if syscall.Getrlimit(rlimitRTTime, &is) != nil || is.Cur != is.Max || is.Cur < least {
		return 0
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	number := binary.NativeEndian.Uint64(random[:])
	mark := number>>2 | 1<<62
	if is.Cur != infinity {
		mark = is.Cur - 1 - number>>20
	}
	if syscall.Setrlimit(rlimitRTTime, &syscall.Rlimit{Cur: mark, Max: mark}) != nil {
		return 0
	}
	return mark
}

// Marked reports whether a process has a mark.
func Marked(pid int, mark uint64) bool {
	limits, _ := os.ReadFile(Path(pid, "limits")) // empty if the process has ended
	_, after, ok := bytes.Cut(limits, []byte("Max realtime timeout"))
	return ok && mark != 0 && strings.HasPrefix(strings.TrimLeft(string(after), " "), fmt.Sprint(mark, " "))
}

// marked returns the processes that have a mark, except this one.
func marked(mark uint64) (found []Process) {
	if mark == 0 {
		return nil
	}
	for pid, s := range Now().stats {
		if pid != os.Getpid() && Marked(pid, mark) {
			found = append(found, Process{pid, s.Began})
		}
	}
	return found
}

// Adopt makes this process the parent of what its descendants leave behind, also of
// daemons and of processes in sessions of their own.
func Adopt() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// DiesWith has a child receive a signal when the thread that starts it ends.
func DiesWith(attr *syscall.SysProcAttr, sig syscall.Signal) *syscall.SysProcAttr {
	attr.Pdeathsig = sig
	return attr
}

// below returns the descendants of this process, whatever its children are.
func below([]int) []Process { return Now().Tree(os.Getpid(), "") }
