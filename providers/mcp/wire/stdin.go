package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ctxfs/providers/mcp/supervise"
)

// errDeaf reports that a server lets its standard input fill up.
var errDeaf = errors.New("the server does not read its standard input")

// stdinPiece is how much is written at once, in bytes. Each piece has a timeout of
// its own, so that a slow server may take its time for a long message.
const stdinPiece = 64 << 10

// stdin is a server's standard input. Messages are written one after the other. A
// server that reads none of it for longer than the limit is considered deaf.
type stdin struct {
	file  supervise.Input
	limit time.Duration
	// broken is called after a write failed: the server may have received part
	// of a message.
	broken func(error)
	turn   chan struct{} // holds a value during a write
}

func newStdin(file supervise.Input, limit time.Duration, broken func(error)) *stdin {
	return &stdin{file: file, limit: limit, broken: broken, turn: make(chan struct{}, 1)}
}

// Write implements io.Writer: one message.
func (s *stdin) Write(p []byte) (int, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.write(p)
}

// Close implements io.Closer. A write under way fails.
func (s *stdin) Close() error { return s.file.Close() }

// send writes a message and waits until it is written or ctx ends. Begun reports
// whether the server may have received part of it. A partly written message is
// completed even after ctx has ended.
func (s *stdin) send(ctx context.Context, message []byte) (begun bool, err error) {
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

func (s *stdin) write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if err = s.file.SetWriteDeadline(time.Now().Add(s.limit)); err != nil {
			break
		}
		var more int
		more, err = s.file.Write(p[n:min(n+stdinPiece, len(p))])
		n += more
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("%w: %w", errDeaf, err)
		s.broken(errDeaf)
	case err != nil:
		s.broken(nil)
	}
	return n, err
}
