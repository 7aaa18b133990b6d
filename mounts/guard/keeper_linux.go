package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// startAgain is the least time between the starts of two guardians.
const startAgain = time.Second

// Keeper is the side of the process that has the mounts: it keeps a guardian
// running as long as there is a mount.
type Keeper struct {
	command func() *exec.Cmd
	log     *slog.Logger

	mu          sync.Mutex
	connections map[int]Connection // with duplicates of the descriptors
	last        int                // number of the newest connection
	guardian    *child             // or nil
	startedAt   time.Time
	later       *time.Timer // starts the next guardian
}

// child is a guardian as its keeper sees it.
type child struct {
	cmd    *exec.Cmd
	socket int
	end    func() // ends the canary thread
}

// NewKeeper returns the keeper of a process. The command, created for every
// guardian, must run [Main] with its standard error as the log.
func NewKeeper(command func() *exec.Cmd, log *slog.Logger) *Keeper {
	return &Keeper{command: command, log: log, connections: make(map[int]Connection)}
}

// Watch guards a connection. The descriptor stays the caller's. The caller must
// call the returned function once, when the mount has ended. Watch never waits for
// a guardian; a failure to start one is logged, and the start is retried.
func (k *Keeper) Watch(c Connection) (ended func()) {
	fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(c.FD), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		k.log.Warn("a mount is not guarded", "dir", c.Dir, "error", errno)
		return func() {}
	}
	c.FD = int(fd)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	id := k.last
	k.connections[id] = c
	if k.guardian != nil {
		k.guardian.notify(addMessage(id, c), syscall.UnixRights(c.FD))
	} else {
		k.start()
	}
	return func() { k.drop(id) }
}

func (k *Keeper) drop(id int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = syscall.Close(k.connections[id].FD)
	delete(k.connections, id)
	switch {
	case k.guardian == nil:
	case len(k.connections) > 0:
		k.guardian.notify(dropMessage(id), nil)
	default:
		k.guardian.close()
		k.guardian, k.startedAt = nil, time.Time{}
	}
}

// start starts a guardian if one is needed and does not run. The caller holds mu.
func (k *Keeper) start() {
	if k.guardian != nil || len(k.connections) == 0 {
		return
	}
	if wait := time.Until(k.startedAt.Add(startAgain)); wait > 0 {
		k.startLater(wait)
		return
	}
	k.startedAt = time.Now()
	g, err := launch(k.command(), k.connections)
	if err != nil {
		k.log.Warn("mounts are not guarded against this process being killed", "error", err)
		k.startLater(startAgain)
		return
	}
	k.guardian = g
	go func() {
		err := g.cmd.Wait()
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.guardian != g {
			return // as expected
		}
		k.log.Warn("the guardian of the mounts has ended; another is started", "state", err)
		g.close()
		k.guardian = nil
		k.start()
	}()
}

// startLater calls start once, after a wait. The caller holds mu.
func (k *Keeper) startLater(wait time.Duration) {
	if k.later != nil {
		return
	}
	k.later = time.AfterFunc(wait, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.later = nil
		k.start()
	})
}

// launch starts a guardian of this process and some connections.
func launch(cmd *exec.Cmd, connections map[int]Connection) (*child, error) {
	// A packet socket keeps messages apart, and its end is reported.
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "guard")
	defer theirs.Close()
	proc, err := os.Open("/proc/self")
	if err != nil {
		_ = syscall.Close(pair[0])
		return nil, err
	}
	defer proc.Close()
	canary, end := newCanary()
	cmd.ExtraFiles = []*os.File{theirs, proc} // socketFD, procFD
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // killing the group of the process spares it
	g := &child{cmd, pair[0], end}
	// Everything is in the socket before the guardian starts. If this process is
	// killed between the fork and the end of Start, the guardian still has what it
	// guards.
	if canary >= 0 {
		err = g.send(canaryMessage, syscall.UnixRights(canary))
		_ = syscall.Close(canary)
	}
	for id, c := range connections {
		err = errors.Join(err, g.send(addMessage(id, c), syscall.UnixRights(c.FD)))
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// notify sends a message to a running guardian. One that does not read its
// messages is replaced.
func (g *child) notify(message string, rights []byte) {
	if g.send(message, rights) != nil {
		_ = g.cmd.Process.Kill()
	}
}

// send never blocks.
func (g *child) send(message string, rights []byte) error {
	err := syscall.Sendmsg(g.socket, []byte(message), rights, nil, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
	return os.NewSyscallError("sendmsg", err)
}

// close ends the guardian, unless it has exited.
func (g *child) close() {
	_ = syscall.Close(g.socket)
	g.end()
}

// Numbers of the kernel that package syscall does not have.
const (
	sysPidfdOpen = 434  // on all architectures
	pidfdThread  = 0x80 // PIDFD_THREAD
)

// newCanary starts a thread that does nothing until end is called or the
// process dies. The descriptor becomes readable when the thread has ended; it
// is negative if the kernel does not support that for threads. Unlike the end
// of the process, that of this thread waits for no other thread.
func newCanary() (pidfd int, end func()) {
	opened, done := make(chan int), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		thread := syscall.Gettid()
		if thread == syscall.Getpid() {
			// The main thread will not do: it stays until all others have
			// ended.
			defer runtime.UnlockOSThread()
			fd, endOther := newCanary()
			defer endOther()
			opened <- fd
		} else {
			// Never unlocked, the thread ends with this goroutine.
			fd, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(thread), pidfdThread, 0)
			if errno != 0 {
				fd = ^uintptr(0)
			}
			opened <- int(fd)
		}
		<-done
	}()
	return <-opened, sync.OnceFunc(func() { close(done) })
}
