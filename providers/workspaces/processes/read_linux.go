package processes

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/sockets"
)

const (
	// clockTick is the unit of times in /proc: USER_HZ is 100 for all programs.
	clockTick = 10 * time.Millisecond
)

// Read returns the processes that were started in folders and still run, by what Place
// returns for these. It makes one pass over /proc for all of them. What belongs to other
// users is left out unless the system shows it.
//
// Sources: proc_pid_stat(5), proc_pid_cwd(5), proc_pid_environ(5), proc_pid_net(5).
func Read(opts Options) (map[string][]Process, error) {
	pass := pass{opts: opts, self: identity("/proc/self/exe"), boot: bootTime()}
	all, err := procs.All()
	if err != nil {
		return nil, err
	}
	for _, pid := range all {
		pass.look(pid)
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
}

// foundProcess is a process in one of the folders.
type foundProcess struct {
	candidate
	place string
	tick  uint64 // when it was started, exactly
}

// look looks at one process. One that ends meanwhile is left out.
func (p *pass) look(pid int) {
	s, ok := procs.ReadStat(pid)
	if !ok {
		return
	}
	if p.parents == nil {
		p.parents = make(map[int]int)
	}
	p.parents[pid] = s.Parent
	since := p.boot.Add(time.Duration(s.Began) * clockTick)
	if s.State == 'Z' || p.opts.Now().Sub(since) < settled {
		return
	}
	place, environment := p.placeOf(pid)
	if place == "" || identity(procs.Path(pid, "exe")) == p.self {
		return
	}
	argv := procs.Args(pid)
	if len(argv) == 0 {
		return
	}
	if environment == nil {
		environment = procs.Environ(pid)
	}
	terminal := procs.Variable(environment, terminalVariable)
	if terminal == "" {
		terminal = terminalName(s.Terminal)
	}
	known := Process{PID: pid, Terminal: oneWord(terminal), Since: since.Truncate(time.Second).UTC(), parent: s.Parent}
	p.found = append(p.found, foundProcess{candidate{known, argv}, place, s.Began})
}

// placeOf returns for which folder a process is listed: by the folder in which it is, or
// else by that in which it was started, if it has left that as daemons do. The environment
// is returned if it was read.
func (p *pass) placeOf(pid int) (place string, environment []string) {
	dir, err := os.Readlink(procs.Path(pid, "cwd"))
	if err != nil {
		return "", nil
	}
	if place := p.opts.Place(dir); place != "" {
		if here := identity(dir); here != (fileID{}) && here == identity(procs.Path(pid, "cwd")) { // not one of that name in a container
			return place, nil
		}
		return "", nil
	}
	if dir != "/" {
		return "", nil
	}
	environment = procs.Environ(pid)
	if started := procs.Variable(environment, "PWD"); filepath.IsAbs(started) {
		return p.opts.Place(filepath.Clean(started)), environment
	}
	return "", environment
}

// finish finds out where the processes listen, and returns them by folder.
func (p *pass) finish() map[string][]Process {
	p.found = slices.DeleteFunc(p.found, func(f foundProcess) bool { return p.isOwn(f.PID) })
	slices.SortFunc(p.found, func(a, b foundProcess) int { return cmp.Compare(a.tick, b.tick) }) // the oldest holds a shared socket
	places, listeners := make(map[string][]candidate), new(sockets.Listeners)
	for _, f := range p.found {
		f.Listens, f.Command = listeners.Of(f.PID), commandLine(f.argv)
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

func identity(path string) fileID {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return fileID{}
	}
	return fileID{uint64(st.Dev), st.Ino}
}

// oneWord returns foreign text without tabs and line ends, shortened.
func oneWord(text string) string {
	const longest = 120
	return clean.Path(text, longest)
}
