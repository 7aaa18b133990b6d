// Package quick has the background process answer commands, and prints the answers: the hooks
// that agents run at every turn and every tool call, and the commands that agents run most, such
// as ctxfs find.
//
// It runs before the libraries of the program are initialised, and even before most of
// the standard library: it imports next to nothing. Go initialises packages in the order of
// their import paths, as far as imports allow; package net, which waits for one of the last,
// comes after 8 ms of regular expressions. That is why this package speaks to the socket by
// system calls and writes its JSON itself, and does not stand in package early.
package quick

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Reply is how a command ends: what goes to standard output and standard error, and the exit
// code.
type Reply struct {
	Code int    `json:"code"`
	Out  []byte `json:"out"`
	Err  []byte `json:"err"`
}

// init answers a command and exits, unless the command needs the rest of the program.
func init() {
	switch {
	case IsHook(os.Args):
		answerHook()
	case IsCommand(os.Args[1:]):
		answerCommand()
	}
}

// print prints the reply and exits. It does not use os.File, whose writes to a closed pipe end the
// process by a signal.
func (r Reply) print() {
	_, _ = syscall.Write(2, r.Err)
	writeAll(1, r.Out)
	os.Exit(r.Code)
}

// folders returns the user's home folder and the state folder, as package places finds
// them; home is "" if it is not known.
func folders(getenv func(string) string) (home, state string) {
	home = getenv("HOME")
	if !strings.HasPrefix(home, "/") {
		return "", ""
	}
	if base := getenv("XDG_STATE_HOME"); strings.HasPrefix(base, "/") {
		return home, base + "/ctxfs"
	}
	return home, home + "/.local/state/ctxfs"
}

// sockets returns where the process may have its socket, as package control finds it: in the
// state folder, or in a folder of the user that stands in for it.
func sockets(state string) []string {
	const name = "/daemon.sock"
	all := []string{state + name}
	own := "/tmp/ctxfs-" + strconv.Itoa(os.Getuid())
	if !isOwn(own) {
		return all
	}
	var st syscall.Stat_t
	folders := []string{own + "/" + key(realPath(state))}
	if syscall.Stat(state, &st) == nil {
		folders = append([]string{own + "/" + key(strconv.FormatUint(uint64(st.Dev), 10)+":"+strconv.FormatUint(st.Ino, 10))}, folders...)
	}
	for _, folder := range folders {
		if isOwn(folder) {
			all = append(all, folder+name)
		}
	}
	return all
}

// isOwn reports whether a folder exists and is the user's alone.
func isOwn(folder string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(folder, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR && st.Uid == uint32(os.Getuid())
}

// key is the FNV-1a sum by which a folder is named that stands in for another one.
func key(s string) string {
	sum := uint64(14695981039346656037)
	for i := range len(s) {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return strconv.FormatUint(sum, 16)
}

// realPath resolves the links in a path as far as it exists. Package path/filepath comes
// after much else; where there is no /proc, links stay.
func realPath(path string) string {
	rest := ""
	for dir := path; dir != ""; {
		if f, err := os.Open(dir); err == nil {
			defer f.Close()
			if real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd()))); err == nil {
				return real + rest
			}
			return path
		}
		i := strings.LastIndexByte(dir, '/')
		dir, rest = dir[:max(i, 0)], dir[max(i, 0):]+rest
	}
	return path
}

// errReply is a reply that cannot be read, or none.
var errReply = errors.New("no reply")

func nobodyListens(err error) bool {
	switch err {
	case syscall.ENOENT, syscall.ECONNREFUSED, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENOTSOCK:
		return true
	}
	return false
}

// ask asks the process that listens at a path, as package control describes the
// conversation: first the greeting comes, then goes the request, if the greeting is as wanted.
func ask(path string, wanted func(greeting []byte) bool, request []byte, patience syscall.Timeval) (Reply, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return Reply{}, err
	}
	defer syscall.Close(fd)
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &patience); err != nil {
		return Reply{}, err
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return Reply{}, err
	}
	if greeting, ok := readLine(fd); !ok || !wanted(greeting) || !writeAll(fd, request) {
		return Reply{}, errReply
	}
	line, ok := readLine(fd)
	if !ok {
		return Reply{}, errReply
	}
	if reply, ok := readReply(line); ok {
		return reply, nil
	}
	return Reply{}, errReply
}

// member is an argument of a request that is a text.
type member struct {
	name string
	text []byte
}

// line returns a request as JSON: an operation, whose arguments are texts and a number.
func line(operation string, texts []member, number string, value int64) []byte {
	line := []byte(`{"op":"` + operation + `","args":{`)
	for _, m := range texts {
		line = append(line, `"`+m.name+`":"`...)
		line = base64.StdEncoding.AppendEncode(line, m.text)
		line = append(line, `",`...)
	}
	line = append(line, `"`+number+`":`...)
	line = strconv.AppendInt(line, value, 10)
	return append(line, "}}\n"...)
}

// readReply reads a line with a reply, whose texts are base64. It reports false for one with a fault.
func readReply(line []byte) (r Reply, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"value":{"code":`))
	if !ok {
		return Reply{}, false
	}
	code, _, _ := bytes.Cut(rest, []byte{','})
	r.Code, _ = strconv.Atoi(string(code))
	r.Out, r.Err = textOf(line, `"out":"`), textOf(line, `"err":"`)
	return r, true
}

// textOf returns a member of a reply.
func textOf(line []byte, name string) []byte {
	_, after, ok := bytes.Cut(line, []byte(name))
	value, _, closed := bytes.Cut(after, []byte{'"'})
	if !ok || !closed {
		return nil
	}
	text, err := base64.StdEncoding.AppendDecode(nil, value)
	if err != nil {
		return nil
	}
	return text
}

// readLine reads a line. More than the line does not come.
func readLine(fd int) (line []byte, ok bool) {
	chunk := make([]byte, 16<<10)
	for len(line) <= 2*MaxInput {
		n, err := syscall.Read(fd, chunk)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || n == 0:
			return nil, false
		}
		line = append(line, chunk[:n]...)
		if line[len(line)-1] == '\n' {
			return line, true
		}
	}
	return nil, false
}

// writeAll writes to a descriptor, and reports whether it could.
func writeAll(fd int, text []byte) bool {
	for len(text) > 0 {
		n, err := syscall.Write(fd, text)
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
			continue
		case err != nil:
			return false
		}
		text = text[n:]
	}
	return true
}
