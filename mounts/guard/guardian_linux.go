package guard

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The descriptors that a guardian is started with.
const (
	socketFD = 3 + iota // the conversation with the process
	procFD              // the process's folder in /proc
)

// lookEvery is the interval between checks of a process whose death nothing
// announces; lookAgain is the interval for one whose death was announced and that
// is not dead yet.
const (
	checkEvery = time.Second
	checkAgain = 50 * time.Millisecond
)

// endTime is how long a killed process has to end by itself.
const endTime = 100 * time.Millisecond

// guardian is the state of a guardian.
type guardian struct {
	socket      int
	proc        string
	canary      int // becomes readable when the process dies; or negative
	connections map[string]Connection
}

// IsGuardian reports whether the process whose folder in /proc is given is a
// guardian.
func IsGuardian(proc string) bool {
	args, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
	words := strings.Split(string(args), "\x00")
	return len(words) > 1 && words[1] == Command
}

// Main runs the guardian: the command given to [NewKeeper] calls it. It returns
// the exit code of the process when there is nothing left to guard.
func Main(log io.Writer) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP)
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(10)
	if _, err := syscall.Getsockname(socketFD); err != nil {
		fmt.Fprintln(log, "ctxfs: the guardian of mounts is started by the background process only")
		return 2
	}
	g := guardian{socket: socketFD, proc: fmt.Sprintf("/proc/self/fd/%d", procFD), canary: -1, connections: make(map[string]Connection)}
	g.guard(log)
	return 0
}

// guard returns when the process has closed the socket, or is dead and its
// readers are free. The caller then closes what it holds.
func (g *guardian) guard(log io.Writer) {
	limit := checkEvery
	for {
		ready := poll(limit, g.socket, g.canary)
		if ready[0] {
			if !g.receive() {
				return
			}
			limit = g.limit()
			continue
		}
		if StateOf(g.proc) != Alive {
			break
		}
		if ready[1] {
			_ = syscall.Close(g.canary)
			g.canary, limit = -1, checkAgain
		}
	}
	// Nearly always nothing is stuck, and the process needs a moment to end.
	if poll(endTime, g.socket); g.hungUp() {
		return
	}
	var all []Connection
	for _, c := range g.connections {
		all = append(all, c)
	}
	answered, stuck := Release(all, g.hungUp)
	if answered > 0 {
		fmt.Fprintf(log, "guard: the process was killed while a thread of it waited in the kernel; %d requests of readers were answered in its place\n", answered)
	}
	for _, c := range stuck {
		fmt.Fprintf(log, "guard: the mount on %s hangs, and cannot be freed from here; as root: umount -f %s\n", c.Dir, c.Dir)
	}
}

// limit returns how long to wait for news before the next check.
func (g *guardian) limit() time.Duration {
	if g.canary >= 0 {
		return -1
	}
	return checkEvery
}

// hungUp reports whether the other end of the socket is closed.
func (g *guardian) hungUp() bool {
	var p [1]byte
	n, _, err := syscall.Recvfrom(g.socket, p[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n == 0 && err == nil || err == syscall.ECONNRESET
}

// receive takes one message, and reports whether there was one.
func (g *guardian) receive() bool {
	text, rights := make([]byte, 8<<10), make([]byte, 64)
	n, rightsLen, _, _, err := syscall.Recvmsg(g.socket, text, rights, syscall.MSG_CMSG_CLOEXEC)
	if err == syscall.EINTR {
		return true
	}
	if err != nil || n == 0 {
		return false
	}
	fields := strings.SplitN(string(text[:n]), " ", 4)
	fd, handed := received(rights[:rightsLen])
	switch {
	case fields[0] == "canary" && handed:
		g.canary = fd
	case fields[0] == "add" && len(fields) == 4 && handed:
		g.connections[fields[1]] = Connection{FD: fd, Minor: fields[2], Dir: fields[3]}
	case fields[0] == "drop" && len(fields) == 2:
		if c, found := g.connections[fields[1]]; found {
			_ = syscall.Close(c.FD)
			delete(g.connections, fields[1])
		}
	}
	return true
}

// received returns the descriptor that came with a message.
func received(rights []byte) (int, bool) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return -1, false
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1, false
	}
	return fds[0], true
}

// The messages of a process to its guardian.
func addMessage(id int, c Connection) string { return fmt.Sprintf("add %d %s %s", id, c.Minor, c.Dir) }

const canaryMessage = "canary"

func dropMessage(id int) string { return "drop " + strconv.Itoa(id) }

// pollFd is struct pollfd.
type pollFd struct {
	fd      int32
	events  int16
	revents int16
}

const pollIn = 0x1

// poll waits until one of some descriptors can be read or has ended, and returns
// which. Negative descriptors are left out. A negative limit means forever.
func poll(limit time.Duration, fds ...int) []bool {
	wait := make([]pollFd, len(fds))
	for i, fd := range fds {
		wait[i] = pollFd{fd: int32(fd), events: pollIn}
	}
	var timeout *syscall.Timespec
	if limit >= 0 {
		t := syscall.NsecToTimespec(int64(limit))
		timeout = &t
	}
	ready := make([]bool, len(fds))
	// If interrupted or refused, it is called again by its caller's loop.
	_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(wait))), uintptr(len(wait)),
		uintptr(unsafe.Pointer(timeout)), 0, 0, 0)
	for i := range wait {
		ready[i] = errno == 0 && wait[i].revents != 0
	}
	return ready
}
