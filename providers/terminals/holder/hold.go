package holder

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"ctxfs/providers/internal/confined"
	"ctxfs/providers/terminals/record"
)

// SocketFD is the descriptor on which a holder receives what to start.
const SocketFD = 3

// The size of the terminal of a command in the background, until a window is attached.
const (
	backgroundCols = 120
	backgroundRows = 40
)

// Hold runs a holder: it starts what it receives on [SocketFD], serves it, and
// returns when that has ended. Earlier errors are reported there too. The
// process must have a session of its own and do nothing else.
func Hold() error {
	// First, before anything is started: the program would inherit signals that
	// this process was started to ignore, as by nohup, and outlive its terminal.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT)
	first, err := fileLink(os.NewFile(SocketFD, "holder"))
	if err != nil {
		return err
	}
	m, err := first.next()
	if err != nil || m.Op != opStart || m.Spec == nil {
		return errors.Join(errors.New("there is no terminal to hold: start one with ctxfs term"), err)
	}
	fail := func(err error) error {
		failed := message{Op: opFailed, Text: NotStartedText(m.Spec.name(), err), Exit: NotStarted(err)}
		if without := (*Unrecorded)(nil); errors.As(err, &without) {
			failed.Op, failed.Text = opUnrecorded, without.Cause()
		}
		return errors.Join(err, first.send(failed, nil))
	}
	spec, file := m.Spec, first.file()
	source := record.Term
	switch {
	case spec.Background:
		source, m.Cols, m.Rows = record.Run, backgroundCols, backgroundRows
	case file == nil:
		return fail(unrecorded(errNoTerminal))
	}
	p, err := spec.prepare(source, m.Cols, m.Rows, nil)
	if err != nil {
		return fail(err)
	}
	defer p.cleanup()
	id := p.rec.ID()
	listener, end, err := spec.listen(id)
	if err != nil {
		err = unrecorded(err)
		p.abandon(err)
		return fail(err)
	}
	defer end()
	s, err := p.begin(nil, m.Cols, m.Rows)
	if err != nil {
		return fail(err)
	}
	_ = os.Chdir("/") // it must not keep a folder in use
	go func() {
		for range signals {
			s.hangUp()
		}
	}()
	go accept(listener, s)
	if spec.Background {
		_ = first.send(message{Op: opAttached, ID: p.rec.ID(), Dir: p.rec.Dir()}, nil) // it may be gone
		first.close()
	} else if v := s.enter(first, m, file, true); v != nil { // the first viewer sees everything
		go s.follow(v, first)
	}
	s.serve()
	return nil
}

// fileLink returns the link over an inherited socket.
func fileLink(f *os.File) (*link, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, errors.New("not a socket of ours")
	}
	return newLink(unixConn), nil
}

// accept serves clients that want to view the session. Those inside a read-only run of an
// agent may only look.
func accept(listener *net.UnixListener, s *session) {
	runs := confined.In(filepath.Dir(filepath.Dir(s.rec.Dir())))
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return
		}
		go func() {
			by := runs.Peer(conn)
			l := newLink(conn)
			m, err := l.next()
			file := l.file()
			if err == nil && m.Op == opType && file == nil {
				s.take(l, m.Text, by)
				return
			}
			if err != nil || m.Op != opAttach || file == nil {
				if file != nil {
					file.Close()
				}
				l.close()
				return
			}
			m.looks = by != nil
			if v := s.enter(l, m, file, false); v != nil {
				s.follow(v, l)
			}
		}()
	}
}

// enter shows the session to a client that asks for it; it returns nil if that
// fails.
func (s *session) enter(l *link, m message, file *os.File, first bool) *viewer {
	v := newViewer(s, file, m, func(m message) { _ = l.send(m, nil) })
	if err := s.attach(v, first); err != nil {
		v.told(message{Op: opFailed, Text: err.Error(), Exit: 1})
		file.Close()
		l.close()
		return nil
	}
	return v
}

// follow handles the messages of a viewer, until it leaves.
func (s *session) follow(v *viewer, l *link) {
	defer l.close()
	for {
		m, err := l.next()
		switch {
		case err != nil || m.Op == opDetach: // it was killed, or asks for it
			s.detach(v)
			return
		case m.Op == opResize:
			s.resize(v, m.Cols, m.Rows)
		}
	}
}
