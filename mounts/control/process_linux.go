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

// look looks at a process. It reads some files in /proc.
func look(pid int) sample {
	dir := fmt.Sprintf("/proc/%d", pid)
	code := stat(dir)
	if pid <= 0 || code == 0 {
		return sample{}
	}
	s := sample{code: code, dying: guard.Look(dir) == guard.Dying}
	threads, _ := os.ReadDir(filepath.Join(dir, "task"))
	for _, thread := range threads {
		code := stat(filepath.Join(dir, "task", thread.Name()))
		s.wants = s.wants || code == 'R'
		s.kernel = s.kernel || code == 'D'
		// Nanoseconds on a processor come first: a turn of any length is seen.
		text, _ := os.ReadFile(filepath.Join(dir, "task", thread.Name(), "schedstat"))
		ran, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		s.cpu += time.Duration(n)
	}
	s.frozen = !s.wants && frozen(dir)
	return s
}

// stat returns the state in a stat file, 0 if there is none.
func stat(dir string) byte {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0
	}
	// The name in parentheses, which stands before it, may hold anything.
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

// peer is the process at the other end of a connection, 0 if it cannot be seen
// from here.
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

// Holder is the process that holds the lock of the state folder, 0 if it
// cannot be seen from here.
func (h Home) Holder() int {
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	var ids []string
	for _, path := range append([]string{filepath.Join(h.State, "daemon.lock")}, h.Folders()...) {
		var st syscall.Stat_t
		if syscall.Stat(path, &st) == nil {
			ids = append(ids, fmt.Sprintf("%02x:%02x:%d", (st.Dev>>8)&0xfff, st.Dev&0xff|(st.Dev>>12)&0xfff00, st.Ino))
		}
	}
	for line := range strings.Lines(string(table)) {
		// proc_locks(5): 1: FLOCK ADVISORY WRITE 12345 08:01:130 0 EOF
		fields := strings.Fields(line)
		for _, id := range ids {
			if len(fields) > 5 && fields[1] == "FLOCK" && fields[5] == id {
				pid, _ := strconv.Atoi(fields[4])
				return max(pid, 0)
			}
		}
	}
	return 0
}
