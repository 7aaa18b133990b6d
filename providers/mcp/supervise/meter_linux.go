package supervise

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc: USER_HZ is 100 for all programs.
const clockTick = 10 * time.Millisecond

// procStat is the part of /proc/<pid>/stat that is needed; see proc_pid_stat(5).
type procStat struct {
	pid, parent, group int
	state              byte
	cpu                time.Duration // including children that it has waited for
	began              uint64
}

// readStat reads the state of a process.
func readStat(pid int) (s procStat, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false // it has exited
	}
	i := bytes.LastIndexByte(text, ')') // the name may contain anything
	fields := strings.Fields(string(text[i+1:]))
	if i < 0 || len(fields) < 20 {
		return s, false
	}
	number := func(i int) uint64 {
		n, _ := strconv.ParseUint(fields[i], 10, 64) // the kernel writes numbers
		return n
	}
	ticks := number(11) + number(12) + number(13) + number(14)
	return procStat{
		pid: pid, state: fields[0][0], parent: int(number(1)), group: int(number(2)),
		cpu: time.Duration(ticks) * clockTick, began: number(19),
	}, true
}

// processes returns the pids of all visible processes.
func processes() (all []procStat) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // as many as could be read
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// measure adds up what the processes of the group have used.
func (m *meter) measure() {
	for _, s := range m.members() {
		now := usage{cpu: s.cpu}
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", s.pid)); err == nil {
			for line := range strings.Lines(string(text)) {
				key, value, _ := strings.Cut(line, ": ")
				if key == "rchar" || key == "wchar" {
					n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
					now.bytes += n
				}
			}
		}
		m.add(s.pid, s.began, now)
	}
}

// members returns the processes of the group, their descendants, and those that
// were among them when last seen.
func (m *meter) members() (members []procStat) {
	all := processes()
	in := make(map[int]bool)
	for _, s := range all {
		old := m.known[s.pid]
		in[s.pid] = s.group == m.group || old != nil && old.began == s.began
	}
	for more := true; more; {
		more = false
		for _, s := range all {
			if !in[s.pid] && in[s.parent] {
				in[s.pid], more = true, true
			}
		}
	}
	for _, s := range all {
		if in[s.pid] {
			members = append(members, s)
		}
	}
	return members
}

// writes reports whether a process of the group has a file open for writing below
// one of the folders, or has its working directory there.
func (m *meter) writes(folders []string) bool {
	below := func(path string) bool {
		for _, f := range folders {
			if strings.HasPrefix(path, f+"/") {
				return true
			}
		}
		return false
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
		if s.group == group && s.state != 'Z' && s.state != 'X' {
			return true
		}
	}
	return false
}

// began returns the start time of a process, which distinguishes it from a later
// one with the same pid, or 0.
func began(pid int) uint64 {
	s, _ := readStat(pid)
	return s.began
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
		if slices.Contains(groups, s.group) {
			of[s.pid] = s.group
		}
	}
	for more := true; more; {
		more = false
		for _, s := range all {
			if group := of[s.parent]; group != 0 && of[s.pid] == 0 {
				of[s.pid], more = group, true
			}
		}
	}
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
