// Package spawn starts processes that do not outlive this one.
package spawn

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Spawner starts processes that are killed when this process ends, however it
// ends: one that is killed itself can stop nobody, and programs that do not heed
// the end of their input would stay for ever.
//
// Linux does that for who asks (PR_SET_PDEATHSIG), but it watches the thread
// that made the child, and Go may end a thread while the process lives. So all
// children are made by one goroutine, which keeps its thread to itself for as
// long as any of them may live.
//
// The signal is SIGKILL, since nobody is left to insist where a program ignores
// another one. It reaches the process that was started, not those that it
// starts in turn: they have the end of their input to go by.
type Spawner struct {
	begin, end sync.Once
	jobs       chan spawning
}

type spawning struct {
	cmd  *exec.Cmd
	done chan<- error
}

// New returns a spawner that has started nothing yet. Close ends it.
func New() *Spawner { return &Spawner{jobs: make(chan spawning)} }

// Start is cmd.Start.
func (s *Spawner) Start(cmd *exec.Cmd) error {
	s.begin.Do(func() { go s.run() })
	done := make(chan error, 1)
	s.jobs <- spawning{cmd, done}
	return <-done
}

func (s *Spawner) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // a thread that is kept locked to the end ends, too
	for j := range s.jobs {
		j.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
		j.done <- j.cmd.Start()
	}
}

// Close is for when all processes have ended. Nothing can be started after it.
func (s *Spawner) Close() { s.end.Do(func() { close(s.jobs) }) }
