package holder

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Outcome is how the viewing of a terminal ended.
type Outcome struct {
	ID  string // of the terminal
	Dir string // the terminal's folder
	// Detached reports whether the terminal continues. Otherwise its program has
	// exited, with the exit code Exit.
	Detached bool
	Exit     int
	Signal   string // that killed the program
	// Shown is the clean text that the command of quiet Streams has printed: if
	// it is longer than their limit, the beginning, the end, and where the
	// whole is.
	Shown []byte
	// HungUp is the signal that ended the viewing, 0 if none did.
	HungUp syscall.Signal
}

// Fault is what a holder reports if it cannot start the program.
type Fault struct {
	Text string
	Exit int // the exit code for it
}

func (f *Fault) Error() string { return f.Text }

// ErrLost reports that a holder was killed, and its terminal ended with it.
var ErrLost = errors.New("the process that held the terminal was killed")

var errBackground = errors.New("a job in the background cannot show a terminal")

// partingTime is how long a holder may take to return the viewer's terminal.
const partingTime = 5 * time.Second

// view hands the viewer's terminal over and waits. In any case the terminal is
// restored afterwards. It closes the link.
func view(ctx context.Context, l *link, terminal *os.File, hello message) (o Outcome, err error) {
	defer l.close()
	if inBackground(terminal) {
		return o, errBackground
	}
	file, err := openTerminal(terminal)
	if err != nil {
		return o, err
	}
	defer file.Close()
	was, err := getTermios(file)
	if err != nil {
		return o, err
	}
	if !signal.Ignored(syscall.SIGTTOU) {
		defer signal.Reset(syscall.SIGTTOU)
	}
	defer setTermios(file, was) // it may be gone
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP)
	defer signal.Stop(signals)
	signal.Ignore(syscall.SIGTTOU) // the terminal is restored also if another job has it

	hello.Cols, hello.Rows = size(file)
	if err := l.send(hello, file); err != nil {
		return o, errors.Join(ErrLost, err)
	}
	messages := make(chan message)
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		defer close(messages)
		for {
			m, err := l.next()
			if err != nil {
				return
			}
			select {
			case messages <- m:
			case <-gone:
				return
			}
		}
	}()
	var parting <-chan time.Time
	leave := func() {
		if parting == nil {
			parting = time.After(partingTime)
			_ = l.send(message{Op: opDetach}, nil)
		}
	}
	cancelled := ctx.Done()
	for {
		select {
		case m, ok := <-messages:
			if !ok {
				return o, ErrLost
			}
			if o.ID == "" {
				o.ID, o.Dir = m.ID, m.Dir
			}
			switch m.Op {
			case opExit:
				o.Exit, o.Signal = m.Exit, m.Signal
				return o, nil
			case opDetached:
				o.Detached = true
				return o, nil
			case opFailed:
				return o, &Fault{m.Text, m.Exit}
			case opUnrecorded:
				return o, unrecorded(errors.New(m.Text))
			}
		case s := <-signals:
			switch s {
			case syscall.SIGWINCH:
				cols, rows := size(file)
				_ = l.send(message{Op: opResize, Cols: cols, Rows: rows}, nil)
			case syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT:
				o.HungUp, _ = s.(syscall.Signal)
				leave()
			}
		case <-cancelled:
			cancelled = nil
			leave()
		case <-parting:
			return o, ErrLost
		}
	}
}
