package control

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxfs/mounts/guard"
)

// unreachable looks for a process of this home that exists, since it shows the tree
// on the usual folder, but cannot be reached: a second process would start servers,
// watches and logins of its own. It returns nil if no such process exists, and if
// the mount is dead or hangs.
func (h Home) unreachable() error {
	// The lock is checked first: when a process releases it, its mounts are gone.
	if h.othersLock() {
		return nil
	}
	minor := ""
	table, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(table)) {
		// proc(5): id parent major:minor root dir options [optional...] - type source super
		before, after, _ := strings.Cut(line, " - ")
		if fields := strings.Fields(before); len(fields) > 4 && guard.Unescape(fields[4]) == h.Mount && strings.HasPrefix(after, "fuse.ctxfs ") {
			_, minor, _ = strings.Cut(fields[2], ":")
		}
	}
	if minor == "" || !answers(h.Mount) {
		return nil
	}
	pid := ConnectionHolder(minor)
	return h.judgeUnreachable(pid, HomeOf(pid))
}

// HomeOf returns the home of a process as its environment names it, the zero
// value if that cannot be seen.
func HomeOf(pid int) Home {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || len(text) == 0 {
		return Home{}
	}
	dir, state := "", ""
	for entry := range strings.SplitSeq(string(text), "\x00") {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "HOME":
			dir = value
		case "XDG_STATE_HOME":
			state = value
		}
	}
	if !filepath.IsAbs(state) {
		state = filepath.Join(dir, ".local", "state")
	}
	return Home{Dir: dir, State: filepath.Join(state, "ctxfs")}
}

// othersLock reports whether another visible process has the lock of the state
// folder: it is starting or exiting, and Claim waits for it. Before Linux 6.16
// nothing else reveals it, see [ConnectionHolder].
func (h Home) othersLock() bool {
	pid := h.Holder()
	return pid != 0 && pid != os.Getpid()
}

// judgeUnreachable describes what is wrong if the process pid, 0 if it cannot be
// seen, shows the tree on the usual folder and has no socket. Of is that process's
// home.
func (h Home) judgeUnreachable(pid int, of Home) error {
	switch {
	case h.othersLock(): // since the first look
		return nil
	case pid == 0:
		return &Fault{
			Message: fmt.Sprintf("%s is mounted, but the process that shows it cannot be reached from here: the state folder %s has no socket of it", h.Mount, h.State),
			Hint:    "let this sandbox or container see that folder as it is outside (it may be read-only)",
		}
	case !Same(of.Dir, h.Dir): // of another home
		return nil
	case !Same(of.State, h.State):
		return &Fault{
			Message: fmt.Sprintf("the background process of this home (%d) has the state folder %s, not %s", pid, of.State, h.State),
			Hint:    "use that one: export XDG_STATE_HOME=" + filepath.Dir(of.State) + fmt.Sprintf("\nor end the process: kill %d", pid),
		}
	}
	return &Fault{
		Message: fmt.Sprintf("the background process of this home (%d) shows %s, but its socket in %s was deleted", pid, h.Mount, h.State),
		Hint:    fmt.Sprintf("restart it: kill %d; ctxfs mount", pid),
	}
}

// answerTime is how long a mount may take to return its statistics, which a
// working process returns without asking anything else.
const answerTime = time.Second

func answers(dir string) bool {
	answered := make(chan error, 1)
	go func() {
		var figures syscall.Statfs_t
		answered <- syscall.Statfs(dir, &figures)
	}()
	select {
	case err := <-answered:
		return err == nil
	case <-time.After(answerTime):
		return false
	}
}

// ConnectionHolder returns the process that serves the FUSE connection with a
// number, 0 if it cannot be seen, as before Linux 6.16. It does not touch the
// mount. A guardian, which holds the connection too, is a child of the process.
func ConnectionHolder(minor string) int {
	devices, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range devices {
		if target, err := os.Readlink(fd); err != nil || target != "/dev/fuse" {
			continue
		}
		process := filepath.Dir(filepath.Dir(fd))
		info, _ := os.ReadFile(filepath.Join(process, "fdinfo", filepath.Base(fd)))
		if bytes.Contains(info, []byte("fuse_connection:\t"+minor+"\n")) && !guard.IsGuardian(process) {
			pid, _ := strconv.Atoi(filepath.Base(process))
			return pid
		}
	}
	return 0
}

// takesFiles reports whether files in the mount can call tools here.
func (h Home) takesFiles() bool {
	if h.Mount == "" || !answers(h.Mount) {
		return false
	}
	var figures syscall.Statfs_t
	if syscall.Statfs(h.Mount, &figures) != nil || figures.Flags&syscall.MS_RDONLY != 0 {
		return false
	}
	calls, _ := filepath.Glob(filepath.Join(h.Mount, "mcps", "*", "calls"))
	return len(calls) > 0
}
