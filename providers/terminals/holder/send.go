package holder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ctxfs/fs"
)

// typeTime is how long a program may take to read what is typed.
const typeTime = 5 * time.Second

// Type types a text into a running terminal, as if it was typed at an attached one. The
// error says what was not taken; it is ErrNotRunning if there is no such terminal.
func (r *Recording) Type(ctx context.Context, id, text string) error {
	conn, err := r.dial(id)
	if err != nil {
		return err
	}
	l := newLink(conn)
	defer l.close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := l.send(message{Op: opType, Text: text}, nil); err != nil {
		return errors.Join(ErrLost, err)
	}
	m, err := l.next()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return ErrLost
	case m.Op != opTyped:
		return &Fault{m.Text, m.Exit}
	}
	return nil
}

// take types a text for a client, and tells it how that went. By is what confines it, or nil.
func (s *session) take(l *link, text string, by *fs.Confined) {
	defer l.close()
	answer := message{Op: opTyped}
	if by != nil {
		answer = message{Op: opFailed, Exit: 1, Text: by.Error()}
	} else if left := s.typed([]byte(text), time.Now().Add(typeTime)); left > 0 {
		answer = message{Op: opFailed, Exit: 1, Text: fmt.Sprintf("the program does not read its terminal: %d of %d bytes were not taken", left, len(text))}
	}
	_ = l.send(answer, nil) // it may be gone
}

// typed writes to the program, which may be slow to read, and returns how many bytes were
// not taken by then.
func (s *session) typed(p []byte, until time.Time) (left int) {
	for len(p) > 0 && time.Now().Before(until) {
		_ = s.master.SetWriteDeadline(until)
		n, err := s.master.Write(p)
		p = p[n:]
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	return len(p)
}
