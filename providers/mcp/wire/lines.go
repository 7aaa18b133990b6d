package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// Limits on what a server writes to its standard output, and what is kept of it.
const (
	MaxLine     = 256 << 20 // one message, in bytes
	strayKept   = 3         // lines that are not messages
	strayBytes  = 4 << 10   // of each of them, before secrets are taken out
	strayLength = 200       // and of each that is shown
)

// linePiece is the size in bytes of the pieces that a long line is collected in: a
// growing slice would take many times as much memory.
const linePiece = 1 << 20

// logHead is how far from its beginning a message says that it is a logging
// message, in bytes, as SDKs write them.
const logHead = 128

// messages reads the messages in a server's standard output: lines that begin an
// object. Other lines, such as a banner, are counted and dropped. Expected answers
// go to the goroutine that expects them, without a copy; all other messages are
// returned by Read. It ends at the end of the output, and at a line longer than
// MaxLine.
type messages struct {
	src   *bufio.Reader
	ended func()
	once  sync.Once
	done  chan struct{} // closed after ended was called

	// asked is called with each request of the server, and logged with the
	// parameters of each logging message; both may hold up the reader. They may be
	// nil, and are set before the first Read.
	asked  func(incoming)
	logged func(params json.RawMessage)
	// floods reports whether a logging message of that many bytes is to be dropped,
	// so that it need not be taken apart. It may be nil.
	floods func(size int) bool
	// printed is called with each line that is not a message; it may be nil. It
	// is set before the first Read.
	printed func(line string)

	discovered atomic.Bool // an answer to server/discover has come

	pieces [][]byte // of the current line
	rest   []byte   // of the current line, for Read

	mu      sync.Mutex
	waiting map[string]chan<- message // by id
	count   int                       // lines that were not messages
	stray   []string                  // the beginnings of the first of them
	long    bool                      // a line was too long
}

// newMessages returns a reader of src. Ended is called once, when nothing more
// will come.
func newMessages(src io.Reader, ended func()) *messages {
	return &messages{
		src: bufio.NewReaderSize(src, 16<<10), ended: ended, done: make(chan struct{}),
		waiting: make(map[string]chan<- message),
	}
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.next()
		if err != nil {
			m.end()
			return 0, io.EOF
		}
		if !m.deliver(line) {
			m.rest = line
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// end records that nothing more will come.
func (m *messages) end() {
	m.once.Do(func() {
		m.ended()
		close(m.done)
	})
}

// next returns the next message, with its end of line if it has one.
func (m *messages) next() ([]byte, error) {
	size, dropping := 0, false
	for {
		part, err := m.src.ReadSlice('\n')
		if size == 0 && !dropping && len(part) > 0 && !beginsMessage(part[0]) {
			dropping = true
			m.note(part)
		}
		if !dropping {
			if size += len(part); size > MaxLine {
				m.mu.Lock()
				m.long = true
				m.mu.Unlock()
				m.pieces = nil
				return nil, io.EOF
			}
			m.gather(part)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err == nil && dropping:
			dropping = false
		case err == nil, size > 0:
			return m.gathered(), nil
		default:
			return nil, err
		}
	}
}

// gather adds a part to the current line.
func (m *messages) gather(part []byte) {
	last := len(m.pieces) - 1
	if last < 0 || len(m.pieces[last])+len(part) > linePiece {
		m.pieces = append(m.pieces, nil)
		last++
		if last > 0 {
			m.pieces[last] = make([]byte, 0, linePiece)
		}
	}
	m.pieces[last] = append(m.pieces[last], part...)
}

// gathered returns the current line and begins the next one.
func (m *messages) gathered() []byte {
	pieces := m.pieces
	m.pieces = nil
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// beginsMessage reports whether a line that begins with c may be a message or
// empty.
func beginsMessage(c byte) bool {
	return c == '{' || c == '\n' || c == '\r' || c == ' ' || c == '\t'
}

// note records the beginning of a line that is not a message.
func (m *messages) note(line []byte) {
	text := string(line[:min(len(line), strayBytes)])
	if m.printed != nil {
		m.printed(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	if len(m.stray) < strayKept {
		m.stray = append(m.stray, text)
	}
}

// strays returns how many lines were not messages, and the first of them.
func (m *messages) strays() (count int, first []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count, slices.Clone(m.stray)
}

// tooLong reports whether the output ended at a line that was too long.
func (m *messages) tooLong() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.long
}

// expect makes the reader send the answer to the request with an id to a channel,
// which must have room for it.
func (m *messages) expect(id string, answer chan<- message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[id] = answer
}

// forget drops the expectation of an answer.
func (m *messages) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
}

// deliver hands a message to whom it is for, and reports whether it has: an answer
// to one of our requests, a request of the server, or a logging message. A late or
// second answer is dropped. The library would take all of them apart several times.
func (m *messages) deliver(line []byte) bool {
	if m.floods != nil && bytes.Contains(line[:min(len(line), logHead)], []byte(`"`+notificationMessage+`"`)) && m.floods(len(line)) {
		return true
	}
	is, ok := readMessage(line)
	if !ok {
		return false
	}
	id, ours := is.ours()
	switch {
	case ours:
		m.mu.Lock()
		defer m.mu.Unlock()
		if to, ok := m.waiting[id]; ok {
			delete(m.waiting, id)
			to <- is
		}
		return true
	case m.asked != nil && is.method != "" && is.id != nil && string(is.id) != "null":
		m.asked(incoming{id: is.id, method: is.method, params: is.params})
		return true
	case m.logged != nil && is.method == notificationMessage:
		m.logged(is.params)
		return true
	case is.method == "" && isDiscovery(is.result):
		m.discovered.Store(true)
	}
	return false
}
