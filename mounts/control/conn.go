package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	iofs "io/fs"
	"net"
	"syscall"

	"ctxfs/fs"
)

// Conn is the server's side of a conversation.
type Conn struct {
	conn  net.Conn
	lines *bufio.Reader
	op    string
	args  json.RawMessage
	by    *fs.Confined
}

// Receive greets a client and waits for its request.
func (s *Seat) Receive(conn net.Conn) (*Conn, error) {
	c := &Conn{conn: conn, lines: bufio.NewReader(conn)}
	hello := greeting{Pid: s.Record.Pid, Version: s.Record.Version, Home: s.Record.Home, Program: s.Record.Program, Build: s.Record.Build}
	if writeLine(conn, hello) != nil {
		return nil, io.EOF // the client has left
	}
	line, err := c.lines.ReadBytes('\n')
	if errors.Is(err, syscall.ECONNRESET) {
		err = io.EOF // the client left without reading the greeting
	}
	if err != nil {
		return nil, err
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	c.op, c.args, c.by = r.Op, r.Args, r.Confined
	return c, nil
}

// Op returns the name of the operation that the client asks for.
func (c *Conn) Op() string { return c.op }

// Confined returns what the client says that confines the one for whom it asks, or nil.
func (c *Conn) Confined() *fs.Confined { return c.by }

// AwaitEnd returns when the client has left. Nothing more is read from it.
func (c *Conn) AwaitEnd() { _, _ = c.lines.ReadByte() }

// HasLeft reports whether the client has closed its end, or has ended.
func (c *Conn) HasLeft() bool {
	socket, ok := c.conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	left := false
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		left = n == 0 && err == nil || errors.Is(err, syscall.ECONNRESET)
	})
	return left || err != nil
}

// Fail sends an error as the last reply.
func (c *Conn) Fail(err error) error { return writeLine(c.conn, reply{Fault: FaultOf(err)}) }

// Args decodes the request's arguments.
func (c *Conn) Args(into any) error {
	if len(c.args) == 0 {
		return nil
	}
	return json.Unmarshal(c.args, into)
}

// Progress sends a reply that is not the last.
func (c *Conn) Progress(value any) error { return c.send(value, true) }

// Reply sends the last reply. Write may follow it.
func (c *Conn) Reply(value any) error { return c.send(value, false) }

// Write sends raw bytes after the last reply.
func (c *Conn) Write(p []byte) (int, error) { return c.conn.Write(p) }

func (c *Conn) send(value any, more bool) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeLine(c.conn, reply{Value: body, More: more})
}

// writeLine writes a value as a line of JSON.
func writeLine(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Fault is an error for people: what is wrong, and how to fix it. It passes over
// the control socket unchanged.
type Fault struct {
	Message string `json:"message"`
	// Hint is a line of its own, usually a command; it may be empty.
	Hint string `json:"hint,omitempty"`
	// Missing reports that what was asked for does not exist.
	Missing bool `json:"missing,omitempty"`
	// Denied reports that the caller may only read, see [fs.Confined].
	Denied bool `json:"denied,omitempty"`
}

func (f *Fault) Error() string { return f.Message }

// Fix returns the Hint: what to do about the fault.
func (f *Fault) Fix() string { return f.Hint }

// Is reports whether the fault is that something does not exist, or is not allowed.
func (f *Fault) Is(target error) bool {
	return f.Missing && target == iofs.ErrNotExist || f.Denied && target == iofs.ErrPermission
}

// FaultOf returns an error as a Fault. An error with a method Fix() string says
// what to do about it.
func FaultOf(err error) *Fault {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return f
	}
	confined := (*fs.Confined)(nil)
	f := &Fault{Message: err.Error(), Missing: errors.Is(err, iofs.ErrNotExist), Denied: errors.As(err, &confined)}
	if fixed := (interface {
		error
		Fix() string
	})(nil); errors.As(err, &fixed) {
		f.Hint = fixed.Fix()
	}
	return f
}
