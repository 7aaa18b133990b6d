package holder

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/creack/pty"

	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
)

// Lent is a recorded terminal for a program that another package starts: it can be
// viewed, attached to and typed into like any other.
type Lent struct {
	s        *session
	env      []string
	listener *net.UnixListener
	release  func()
	relayed  chan struct{}
	end      sync.Once
}

// Lend opens a terminal for the command of a Spec, which is not started, in a folder with
// an environment. Any error means that nothing can be recorded. Close ends it.
func Lend(spec Spec, dir string, environ []string) (l *Lent, err error) {
	l = &Lent{relayed: make(chan struct{})}
	tree, known := rand.Text(), mask.NewKnown(environ)
	rec, err := record.New(record.Options{
		Dir: spec.Dir, Name: spec.Name, Source: record.Run, Argv: spec.Argv, Cwd: dir, Cols: backgroundCols, Rows: backgroundRows,
		Background: true, Tree: tree, Limits: spec.Limits, Replay: spec.Replay, Mask: func() record.Masker { return known.Masker() },
	})
	if err != nil {
		return nil, unrecorded(err)
	}
	l.env = append(procs.Without(procs.Without(environ, TreeVariable), Variable), TreeVariable+"="+tree, Variable+"="+rec.ID())
	l.s = &session{rec: rec, cols: backgroundCols, rows: backgroundRows}
	master, slave, err := pty.Open()
	if err == nil {
		setSize(master, backgroundCols, backgroundRows)
		l.s.slave = slave
		l.s.master, err = waking(master)
		master.Close()
	}
	if err == nil {
		l.listener, l.release, err = spec.listen(rec.ID())
	}
	if err != nil {
		l.discard()
		return nil, unrecorded(fmt.Errorf("no terminal is available: %w", err))
	}
	l.s.settle = newSettler(rec)
	go accept(l.listener, l.s)
	go func() {
		defer close(l.relayed)
		procs.Relay(l.s.master, l.s.show)
	}()
	return l, nil
}

func (l *Lent) discard() {
	if l.s.master != nil {
		l.s.master.Close()
	}
	if l.s.slave != nil {
		l.s.slave.Close()
	}
	l.s.rec.Discard()
}

// ID returns the terminal's id, Dir the folder of its recording.
func (l *Lent) ID() string  { return l.s.rec.ID() }
func (l *Lent) Dir() string { return l.s.rec.Dir() }

// Log returns the path of the log.
func (l *Lent) Log() string { return fullLogPath(l.Dir()) }

// Slave is the side of the terminal that is the program's.
func (l *Lent) Slave() *os.File { return l.s.slave }

// Environ returns the environment for the program.
func (l *Lent) Environ() []string { return slices.Clone(l.env) }

// Started tells which process the program is.
func (l *Lent) Started(pid int) { l.s.rec.Started(pid) }

// Show shows and records output that the program has written elsewhere, to a pipe: a line
// feed also returns to the first column.
func (l *Lent) Show(p []byte) {
	out := make([]byte, 0, len(p)+len(p)/32)
	for _, b := range p {
		if b == '\n' {
			out = append(out, '\r')
		}
		out = append(out, b)
	}
	l.s.show(out)
}

// Close ends the terminal when the program has ended, with its exit code and the name of
// the signal that ended it, if one has. What it has shown is recorded then.
func (l *Lent) Close(exit int, signal string) {
	l.end.Do(func() {
		l.release()
		l.s.slave.Close()
		l.s.hungUp()
		<-l.relayed
		l.s.finish(exit, signal)
	})
}
