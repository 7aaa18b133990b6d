// Package hook is ctxfs hook as agents run it, at every turn and every call of a tool: it
// passes what the agent says to the background process, and prints what that answers.
//
// It is done before the libraries of the program are initialised, and even before most of
// the standard library: it imports next to nothing. Go initialises packages in the order of
// their import paths, as far as imports allow; package net, which waits for one of the last,
// comes after 8 ms of regular expressions. That is why this package speaks to the socket by
// system calls and writes its JSON itself, and does not stand in package early.
package hook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// Operation is the name of the operation that the background process answers, with a
	// [Request] and a [Reply].
	Operation = "hook"
	// Patience is how long the whole may take, unless the configuration gives another time.
	// An agent that waits longer is told nothing.
	Patience = time.Second
	// MaxInput is the limit in bytes for an input. The longest thing that agents send is the
	// output of a tool; of a longer one nothing is answered.
	MaxInput = 8 << 20
)

// Request is one run of a hook. Its texts go as base64, which needs no escapes.
type Request struct {
	// Agent and Event are the words of the command line, Input is standard input, Dir the
	// working folder.
	Agent []byte `json:"agent"`
	Event []byte `json:"event"`
	Input []byte `json:"input"`
	Dir   []byte `json:"dir"`
	// Home is the home folder, whose process is asked.
	Home []byte `json:"home"`
	// Timeout is how long the whole may take, in milliseconds.
	Timeout int64 `json:"timeout"`
}

// Reply is how the hook ends: what goes to standard output and standard error, and the exit
// code.
type Reply struct {
	Code int    `json:"code"`
	Out  []byte `json:"out"`
	Err  []byte `json:"err"`
}

// IsOwn reports whether the arguments of the program are those of a hook, and not a
// question for help or for what hooks have told.
func IsOwn(args []string) bool {
	return len(args) > 2 && args[1] == "hook" && !strings.HasPrefix(args[2], "-")
}

// init answers a hook and ends the program, unless the rest of it is needed: before and
// after a compaction, where no background process runs. That is then given the input
// again, and what is left of the time.
//
// Whatever fails, it prints nothing and exits with 0: another exit code, which is also
// that of a panic, may stop the agent.
func init() {
	if !IsOwn(os.Args) {
		return
	}
	defer func() {
		if recover() != nil {
			os.Exit(0)
		}
	}()
	over := time.AfterFunc(Patience, func() { os.Exit(0) })
	config, _ := os.ReadFile(configOf(os.Getenv))
	timeout := timeoutOf(config)
	over.Reset(timeout)
	if answered, reply := run(os.Args[2:], timeout); answered {
		// Not by os.File: a reader that has gone would be the end by a signal.
		_, _ = syscall.Write(2, reply.Err)
		writeAll(1, reply.Out)
		os.Exit(reply.Code)
	}
}

// configOf returns the path of the configuration, as package places finds it.
func configOf(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if !strings.HasPrefix(base, "/") {
		base = getenv("HOME") + "/.config"
	}
	return base + "/ctxfs/config.toml"
}

// timeoutOf returns how long the whole may take: what the key timeout of the table [hooks]
// says, on a line of its own. Reading TOML takes libraries; package hooks, which does, reports
// a value that is none.
func timeoutOf(config []byte) time.Duration {
	table := ""
	for line := range bytes.Lines(config) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "[") {
			table, _, _ = strings.Cut(text, "]")
		}
		key, value, _ := strings.Cut(text, "=")
		if value = strings.TrimSpace(value); table != "[hooks" || strings.TrimSpace(key) != "timeout" || value == "" {
			continue
		}
		value, _, _ = strings.Cut(value[1:], value[:1])
		if d, err := time.ParseDuration(value); err == nil && d > 0 {
			return d
		}
	}
	return Patience
}

// run passes a hook on. Answered is false if the rest of the program is needed.
func run(args []string, timeout time.Duration) (answered bool, reply Reply) {
	if info, err := os.Stdin.Stat(); err != nil {
		return true, Reply{}
	} else if info.Mode()&os.ModeCharDevice != 0 {
		return false, Reply{} // a terminal, or /dev/null
	}
	home, state := folders(os.Getenv)
	input, ok := readInput()
	if home == "" || !ok {
		return true, Reply{}
	}
	r := Request{Agent: []byte(args[0]), Input: input, Home: []byte(home), Timeout: timeout.Milliseconds()}
	if len(args) > 1 {
		r.Event = []byte(args[1])
	}
	if dir, err := os.Getwd(); err == nil {
		r.Dir = []byte(dir)
	}
	for _, socket := range sockets(state) {
		reply, err := ask(socket, r)
		if err == nil {
			return true, reply
		}
		if !nobodyListens(err) {
			return true, Reply{}
		}
	}
	if strings.Contains(strings.ToLower(string(r.Event)), "compact") || bytes.Contains(input, []byte("ompact")) {
		return !again(input), Reply{}
	}
	return true, Reply{} // without a process nothing else is answered
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

// readInput reads standard input. Ok is false if it is too long or cannot be read.
func readInput() (input []byte, ok bool) {
	var text bytes.Buffer
	chunk := make([]byte, 64<<10)
	for text.Len() <= MaxInput {
		n, err := syscall.Read(0, chunk)
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
			continue
		case err != nil:
			return nil, false
		case n == 0:
			return text.Bytes(), true
		}
		text.Write(chunk[:n])
	}
	return nil, false
}

// again makes an input standard input again, and reports whether it could.
func again(input []byte) bool {
	r, w, err := os.Pipe()
	if err != nil {
		return false
	}
	go func() {
		_, _ = w.Write(input) // the reader may not want it all
		w.Close()
	}()
	os.Stdin = r
	return true
}

// errReply is a reply that cannot be read, or none.
var errReply = errors.New("no reply")

func nobodyListens(err error) bool {
	for _, e := range []error{syscall.ENOENT, syscall.ECONNREFUSED, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENOTSOCK} {
		if err == e {
			return true
		}
	}
	return false
}

// ask asks the process that listens at a path, as package control describes the
// conversation: first the greeting comes, then goes the request.
func ask(path string, r Request) (Reply, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return Reply{}, err
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return Reply{}, err
	}
	if _, ok := readLine(fd); !ok || !writeAll(fd, r.line()) {
		return Reply{}, errReply
	}
	line, ok := readLine(fd)
	if !ok {
		return Reply{}, errReply
	}
	return readReply(line), nil
}

// line is the request as JSON.
func (r Request) line() []byte {
	line := []byte(`{"op":"` + Operation + `","args":{`)
	for i, member := range []struct {
		name string
		text []byte
	}{{"agent", r.Agent}, {"event", r.Event}, {"input", r.Input}, {"dir", r.Dir}, {"home", r.Home}} {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, `"`+member.name+`":"`...)
		line = base64.StdEncoding.AppendEncode(line, member.text)
		line = append(line, '"')
	}
	line = append(line, `,"timeout":`...)
	line = strconv.AppendInt(line, r.Timeout, 10)
	return append(line, "}}\n"...)
}

// readReply reads a line with a reply, whose texts are base64. Of a line with a fault
// nothing is found.
func readReply(line []byte) (r Reply) {
	r.Out, r.Err = member(line, `"out":"`), member(line, `"err":"`)
	if bytes.Contains(line, []byte(`"code":2,`)) && len(r.Err) > 0 {
		r.Code = 2
	}
	return r
}

func member(line []byte, name string) []byte {
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
