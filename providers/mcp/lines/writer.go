package lines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ctxfs/providers/mcp/supervise"
)

// ErrDeaf reports that a server lets its standard input fill up.
var ErrDeaf = errors.New("the server does not read its standard input")

// piece is how much is written at once, in bytes. Each piece has a timeout of
// its own, so that a slow server may take its time for a long message.
const piece = 64 << 10

// Writer is a server's standard input. Messages are written one after the other. A
// server that reads none of it for longer than the limit is considered deaf.
type Writer struct {
	file   supervise.Input
	limit  time.Duration
	broken func(error)
	turn   chan struct{} // holds a value during a write
}

// NewWriter returns the standard input of a server. Broken is called after a write
// failed: the server may have received part of a message.
func NewWriter(file supervise.Input, limit time.Duration, broken func(error)) *Writer {
	return &Writer{file: file, limit: limit, broken: broken, turn: make(chan struct{}, 1)}
}

// Write implements io.Writer: one message.
func (s *Writer) Write(p []byte) (int, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.write(p)
}

// Close implements io.Closer. A write under way fails.
func (s *Writer) Close() error { return s.file.Close() }

// Send writes a message and waits until it is written or ctx ends. Begun reports
// whether the server may have received part of it. A partly written message is
// completed even after ctx has ended.
func (s *Writer) Send(ctx context.Context, message []byte) (begun bool, err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	type written struct {
		n   int
		err error
	}
	done := make(chan written, 1)
	go func() {
		n, err := s.write(message)
		<-s.turn
		done <- written{n, err}
	}()
	select {
	case w := <-done:
		return w.n > 0, w.err
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

func (s *Writer) write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if err = s.file.SetWriteDeadline(time.Now().Add(s.limit)); err != nil {
			break
		}
		var more int
		more, err = s.file.Write(p[n:min(n+piece, len(p))])
		n += more
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("%w: %w", ErrDeaf, err)
		s.broken(ErrDeaf)
	case err != nil:
		s.broken(nil)
	}
	return n, err
}
