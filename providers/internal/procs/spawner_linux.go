package procs

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Spawner starts processes that are killed when this process ends, however it ends:
// a killed process can stop nothing, and programs that ignore the end of their
// input would stay forever.
//
// Linux does that on request (PR_SET_PDEATHSIG), but it watches the thread that
// created the child, and Go may end a thread while the process lives. So all
// children are created by one goroutine, which keeps its thread locked for as
// long as any of them may live.
//
// The signal is SIGKILL, since nothing would follow up if a program ignored another
// one. It reaches the process that was started, not its children: they have to
// notice the end of their input.
type Spawner struct {
	begin, end sync.Once
	jobs       chan spawning
}

type spawning struct {
	cmd  *exec.Cmd
	done chan<- error
}

// NewSpawner returns a spawner that has started nothing yet. Close ends it.
func NewSpawner() *Spawner { return &Spawner{jobs: make(chan spawning)} }

// Start calls cmd.Start. The command has a group of its own; see grouped.
func (s *Spawner) Start(cmd *exec.Cmd) error {
	grouped(cmd)
	s.begin.Do(func() { go s.run() })
	done := make(chan error, 1)
	s.jobs <- spawning{cmd, done}
	return <-done
}

func (s *Spawner) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // a goroutine that ends with its thread locked ends the thread, too
	for j := range s.jobs {
		j.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
		j.done <- j.cmd.Start()
	}
}

// Close releases the thread. It must be called only when all processes have
// ended. Nothing can be started after it.
func (s *Spawner) Close() { s.end.Do(func() { close(s.jobs) }) }
