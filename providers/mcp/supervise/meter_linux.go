package supervise

import (
	"bytes"
	"context"
	"ctxfs/providers/internal/procs"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// procStat is a process and its state.
type procStat struct {
	pid int
	procs.Stat
}

// processes returns all visible processes.
func processes() (all []procStat) {
	pids, _ := procs.All()
	for _, pid := range pids {
		if s, ok := procs.ReadStat(pid); ok {
			all = append(all, procStat{pid, s})
		}
	}
	return all
}

// descend adds the descendants of processes, of which in says to which group each belongs.
func descend(all []procStat, in map[int]int) {
	for more := true; more; {
		more = false
		for _, s := range all {
			if group := in[s.Parent]; group != 0 && in[s.pid] == 0 {
				in[s.pid], more = group, true
			}
		}
	}
}

// measure adds up what the processes of the group have used.
func (m *meter) measure() {
	for _, s := range m.members() {
		now := usage{cpu: s.CPU}
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", s.pid)); err == nil {
			for line := range strings.Lines(string(text)) {
				key, value, _ := strings.Cut(line, ": ")
				if key == "rchar" || key == "wchar" {
					n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
					now.bytes += n
				}
			}
		}
		m.add(s.pid, s.Began, now)
	}
}

// members returns the processes of the group, their descendants, and those that
// were among them when last seen.
func (m *meter) members() (members []procStat) {
	all := processes()
	in := make(map[int]int)
	for _, s := range all {
		if old := m.known[s.pid]; s.Group == m.group || old != nil && old.began == s.Began {
			in[s.pid] = m.group
		}
	}
	descend(all, in)
	return slices.DeleteFunc(all, func(s procStat) bool { return in[s.pid] == 0 })
}

// writes reports whether a process of the group has a file open for writing below
// one of the folders, or has its working directory there.
func (m *meter) writes(folders []string) bool {
	below := func(path string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(path, f+"/") })
	}
	m.mu.Lock()
	members := m.members()
	m.mu.Unlock()
	for _, s := range members {
		at := fmt.Sprintf("/proc/%d/", s.pid)
		if dir, err := os.Readlink(at + "cwd"); err == nil && below(dir) {
			return true
		}
		open, _ := os.ReadDir(at + "fd") // nothing, if it has exited
		for _, fd := range open {
			info, err := fd.Info()
			if err != nil || info.Mode().Perm()&0o200 == 0 {
				continue
			}
			if path, err := os.Readlink(at + "fd/" + fd.Name()); err == nil && below(path) {
				return true
			}
		}
	}
	return false
}

// hasLiving reports whether a process of the group is alive. Zombies, which some
// containers keep forever, are not.
func hasLiving(group int) bool {
	for _, s := range processes() {
		if s.Group == group && s.State != 'Z' && s.State != 'X' {
			return true
		}
	}
	return false
}

// began returns the start time of a process, which distinguishes it from a later
// one with the same pid, or 0.
func began(pid int) uint64 {
	s, _ := procs.ReadStat(pid)
	return s.Began
}

// add records what a process has used until now. A process that was not seen before
// counts in full; the exit of a process subtracts nothing.
func (m *meter) add(pid int, began uint64, now usage) {
	old := m.known[pid]
	if old == nil || old.began != began {
		old = &measured{began: began}
		m.known[pid] = old
	}
	m.total.cpu += max(0, now.cpu-old.cpu)
	m.total.bytes += max(0, now.bytes-old.bytes)
	old.usage = now
}

// idleLook is the interval between two looks at a process that is to be idle.
const idleLook = time.Millisecond

// AwaitIdle waits until the process has read all its input, and neither it nor one of
// its group has a thread that runs, or has something to run: then it has done what it
// can do by itself. It waits until ctx ends at most.
func (p *Process) AwaitIdle(ctx context.Context) {
	var members []procStat
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	for idle := 0; idle < 2; { // between two threads none may run for a moment
		select {
		case <-tick.C:
		case <-p.exited:
			return
		case <-ctx.Done():
			return
		}
		idle++
		if p.hasInput() || slices.ContainsFunc(members, procStat.isActive) {
			idle = 0
			continue
		}
		p.meter.mu.Lock()
		members = p.meter.members() // it may have started some meanwhile
		p.meter.mu.Unlock()
		if slices.ContainsFunc(members, procStat.isActive) {
			idle = 0
		}
	}
}

// hasInput reports whether the process has not read all its input.
func (p *Process) hasInput() bool {
	file, ok := p.Stdin.(syscall.Conn)
	if !ok {
		return false // nothing lies between us and the program
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false // it is closed
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) // nothing, if it is closed
	return n > 0
}

// isActive reports whether a thread of the process runs, waits for a processor, or for
// a disk.
func (s procStat) isActive() bool {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.pid)) // none, if it has exited
	for _, thread := range threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", s.pid, thread.Name()))
		if err != nil {
			continue
		}
		i := bytes.LastIndexByte(text, ')') // the name may contain anything
		if rest := text[i+1:]; len(rest) > 1 && (rest[1] == 'R' || rest[1] == 'D') {
			return true
		}
	}
	return false
}

// Resident returns the memory that the processes of each group, and their
// descendants, have in RAM, in bytes. Pages that several share count for each.
func Resident(groups []int) map[int]int64 {
	all := processes()
	of := make(map[int]int) // groups by pid
	for _, s := range all {
		if slices.Contains(groups, s.Group) {
			of[s.pid] = s.Group
		}
	}
	descend(all, of)
	sizes := make(map[int]int64)
	for pid, group := range of {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue // it has exited
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 { // see proc_pid_statm(5)
			pages, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel writes numbers
			sizes[group] += pages * int64(os.Getpagesize())
		}
	}
	return sizes
}
