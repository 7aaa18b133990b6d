package holder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
)

// Variable is the environment variable with the ID of the terminal that a program
// runs in.
const Variable = "CTXFS_TERMINAL"

// session is a program in a recorded terminal, and its viewers.
type session struct {
	rec    *record.Recorder
	master *os.File
	slave  *os.File // ours, so that the terminal lives as long as the program
	cmd    *exec.Cmd
	settle *settler

	mu         sync.Mutex // serializes output and changes of viewers
	viewers    []*viewer
	modes      modes
	cols, rows int
	ended      bool
}

// begin starts a program in a new terminal. If stdin is nil it also reads from
// the terminal.
func begin(rec *record.Recorder, cmd *exec.Cmd, stdin *os.File, cols, rows int) (*session, error) {
	s := &session{rec: rec, cmd: cmd, cols: cols, rows: rows}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, unrecorded(fmt.Errorf("no terminal is available: %w", err))
	}
	defer master.Close()
	setSize(master, cols, rows)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if stdin != nil {
		cmd.Stdin = stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if s.master, err = waking(master); err != nil {
		slave.Close()
		return nil, unrecorded(err)
	}
	if err := cmd.Start(); err != nil {
		s.master.Close()
		slave.Close()
		return nil, notStarted(err)
	}
	s.slave = slave
	s.settle = newSettler(rec)
	rec.Started(cmd.Process.Pid)
	return s, nil
}

// serve relays until the program has exited and its output is recorded, and returns
// how it ended.
func (s *session) serve() (exit int, signal string) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.cmd.Wait()
		s.slave.Close()
		s.hungUp()
	}()
	procs.Relay(s.master, s.show)
	<-ended
	exit, signal = outcome(s.cmd.ProcessState)
	s.finish(exit, signal)
	return exit, signal
}

// hungUp tells the relay that the program has exited.
func (s *session) hungUp() { _ = s.master.SetReadDeadline(time.Now()) }

// finish ends the recording and the viewers when all output has been relayed.
func (s *session) finish(exit int, signal string) {
	s.settle.stop()
	_ = s.rec.Close(exit, signal) // the files show it
	s.mu.Lock()
	s.ended = true
	left := s.viewers
	s.viewers = nil
	s.mu.Unlock()
	for _, v := range left {
		v.stop()
		v.told(message{Op: opExit, Exit: exit, Signal: signal, ID: s.rec.ID(), Dir: s.rec.Dir()})
	}
	s.master.Close()
}

// show shows output to the viewers, and then records it.
func (s *session) show(p []byte) {
	s.mu.Lock()
	for _, v := range s.viewers {
		v.show(p)
	}
	s.modes.write(p)
	s.mu.Unlock()
	s.settle.scheduleAt(s.rec.Write(p))
}

// outcome returns how a process ended, in the terms of shells: the exit code of
// a process killed by a signal is 128 plus its number.
func outcome(state *os.ProcessState) (exit int, signal string) {
	if state == nil {
		return -1, ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), signalName(status.Signal())
	}
	return state.ExitCode(), ""
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return strconv.Itoa(int(s))
}

// attach adds a viewer. The screen is drawn for it, unless it is the first,
// which sees everything.
func (s *session) attach(v *viewer, first bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errors.New("the terminal has just ended")
	}
	if err := v.tty.setRaw(); err != nil {
		return err
	}
	s.viewers = append(s.viewers, v)
	v.told(message{Op: opAttached, ID: s.rec.ID(), Dir: s.rec.Dir()})
	s.fit()
	if !first {
		s.draw(v)
	}
	v.start()
	return nil
}

// detach removes a viewer, and notifies it.
func (s *session) detach(v *viewer) {
	s.mu.Lock()
	i := slices.Index(s.viewers, v)
	here := i >= 0
	if here {
		s.viewers = slices.Concat(s.viewers[:i], s.viewers[i+1:])
		v.show(s.modes.leave())
	}
	s.fit()
	s.mu.Unlock()
	if here {
		v.stop()
		v.told(message{Op: opDetached, ID: s.rec.ID(), Dir: s.rec.Dir()})
	}
}

// resize sets the size of a viewer.
func (s *session) resize(v *viewer, cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.looks {
		return
	}
	v.cols, v.rows = cols, rows
	s.fit()
}

// fit gives the terminal the size of the smallest viewer; without viewers it
// keeps its size.
func (s *session) fit() {
	cols, rows := 0, 0
	for _, v := range s.viewers {
		if v.cols <= 0 || v.rows <= 0 {
			continue
		}
		if cols == 0 {
			cols, rows = v.cols, v.rows
		}
		cols, rows = min(cols, v.cols), min(rows, v.rows)
	}
	if cols == 0 || cols == s.cols && rows == s.rows {
		return
	}
	s.cols, s.rows = cols, rows
	setSize(s.master, cols, rows)
	s.rec.Resize(cols, rows)
}

// hangUpTime is how long a program may take to end when its terminal is closed.
const hangUpTime = 5 * time.Second

// hangUp ends the program as closing a terminal does, and kills it if it
// ignores that.
func (s *session) hangUp() {
	if group := foreground(s.master); group > 1 {
		_ = syscall.Kill(-group, syscall.SIGHUP)
	}
	program := s.cmd.Process.Pid
	_ = syscall.Kill(-program, syscall.SIGHUP)
	_ = syscall.Kill(-program, syscall.SIGCONT)
	time.AfterFunc(hangUpTime, func() { _ = s.cmd.Process.Kill() }) // never another process with that number
}
