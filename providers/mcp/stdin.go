package mcp

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// errDeaf says that a server lets its standard input fill up.
var errDeaf = errors.New("the server does not read its standard input")

// stdin is a server's standard input. Who writes to it holds up others, and
// listens to no context: a write that takes longer than the limit fails.
type stdin struct {
	*os.File
	limit time.Duration
	// broken is called after a write failed: the server may have got half a
	// message.
	broken func(error)
}

// Write implements io.Writer.
func (s *stdin) Write(p []byte) (int, error) {
	err := s.SetWriteDeadline(time.Now().Add(s.limit))
	n := 0
	if err == nil {
		n, err = s.File.Write(p)
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
