// Package lines reads and writes messages over the standard output and input of a
// process, a line each.
package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"

	"ctxfs/providers/internal/rawjson"
)

// Limits on what a server writes to its standard output, and what is kept of it.
const (
	MaxLine    = 256 << 20 // one message, in bytes
	strayKept  = 3         // lines that are not messages
	strayBytes = 4 << 10   // of each of them, before secrets are taken out
)

// linePiece is the size in bytes of the pieces that a long line is collected in: a
// growing slice would take many times as much memory.
const linePiece = 1 << 20

// logHead is how far from its beginning a message says that it is a logging
// message, in bytes, as SDKs write them.
const logHead = 128

// LogMethod is the method of a logging message.
const LogMethod = "notifications/message"

// Reader reads the messages in a server's standard output: lines that begin an
// object. Other lines, such as a banner, are counted and dropped. Expected answers
// go to the goroutine that expects them, without a copy; all other messages are
// returned by Read. It ends at the end of the output, and at a line longer than
// MaxLine.
type Reader struct {
	src   *bufio.Reader
	ended func()
	once  sync.Once
	Done  chan struct{} // closed after ended was called

	// Asked is called with each request of the server, Logged with the parameters of
	// each logging message, and Unexpected with an answer to no request; all may hold
	// up the reader. They may be nil, and are set before the first Read.
	Asked, Unexpected func(Message)
	Logged            func(params json.RawMessage)
	// Floods reports whether a logging message of that many bytes is to be dropped,
	// so that it need not be taken apart. It may be nil.
	Floods func(size int) bool
	// Printed is called with each line that is not a message; it may be nil. It
	// is set before the first Read.
	Printed func(line string)

	pieces [][]byte // of the current line
	rest   []byte   // of the current line, for Read

	mu      sync.Mutex
	waiting map[string]chan<- Message // by id
	count   int                       // lines that were not messages
	stray   []string                  // the beginnings of the first of them
	long    bool                      // a line was too long
}

// NewReader returns a reader of src. Ended is called once, when nothing more
// will come.
func NewReader(src io.Reader, ended func()) *Reader {
	return &Reader{
		src: bufio.NewReaderSize(src, 16<<10), ended: ended, Done: make(chan struct{}),
		waiting: make(map[string]chan<- Message),
	}
}

// Read implements io.Reader.
func (m *Reader) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.next()
		if err != nil {
			m.End()
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

// End records that nothing more will come.
func (m *Reader) End() {
	m.once.Do(func() {
		m.ended()
		close(m.Done)
	})
}

// next returns the next message, with its end of line if it has one.
func (m *Reader) next() ([]byte, error) {
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
func (m *Reader) gather(part []byte) {
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
func (m *Reader) gathered() []byte {
	pieces := m.pieces
	m.pieces = nil
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// beginsMessage reports whether a line that begins with c may be a message or
// empty.
func beginsMessage(c byte) bool { return c == '{' || c == '\n' || c == '\r' || c == ' ' || c == '\t' }

// note records the beginning of a line that is not a message.
func (m *Reader) note(line []byte) {
	text := string(line[:min(len(line), strayBytes)])
	if m.Printed != nil {
		m.Printed(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	if len(m.stray) < strayKept {
		m.stray = append(m.stray, text)
	}
}

// Strays returns how many lines were not messages, and the first of them.
func (m *Reader) Strays() (count int, first []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count, slices.Clone(m.stray)
}

// TooLong reports whether the output ended at a line that was too long.
func (m *Reader) TooLong() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.long
}

// Expect makes the reader send the answer to the request with an id to a channel,
// which must have room for it.
func (m *Reader) Expect(id string, answer chan<- Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[id] = answer
}

// Forget drops the expectation of an answer.
func (m *Reader) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
}

// deliver hands a message to whom it is for, and reports whether it has: an answer
// to one of our requests, a request of the server, or a logging message. A late or
// second answer is dropped. The library would take all of them apart several times.
func (m *Reader) deliver(line []byte) bool {
	if m.Floods != nil && bytes.Contains(line[:min(len(line), logHead)], []byte(`"`+LogMethod+`"`)) && m.Floods(len(line)) {
		return true
	}
	is, ok := Read(line)
	if !ok {
		return false
	}
	id, ours := is.Ours()
	switch {
	case ours:
		m.mu.Lock()
		defer m.mu.Unlock()
		if to, ok := m.waiting[id]; ok {
			delete(m.waiting, id)
			to <- is
		}
		return true
	case m.Asked != nil && is.Asks():
		m.Asked(is)
		return true
	case m.Logged != nil && is.Method == LogMethod:
		m.Logged(is.Params)
		return true
	case m.Unexpected != nil && is.Method == "":
		m.Unexpected(is)
	}
	return false
}

// RequestPrefix is the prefix of the ids of our requests; the library's ids are
// numbers.
const RequestPrefix = "raw-"

// Message is one message of a server. Its fields are parts of the text, not
// copies.
type Message struct {
	ID     json.RawMessage // or nil
	Method string          // "" of an answer
	Params json.RawMessage
	Result json.RawMessage
	Fault  json.RawMessage // the error, or nil
}

// Read reads a message in one pass; ok reports whether it is one object.
func Read(text []byte) (m Message, ok bool) {
	ok = rawjson.Visit(text, func(name string, value json.RawMessage) {
		switch name {
		case "method":
			if json.Unmarshal(value, &m.Method) != nil {
				m.Method = "?" // whatever it is, it is no answer
			}
		case "id":
			m.ID = value
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Fault = value
		}
	})
	return m, ok
}

// Ours returns the id of our request that the message is the answer to.
func (m Message) Ours() (id string, ok bool) {
	if m.Method != "" || !bytes.HasPrefix(m.ID, []byte(`"`)) {
		return "", false
	}
	ok = json.Unmarshal(m.ID, &id) == nil && len(id) > len(RequestPrefix) && strings.HasPrefix(id, RequestPrefix)
	return id, ok
}

// Asks reports whether the message is a request of the server.
func (m Message) Asks() bool { return m.Method != "" && m.ID != nil && string(m.ID) != "null" }
