package supervise

import (
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

//go:embed reaper.sh
var reaperScript string

// reaper is a small shell that ends process groups after this process has exited,
// for whatever reason: a process that is killed cannot stop its children, and
// programs that ignore the end of their input would stay forever.
// PR_SET_PDEATHSIG is no alternative, as it would kill package runners.
//
// The shell is started before the first process: as soon as that exists, the shell
// can be told.
type reaper struct {
	log *slog.Logger

	mu     sync.Mutex
	cmd    *exec.Cmd
	input  io.WriteCloser
	groups map[int]afterwards // by number
	closed bool
}

// afterwards is how long a process group may go on after ctxfs exits, and how long
// it then has to exit.
type afterwards struct{ goOn, end time.Duration }

// briefly returns the time of a group that is not known to install: the end of its
// input should end it.
func briefly() afterwards { return afterwards{time.Second, 3 * time.Second} }

// toItsEnd returns the time of a group that installs, until the given time.
func toItsEnd(until time.Time) afterwards { return afterwards{time.Until(until), 20 * time.Second} }

// prepare starts the shell, if it does not run.
func (r *reaper) prepare() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil && !r.closed {
		r.begin()
	}
}

// watch sets how long a group may go on after our exit. Without a shell the groups
// are sent to the one that is prepared next.
func (r *reaper) watch(group int, grace afterwards) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.groups == nil {
		r.groups = make(map[int]afterwards)
	}
	r.groups[group] = grace
	r.send(group)
}

// forget drops a group that has exited.
func (r *reaper) forget(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.groups[group]; known && !r.closed {
		delete(r.groups, group)
		r.send(group)
	}
}

// send sends a group to the shell. A shell that was killed is replaced. The caller
// holds mu.
func (r *reaper) send(group int) {
	if r.cmd == nil || r.tell(group) == nil {
		return
	}
	r.end()
	if len(r.groups) > 0 {
		r.begin()
	}
}

func (r *reaper) tell(group int) error {
	line := fmt.Sprintf("%d -\n", group)
	if grace, known := r.groups[group]; known {
		line = fmt.Sprintf("%d %d %d\n", group, max(0, int(grace.goOn.Seconds())), int(grace.end.Seconds()))
	}
	_, err := io.WriteString(r.input, line)
	return err
}

// begin starts the shell, and sends it all groups. The caller holds mu.
func (r *reaper) begin() {
	if err := r.startShell(); err != nil {
		r.log.Warn("servers may outlive ctxfs if it is killed", "error", err)
		return
	}
	for g := range r.groups {
		_ = r.tell(g) // it has just been started
	}
}

// startShell starts the shell. It has a session of its own, so that no signal to our
// group or from a terminal reaches it, and its working directory is the root.
func (r *reaper) startShell() (err error) {
	cmd := exec.Command("/bin/sh", "-c", reaperScript)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if r.input, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err = cmd.Start(); err != nil {
		return err
	}
	r.cmd = cmd
	return nil
}

// end closes the input of the shell and waits for its exit. What it has left in the
// background continues.
func (r *reaper) end() {
	r.input.Close()
	_ = r.cmd.Wait() // its exit status does not matter
	r.cmd = nil
}

// close ends the shell, after all processes have exited that are not left to it.
func (r *reaper) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.cmd != nil {
		r.end()
	}
}
