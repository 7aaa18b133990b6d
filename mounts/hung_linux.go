package mounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// free ends the connection of a mount that hangs, so that every process that waits
// for it gets an error. It does not touch the mount, and tries, least invasive
// first:
//
//  1. to abort the connection by its number;
//  2. to answer for a process that was killed.
func (p Point) free() error {
	failed := p.abort()
	if failed == nil {
		return nil
	}
	if err := p.takeOver(); err != nil {
		return fmt.Errorf("%w; %w", failed, err)
	}
	return nil
}

// abort fails if the mount is no longer there, which is fine: its number may belong to
// another mount by now.
func (p Point) abort() error {
	now, found, err := mountedAt(p.Dir)
	if err != nil || !found || now.minor != p.minor {
		return fmt.Errorf("the mount on %s is no longer there (%v)", p.Dir, err)
	}
	return guard.Abort(p.minor)
}

// errNoHolder reports that no process that this user may inspect holds a
// connection.
var errNoHolder = errors.New("no process is visible that holds the connection")

// takeOver frees what a killed process of this user holds through a thread that
// cannot end: it takes the descriptors of the connections from that thread, as a
// debugger does, and answers on them. A stopped guardian that holds them beyond the
// end of its process is continued. It needs Linux 6.9, and fails where only parents
// may debug (kernel.yama.ptrace_scope).
func (p Point) takeOver() error {
	procs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	result := errNoHolder
	for _, proc := range procs {
		state := guard.StateOf(proc)
		if state == guard.Gone {
			continue
		}
		threads, _ := filepath.Glob(filepath.Join(proc, "task", "[0-9]*"))
		for _, thread := range threads {
			fds := devices(thread)
			if !holdsConnection(thread, fds, p.minor) {
				continue
			}
			switch {
			case state == guard.Dying:
				result = releaseHeldBy(proc, thread, fds)
			case guard.IsGuardian(proc):
				pid, _ := strconv.Atoi(filepath.Base(proc))
				result = syscall.Kill(pid, syscall.SIGCONT)
			}
			break
		}
	}
	return result
}

// devices returns the descriptors of FUSE connections of the thread whose
// folder in /proc is given.
func devices(thread string) []int {
	entries, _ := os.ReadDir(filepath.Join(thread, "fd"))
	var fds []int
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(thread, "fd", e.Name()))
		if fd, notNumber := strconv.Atoi(e.Name()); err == nil && notNumber == nil && target == "/dev/fuse" {
			fds = append(fds, fd)
		}
	}
	return fds
}

// holdsConnection reports whether one of the descriptors belongs to a connection.
func holdsConnection(thread string, fds []int, minor string) bool {
	for _, fd := range fds {
		info, _ := os.ReadFile(filepath.Join(thread, "fdinfo", strconv.Itoa(fd)))
		for line := range strings.Lines(string(info)) {
			if number, found := strings.CutPrefix(line, "fuse_connection:"); found && strings.TrimSpace(number) == minor {
				return true
			}
		}
	}
	return false
}

// releaseTime is how long a killed process may take to exit once its readers have
// been answered.
const releaseTime = 10 * time.Second

// releaseHeldBy answers requests in place of a dead process.
func releaseHeldBy(proc, thread string, fds []int) error {
	tid, err := strconv.Atoi(filepath.Base(thread))
	if err != nil {
		return err
	}
	pidfd, err := unix.PidfdOpen(tid, unix.PIDFD_THREAD)
	if err != nil {
		return fmt.Errorf("reach thread %d of a killed process: %w", tid, err)
	}
	defer unix.Close(pidfd)
	var connections []guard.Connection
	for _, fd := range fds {
		taken, err := unix.PidfdGetfd(pidfd, fd, 0)
		if err != nil {
			for _, c := range connections {
				unix.Close(c.FD)
			}
			return fmt.Errorf("take over a connection of thread %d: %w", tid, err)
		}
		connections = append(connections, guard.Connection{FD: taken})
	}
	deadline := time.Now().Add(releaseTime)
	_, stuck := guard.Release(connections, func() bool {
		return guard.StateOf(proc) == guard.Gone || time.Now().After(deadline)
	})
	if len(stuck) > 0 {
		return errors.New("the kernel is too old to answer for a killed process")
	}
	return nil
}

// endTime is how long the guardian of a killed process has to free its mounts
// before others do.
const endTime = 500 * time.Millisecond

// Rescue frees what is held by a background process that was killed while one of
// its threads waited in the kernel: such a process never exits, and keeps the lock
// and the socket. It reports whether there was anything to free; there is not if
// the process lives, has exited, or is being freed by its guardian.
func Rescue(home control.Home) (freed bool, err error) {
	pid := home.Holder()
	if pid == 0 {
		return false, nil
	}
	proc := fmt.Sprintf("/proc/%d", pid)
	if guard.StateOf(proc) != guard.Dying || awaitGone(proc, endTime) {
		return false, nil
	}
	points, err := Points()
	if err != nil {
		return false, err
	}
	left := leftBehind(home)
	var failed string
	for _, p := range points {
		if !slices.Contains(left, p.Dir) {
			continue
		}
		if err := p.free(); err != nil {
			failed = fmt.Sprintf(" (%v)", err)
		}
	}
	if awaitGone(proc, releaseTime) {
		return true, nil
	}
	fault := &control.Fault{
		Message: fmt.Sprintf("process %s was killed, but waits in the kernel and keeps its mounts%s", filepath.Base(proc), failed),
		Hint:    "free them as root: umount -f",
	}
	for _, dir := range left {
		fault.Hint += " " + wording.ShellWord(dir)
	}
	return false, fault
}

// awaitGone reports whether a dying process has exited within a time.
func awaitGone(proc string, within time.Duration) bool {
	for deadline := time.Now().Add(within); guard.StateOf(proc) != guard.Gone; {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}
