package quick

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// OpCommand is the name of the operation that answers a [Command].
const OpCommand = "command"

// IsCommand reports whether the background process answers a command line. Such a command only
// reads, and needs nothing of the process that gives it but what a [Command] has.
func IsCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "find", "status":
		return true
	case "here": // a folder may be another one there
		return !slices.ContainsFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, "--") })
	}
	return false
}

// Command is a command of the command line. Its texts go as base64, lists with a NUL after each element.
type Command struct {
	Args []byte `json:"args"`
	Env  []byte `json:"env"`
	// Dir is the working folder, and Folders are the device and inode of it and of each above, with a
	// colon between: sandboxes may see another folder by the same name.
	Dir     []byte `json:"dir"`
	Folders []byte `json:"folders"`
	PID     int64  `json:"pid"`
}

func (c Command) line() []byte {
	return line(OpCommand, []member{{"args", c.Args}, {"env", c.Env}, {"dir", c.Dir}, {"folders", c.Folders}}, "pid", c.PID)
}

// List returns a list of texts as it goes in a [Command], and Elements takes it apart.
func List(texts []string) []byte {
	var b []byte
	for _, t := range texts {
		b = append(append(b, t...), 0)
	}
	return b
}

// Elements returns the texts of a list.
func Elements(list []byte) []string {
	if len(list) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
}

// answerCommand has the background process answer the command, and exits, if that process runs
// this very program and answers within two seconds. Otherwise it returns, and the rest of the
// program runs the command: it waits, says why, or needs no process.
func answerCommand() {
	home, state := folders(os.Getenv)
	exe, err := os.Stat("/proc/self/exe")
	if home == "" || err != nil {
		return
	}
	ino := exe.Sys().(*syscall.Stat_t).Ino
	build := []byte(`"build":"` + strconv.FormatUint(ino, 10) + " " + strconv.FormatInt(exe.Size(), 10) + " " + strconv.FormatInt(exe.ModTime().UnixNano(), 10) + `"`)
	same := func(greeting []byte) bool { return bytes.Contains(greeting, build) }
	dir, err := syscall.Getwd() // not $PWD: with links, its parents are not those of the folder
	if err != nil || !strings.HasPrefix(dir, "/") {
		return
	}
	c := Command{Args: List(os.Args[1:]), Env: List(os.Environ()), Dir: []byte(dir), Folders: List(identities(dir)), PID: int64(os.Getpid())}
	for _, socket := range sockets(state) {
		reply, err := ask(socket, same, c.line(), syscall.Timeval{Sec: 2})
		if err == nil {
			reply.print()
		}
		if !nobodyListens(err) {
			return
		}
	}
}

// identities returns the device and inode of a folder and of each folder above it, up to the
// first that cannot be read.
func identities(dir string) (all []string) {
	for {
		var st syscall.Stat_t
		if syscall.Stat(dir, &st) != nil {
			return all
		}
		all = append(all, strconv.FormatUint(uint64(st.Dev), 10)+":"+strconv.FormatUint(st.Ino, 10))
		if dir == "/" {
			return all
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 1)]
	}
}
