package holder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// message is what both sides send over the socket, one JSON object per line. The
// first message of a viewer comes with the descriptor of its terminal.
type message struct {
	Op   string `json:"op"`
	Spec *Spec  `json:"spec,omitempty"` // of start
	Cols int    `json:"cols,omitempty"` // of start, attach and resize
	Rows int    `json:"rows,omitempty"`
	Key  Key    `json:"key,omitzero"` // of start and attach: the key that detaches

	looks bool // of attach, by the holder: it comes from one who may not type
	// Sent by the holder:
	ID     string `json:"id,omitempty"`
	Dir    string `json:"dir,omitempty"`
	Exit   int    `json:"exit,omitempty"`
	Signal string `json:"signal,omitempty"`
	Text   string `json:"text,omitempty"`
}

// The operations of a viewer: opStart starts a terminal and views it, opAttach
// views one. opType types a Text, and views nothing.
const (
	opStart  = "start"
	opAttach = "attach"
	opType   = "type"
	opResize = "resize"
	opDetach = "detach"
)

// The operations of a holder. After opDetached, opExit, opFailed and
// opUnrecorded it no longer uses the viewer's terminal, which is restored.
const (
	opAttached = "attached"
	opDetached = "detached"
	opExit     = "exit"
	opFailed   = "failed"
	opTyped    = "typed"
	// opUnrecorded reports that nothing was started, since it could not be
	// recorded.
	opUnrecorded = "unrecorded"
)

// maxMessage is the longest line that is read, in bytes.
const maxMessage = 4 << 20

// link is one end of a socket. Sending is safe for concurrent use.
type link struct {
	conn  *net.UnixConn
	lines *bufio.Scanner
	files []*os.File // received and not taken yet

	mu sync.Mutex
}

func newLink(conn *net.UnixConn) *link {
	l := &link{conn: conn}
	l.lines = bufio.NewScanner(l)
	l.lines.Buffer(nil, maxMessage)
	return l
}

// Read reads bytes of lines, and keeps the descriptors that come with them.
func (l *link) Read(p []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4*4))
	n, rights, _, _, err := l.conn.ReadMsgUnix(p, oob)
	if rights > 0 {
		l.take(oob[:rights])
	}
	if n == 0 && err == nil {
		return 0, net.ErrClosed
	}
	return n, err
}

func (l *link) take(oob []byte) {
	all, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return
	}
	for i := range all {
		fds, err := syscall.ParseUnixRights(&all[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			l.files = append(l.files, os.NewFile(uintptr(fd), "terminal"))
		}
	}
}

// next returns the next message; an error means that the other side has closed
// the link.
func (l *link) next() (m message, err error) {
	if !l.lines.Scan() {
		return m, errors.Join(net.ErrClosed, l.lines.Err())
	}
	if err := json.Unmarshal(l.lines.Bytes(), &m); err != nil {
		return m, fmt.Errorf("not a message: %w", err)
	}
	return m, nil
}

// file returns the descriptor that came with the last message, nil without one.
func (l *link) file() (f *os.File) {
	for _, f = range l.files[:max(0, len(l.files)-1)] {
		f.Close()
	}
	if n := len(l.files); n > 0 {
		f = l.files[n-1]
	}
	l.files = nil
	return f
}

// send sends a message, with a descriptor if file is not nil.
func (l *link) send(m message, file *os.File) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if file == nil {
		_, err = l.conn.Write(text)
		return err
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var n int
	if e := raw.Control(func(fd uintptr) {
		n, _, err = l.conn.WriteMsgUnix(text, syscall.UnixRights(int(fd)), nil)
	}); e != nil {
		return e
	}
	if err == nil && n < len(text) {
		_, err = l.conn.Write(text[n:])
	}
	return err
}

func (l *link) close() {
	l.conn.Close()
	if f := l.file(); f != nil {
		f.Close()
	}
}
