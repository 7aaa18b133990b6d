package control

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxfs/mounts/guard"
)

// sampleOf samples a process. It reads a few files in /proc.
func sampleOf(pid int) sample {
	dir := fmt.Sprintf("/proc/%d", pid)
	code := stat(dir)
	if pid <= 0 || code == 0 {
		return sample{}
	}
	s := sample{code: code, dying: guard.StateOf(dir) == guard.Dying}
	threads, _ := os.ReadDir(filepath.Join(dir, "task"))
	for _, thread := range threads {
		code := stat(filepath.Join(dir, "task", thread.Name()))
		s.wants = s.wants || code == 'R'
		s.kernel = s.kernel || code == 'D'
		// Nanoseconds on a processor come first, so that even the shortest run
		// shows.
		text, _ := os.ReadFile(filepath.Join(dir, "task", thread.Name(), "schedstat"))
		ran, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		s.cpu += time.Duration(n)
	}
	s.frozen = !s.wants && frozen(dir)
	return s
}

// stat returns the state in a stat file, or 0.
func stat(dir string) byte {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0
	}
	// The name in parentheses before it may contain anything.
	rest := bytes.TrimLeft(text[bytes.LastIndexByte(text, ')')+1:], " ")
	if len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// frozen reports whether a control group of a process is frozen, where the
// groups are mounted in the usual places.
func frozen(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		var files []string
		word := "FROZEN"
		switch parts[1] {
		case "":
			word = "frozen 1"
			files = []string{"/sys/fs/cgroup" + parts[2] + "/cgroup.events", "/sys/fs/cgroup/unified" + parts[2] + "/cgroup.events"}
		case "freezer":
			files = []string{"/sys/fs/cgroup/freezer" + parts[2] + "/freezer.state"}
		}
		for _, file := range files {
			if state, err := os.ReadFile(file); err == nil && strings.Contains(string(state), word) {
				return true
			}
		}
	}
	return false
}

// sharesMounts reports whether a process sees the same mounts as this one.
func sharesMounts(pid int) bool {
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid))
	if err != nil {
		return false
	}
	own, err := os.Readlink("/proc/self/ns/mnt")
	return err == nil && own == its
}

// peer returns the process at the other end of a connection, 0 if it cannot be
// seen from here.
func peer(c net.Conn) int {
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

// Holder returns the process that holds the lock of the state folder, 0 if it
// cannot be seen from here.
func (h Home) Holder() int {
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	var files []syscall.Stat_t
	for _, path := range append([]string{filepath.Join(h.State, "daemon.lock")}, h.Folders()...) {
		var st syscall.Stat_t
		if syscall.Stat(path, &st) == nil {
			files = append(files, st)
		}
	}
	recorded := 0
	if r := h.record(); r.Host == hostname() {
		recorded = r.Pid
	}
	return holderIn(string(table), files, recorded)
}

// holderIn returns the process that, according to a table of locks, holds the lock
// of one of the files. The table may name another device than stat does (a
// subvolume of Btrfs has its own): the recorded process is recognized by the inode
// alone.
func holderIn(table string, files []syscall.Stat_t, recorded int) int {
	for line := range strings.Lines(table) {
		// proc_locks(5): 1: FLOCK ADVISORY WRITE 12345 08:01:130 0 EOF
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" {
			continue
		}
		pid, _ := strconv.Atoi(fields[4])
		for _, st := range files {
			device := fmt.Sprintf("%02x:%02x", (st.Dev>>8)&0xfff, st.Dev&0xff|(st.Dev>>12)&0xfff00)
			inode, same := strings.CutPrefix(fields[5], device+":")
			if !same && pid == recorded {
				inode = fields[5][strings.LastIndexByte(fields[5], ':')+1:]
			}
			if inode == strconv.FormatUint(st.Ino, 10) {
				return max(pid, 0)
			}
		}
	}
	return 0
}
