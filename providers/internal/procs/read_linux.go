package procs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxText is how much is read of a command line or an environment, in bytes.
const maxText = 256 << 10

// Path returns the path of what the system tells of a process: "/proc/7/cwd".
func Path(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

// All returns the numbers of all processes that the system shows.
func All() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all, nil
}

// clockTick is the unit of times in /proc: USER_HZ is 100 for all programs.
const clockTick = 10 * time.Millisecond

// Stat is what is needed of /proc/<pid>/stat: proc_pid_stat(5).
type Stat struct {
	State    byte // 'Z' for one that has ended and was not waited for
	Parent   int
	Group    int
	Terminal int           // its device number
	CPU      time.Duration // including children that it has waited for
	Began    uint64        // in clock ticks since the system was started
}

// ReadStat returns the Stat of a process, and reports whether there is one.
func ReadStat(pid int) (Stat, bool) {
	text, err := os.ReadFile(Path(pid, "stat"))
	if err != nil {
		return Stat{}, false
	}
	return parseStat(text)
}

func parseStat(text []byte) (s Stat, ok bool) {
	end := bytes.LastIndexByte(text, ')') // the name may contain anything
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 20 {
		return s, false
	}
	s.State = fields[0][0]
	s.Parent, _ = strconv.Atoi(fields[1])
	s.Group, _ = strconv.Atoi(fields[2])
	s.Terminal, _ = strconv.Atoi(fields[4])
	for _, ticks := range fields[11:15] {
		n, _ := strconv.ParseInt(ticks, 10, 64)
		s.CPU += time.Duration(n) * clockTick
	}
	s.Began, _ = strconv.ParseUint(fields[19], 10, 64)
	return s, true
}

// Began returns what distinguishes a process from any other that had or will have the same
// number: its start time and the boot that the time is relative to. It returns "" for one
// that has ended.
func Began(pid int) string {
	s, ok := ReadStat(pid)
	if !ok || s.State == 'Z' || s.State == 'X' {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return fmt.Sprintf("%s:%d", bytes.TrimSpace(boot), s.Began)
}

// Args returns the command line of a process, and Environ the environment with which it
// was started; nil if the system does not tell.
func Args(pid int) []string    { return splitNul(readText(Path(pid, "cmdline"))) }
func Environ(pid int) []string { return splitNul(readText(Path(pid, "environ"))) }

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

// Table is all processes as of one moment. It is not safe for concurrent use.
type Table struct {
	stats    map[int]Stat
	environs map[int][]string
}

// Now returns the processes that run now.
func Now() *Table {
	all, _ := All() // an empty table where the system lists no processes
	t := &Table{make(map[int]Stat, len(all)), make(map[int][]string)}
	for _, pid := range all {
		if s, ok := ReadStat(pid); ok && s.State != 'Z' && s.State != 'X' {
			t.stats[pid] = s
		}
	}
	return t
}

func (t *Table) environ(pid int) []string {
	env, ok := t.environs[pid]
	if !ok {
		env = Environ(pid)
		t.environs[pid] = env
	}
	return env
}

// Tree returns the processes of a tree: root, if it is not 0, and those whose environment
// has the variable mark ("NAME=value"), if that is not "", each with all that it has
// started, except this process. They are in the order in which they were started.
func (t *Table) Tree(root int, mark string) []Process {
	inside := make(map[int]bool)
	var find func(pid, depth int) bool
	find = func(pid, depth int) bool {
		s, ok := t.stats[pid]
		if !ok || pid <= 1 || depth > len(t.stats) {
			return false
		}
		if known, ok := inside[pid]; ok {
			return known
		}
		inside[pid] = pid == root || mark != "" && slices.Contains(t.environ(pid), mark) || find(s.Parent, depth+1)
		return inside[pid]
	}
	var tree []Process
	for pid, s := range t.stats {
		if find(pid, 0) && pid != os.Getpid() {
			tree = append(tree, Process{pid, s.Began})
		}
	}
	slices.SortFunc(tree, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(a.PID, b.PID))
	})
	return tree
}

// Variable returns the value of a variable in an environment; "" if it is not set.
func Variable(environment []string, name string) string {
	for _, e := range environment {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
