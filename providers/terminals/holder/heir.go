package holder

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// heir is a viewer that also has the other side of the program's terminal, and so
// can carry on with it, unrecorded, after the holder was killed.
type heir struct {
	terminal *os.File
	master   *os.File
	ended    <-chan syscall.WaitStatus // how the program ended, if that can be known
}

func (h *heir) close() {
	if h.master != nil {
		h.master.Close()
	}
}

// carryOn shows the terminal until its program ends, and reports whether it
// could. The terminal is still set as the holder left it.
func (h *heir) carryOn(signals <-chan os.Signal, o *Outcome) bool {
	if h.master == nil {
		return false
	}
	fmt.Fprint(h.terminal, "\r\nctxfs: the process that recorded this terminal has been killed; it goes on, unrecorded\r\n")
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		relay(h.master, func(p []byte) { _, _ = h.terminal.Write(p) }) // it may be gone
	}()
	go func() { _, _ = io.Copy(h.master, h.terminal) }()
	for {
		select {
		case status := <-h.ended:
			h.ended = nil
			o.died(status)
			_ = h.master.SetReadDeadline(time.Now())
		case <-shown:
			if h.ended != nil { // all of its terminal is closed, and it is about to end
				select {
				case status := <-h.ended:
					o.died(status)
				case <-time.After(partingTime):
				}
			}
			return true
		case s := <-signals:
			switch s {
			case syscall.SIGWINCH:
				cols, rows := size(h.terminal)
				setSize(h.master, cols, rows)
			case syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT:
				o.HungUp, _ = s.(syscall.Signal)
				return true // which hangs up the program
			}
		}
	}
}

// died sets how the program has ended.
func (o *Outcome) died(status syscall.WaitStatus) {
	if o.Exit = status.ExitStatus(); status.Signaled() {
		o.Exit, o.Signal = 128+int(status.Signal()), signalName(status.Signal())
	}
}
