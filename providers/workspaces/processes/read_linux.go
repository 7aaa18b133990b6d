package processes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// clockTick is the unit of times in /proc: USER_HZ is 100 for all programs.
	clockTick = 10 * time.Millisecond
	// maxText is how much is read of a command line or an environment, in bytes.
	maxText = 256 << 10
	// maxFiles is at how many open files of a process is looked for sockets.
	maxFiles = 4096
)

// Read returns the processes that were started in folders and still run, by what Place
// returns for these. It makes one pass over /proc for all of them. What belongs to other
// users is left out unless the system shows it.
//
// Sources: proc_pid_stat(5), proc_pid_cwd(5), proc_pid_environ(5), proc_pid_net(5).
func Read(opts Options) (map[string][]Process, error) {
	pass := pass{opts: opts, self: identity("/proc/self/exe"), boot: bootTime(), tables: make(map[string]sockets)}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pass.look(pid)
		}
	}
	return pass.finish(), nil
}

// pass is one pass over all processes.
type pass struct {
	opts    Options
	self    fileID
	boot    time.Time
	parents map[int]int
	found   []foundProcess
	tables  map[string]sockets // by network namespace
}

// foundProcess is a process in one of the folders.
type foundProcess struct {
	candidate
	place string
	tick  uint64 // when it was started, exactly
}

// look looks at one process. One that ends meanwhile is left out.
func (p *pass) look(pid int) {
	s, ok := readStat(pid)
	if !ok {
		return
	}
	if p.parents == nil {
		p.parents = make(map[int]int)
	}
	p.parents[pid] = s.parent
	since := p.boot.Add(time.Duration(s.began) * clockTick)
	if s.state == 'Z' || p.opts.Now().Sub(since) < settled {
		return
	}
	place, environment := p.placeOf(pid)
	if place == "" || identity(inProc(pid, "exe")) == p.self {
		return
	}
	argv := splitNul(readText(inProc(pid, "cmdline")))
	if len(argv) == 0 {
		return
	}
	if environment == nil {
		environment = splitNul(readText(inProc(pid, "environ")))
	}
	terminal := variable(environment, terminalVariable)
	if terminal == "" {
		terminal = terminalName(s.terminal)
	}
	known := Process{PID: pid, Terminal: oneWord(terminal), Since: since.Truncate(time.Second).UTC(), parent: s.parent}
	p.found = append(p.found, foundProcess{candidate{known, argv}, place, s.began})
}

// placeOf returns for which folder a process is listed: by the folder in which it is, or
// else by that in which it was started, if it has left that as daemons do. The environment
// is returned if it was read.
func (p *pass) placeOf(pid int) (place string, environment []string) {
	dir, err := os.Readlink(inProc(pid, "cwd"))
	if err != nil {
		return "", nil
	}
	if place := p.opts.Place(dir); place != "" {
		if here := identity(dir); here != (fileID{}) && here == identity(inProc(pid, "cwd")) { // not one of that name in a container
			return place, nil
		}
		return "", nil
	}
	if dir != "/" {
		return "", nil
	}
	environment = splitNul(readText(inProc(pid, "environ")))
	if started := variable(environment, "PWD"); filepath.IsAbs(started) {
		return p.opts.Place(filepath.Clean(started)), environment
	}
	return "", environment
}

// finish finds out where the processes listen, and returns them by folder.
func (p *pass) finish() map[string][]Process {
	p.found = slices.DeleteFunc(p.found, func(f foundProcess) bool { return p.isOwn(f.PID) })
	slices.SortFunc(p.found, func(a, b foundProcess) int { return cmp.Compare(a.tick, b.tick) }) // the oldest holds a shared socket
	places, taken := make(map[string][]candidate), make(map[uint64]bool)
	for _, f := range p.found {
		f.Listens, f.Command = p.listens(f.PID, taken), commandLine(f.argv)
		places[f.place] = append(places[f.place], f.candidate)
	}
	listed := make(map[string][]Process)
	for place, all := range places {
		if kept := sift(all); len(kept) > 0 {
			listed[place] = kept
		}
	}
	return listed
}

// isOwn reports whether a process is our own, or was started by it.
func (p *pass) isOwn(pid int) bool {
	const deepest = 1000
	for range deepest {
		if pid == 0 {
			return false
		}
		if pid == p.opts.Own {
			return true
		}
		pid = p.parents[pid]
	}
	return false
}

// stat is what is needed of /proc/<pid>/stat.
type stat struct {
	state    byte
	parent   int
	terminal int    // its device number
	began    uint64 // in clock ticks since the system was started
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile(inProc(pid, "stat"))
	if err != nil {
		return stat{}, false
	}
	return parseStat(text)
}

func parseStat(text []byte) (s stat, ok bool) {
	end := bytes.LastIndexByte(text, ')') // the name may contain anything
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 20 {
		return s, false
	}
	s.state = fields[0][0]
	s.parent, _ = strconv.Atoi(fields[1])
	s.terminal, _ = strconv.Atoi(fields[4])
	s.began, _ = strconv.ParseUint(fields[19], 10, 64)
	return s, true
}

// terminalName returns the name of a terminal by its device number; "" for none. Source:
// Documentation/admin-guide/devices.txt of the kernel: 136 to 143 are /dev/pts.
func terminalName(device int) string {
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	switch {
	case device == 0:
		return ""
	case major >= 136 && major <= 143:
		return fmt.Sprintf("pts/%d", (major-136)<<8|minor)
	case major == 4 && minor < 64:
		return fmt.Sprintf("tty%d", minor)
	}
	return ""
}

// bootTime returns when the system was started, to the second.
func bootTime() time.Time {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	_, after, _ := bytes.Cut(text, []byte("\nbtime "))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	n, _ := strconv.ParseInt(string(line), 10, 64)
	return time.Unix(n, 0)
}

// fileID says which file a path leads to.
type fileID struct{ device, inode uint64 }

func inProc(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

// readText returns the beginning of a file in /proc; nil if it cannot be read.
func readText(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return text
}

func splitNul(text []byte) []string {
	text = bytes.TrimRight(text, "\x00")
	if len(text) == 0 {
		return nil
	}
	return strings.Split(string(text), "\x00")
}

// variable returns the value of a variable in an environment; "" if it is not set.
func variable(environment []string, name string) string {
	for _, e := range environment {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
