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

// reaper is a small shell that ends the groups of processes after the end of
// this process, however that ends: one that is killed can stop nobody, and
// programs that do not heed the end of their input would stay for ever. It is
// not done by PR_SET_PDEATHSIG, which would kill what installs packages.
//
// It is started with the first process.
type reaper struct {
	log *slog.Logger

	mu     sync.Mutex
	cmd    *exec.Cmd
	input  io.WriteCloser
	groups map[int]afterwards // by number
	closed bool
}

// afterwards is how long a process group may go on after our end, and how long
// it then has to end.
type afterwards struct{ goOn, end time.Duration }

// briefly is for what is not known to install: it has the end of its input to
// go by.
func briefly() afterwards { return afterwards{time.Second, 3 * time.Second} }

// toItsEnd is for what installs, until then.
func toItsEnd(until time.Time) afterwards { return afterwards{time.Until(until), 20 * time.Second} }

// watch says for how long a group may go on after our end.
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

// forget says that a group has ended.
func (r *reaper) forget(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.groups[group]; known && !r.closed {
		delete(r.groups, group)
		r.send(group)
	}
}

// send tells of a group. A reaper that was killed has a successor, which is
// told of all. The caller holds mu.
func (r *reaper) send(group int) {
	if r.cmd != nil && r.tell(group) == nil {
		return
	}
	if r.cmd != nil {
		r.end()
	}
	if len(r.groups) == 0 {
		return
	}
	if err := r.begin(); err != nil {
		r.log.Warn("servers may outlive ctxfs if it is killed", "error", err)
		return
	}
	for g := range r.groups {
		_ = r.tell(g) // it has just begun
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

// begin starts the shell. It has a session of its own, so that no signal to
// our group or from a terminal reaches it, and holds no folder.
func (r *reaper) begin() (err error) {
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

// end ends the input of the shell, and waits for its end. What it leaves in
// the background goes on.
func (r *reaper) end() {
	r.input.Close()
	_ = r.cmd.Wait() // how it ends is no news
	r.cmd = nil
}

// close is for when all processes have ended that are not left to the reaper.
func (r *reaper) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.cmd != nil {
		r.end()
	}
}
