package mcp

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"sync"
)

// The bounds of what a server may write to its standard output.
const (
	maxLine     = 64 << 20 // one message, in bytes
	strayKept   = 3        // lines that are no messages
	strayBytes  = 4 << 10  // of each of them, before secrets are taken out
	strayLength = 200      // and of each that is shown
)

// messages reads the messages in a server's standard output: lines that begin
// an object. Others, such as a banner, are counted and dropped as they come.
// It ends at the end of the output, and at a line over maxLine.
type messages struct {
	src   *bufio.Reader
	ended func()
	once  sync.Once

	line     int  // bytes read of the present line
	dropping bool // the present line is no message

	mu    sync.Mutex
	count int      // lines that were no messages
	stray []string // the beginnings of the first of them
	long  bool     // a line was too long
}

// newMessages calls ended once, when there is nothing more to come.
func newMessages(src io.Reader, ended func()) *messages {
	return &messages{src: bufio.NewReaderSize(src, 16<<10), ended: ended}
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for {
		chunk, err := m.chunk(len(p))
		if err != nil {
			m.once.Do(m.ended)
			return 0, io.EOF
		}
		if !m.dropping {
			n := copy(p, chunk)
			m.advance(chunk[:n])
			return n, nil
		}
		m.advance(chunk)
	}
}

// chunk looks at up to limit bytes of the present line, without taking them.
func (m *messages) chunk(limit int) ([]byte, error) {
	if _, err := m.src.Peek(1); err != nil {
		return nil, err
	}
	chunk, _ := m.src.Peek(min(limit, m.src.Buffered()))
	if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
		chunk = chunk[:i+1]
	}
	if m.line == 0 {
		m.dropping = chunk[0] != '{' && chunk[0] != '\n' && chunk[0] != '\r' && chunk[0] != ' ' && chunk[0] != '\t'
		if m.dropping {
			m.note(chunk)
		}
	}
	if m.line+len(chunk) > maxLine && !m.dropping {
		m.mu.Lock()
		m.long = true
		m.mu.Unlock()
		return nil, io.EOF
	}
	return chunk, nil
}

// advance takes bytes of the present line.
func (m *messages) advance(chunk []byte) {
	m.line += len(chunk)
	if chunk[len(chunk)-1] == '\n' {
		m.line = 0
	}
	_, _ = m.src.Discard(len(chunk)) // they are buffered
}

func (m *messages) note(line []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	if len(m.stray) < strayKept {
		m.stray = append(m.stray, string(line[:min(len(line), strayBytes)]))
	}
}

// strays tells how many lines were no messages, and shows the first of them.
func (m *messages) strays() (count int, first []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count, slices.Clone(m.stray)
}

// tooLong tells whether the output ended at a line that was too long.
func (m *messages) tooLong() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.long
}
