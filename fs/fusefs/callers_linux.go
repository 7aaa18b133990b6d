package fusefs

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/fs"
)

// A caller may stand anywhere: in this mount, in one that hangs, in another mount
// namespace. Its folder is therefore reached through /proc and not by its path, and
// nothing is asked of the file system that it is in: the kernel answers from what
// it has cached (AT_STATX_DONT_SYNC), and ".." is no lookup. What remains is that
// network file systems, and those of FUSE that leave permissions to the kernel, may
// check the permission to pass a folder. That has a deadline.

const (
	// standTime is how long a CREATE waits for the identities of its caller's folders.
	standTime = 100 * time.Millisecond
	// maxFolders is how many folders of a caller are identified.
	maxFolders = 64
)

// Clauses that say why a standpoint is not known.
const (
	unseenCaller  = "its process is in another PID namespace, such as that of a container or of its host"
	endedCaller   = "its process has ended or is hidden"
	strangeCaller = "its process may not be examined"
	otherProc     = "/proc is not mounted here, or is that of another PID namespace"
	deletedFolder = "its folder was deleted"
	slowFolder    = "its folder is on a file system that does not answer"
)

// callers finds out where callers stand.
type callers struct {
	seen    bool // /proc numbers processes as the kernel does in requests
	folders *fs.Prober
}

func newCallers() *callers {
	self, err := os.Readlink("/proc/self")
	return &callers{seen: err == nil && self == strconv.Itoa(os.Getpid()), folders: fs.NewProber(standTime)}
}

// standpoint returns where the thread of a request stands. It is called before the
// request is answered: until then the thread waits where it is.
func (c *callers) standpoint(thread uint32) fs.Standpoint {
	switch {
	case thread == 0:
		return fs.Standpoint{Unknown: unseenCaller}
	case !c.seen:
		return fs.Standpoint{Unknown: otherProc}
	}
	at := fs.Standpoint{PID: processOf(int(thread))}
	link := "/proc/" + strconv.FormatUint(uint64(thread), 10) + "/cwd"
	dir, err := os.Readlink(link) // the text alone: no file system is asked
	if err == nil {
		at.Dir = dir
		at.Folders, err = fs.Probe(c.folders, dir, func() ([]fs.FileID, error) { return identify(link) })
	}
	switch {
	case errors.Is(err, errDeleted):
		at.Dir = ""
		at.Unknown = deletedFolder
	case errors.Is(err, fs.ErrNoAnswer):
		at.Unknown = slowFolder
	case errors.Is(err, os.ErrPermission):
		at.Unknown = strangeCaller
	case err != nil:
		at.Unknown = endedCaller
	}
	return at
}

var errDeleted = errors.New("deleted")

// upward leads from a folder to those above it.
var upward = strings.Repeat("../", maxFolders)

// identify returns the identities of the folder to which a link in /proc leads, and
// of those above it, as far as they may be passed. Where the folder is in another
// mount namespace, they are those of that namespace.
func identify(link string) ([]fs.FileID, error) {
	dir, err := retry(func() (int, error) { return unix.Open(link, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	ids := make([]fs.FileID, 0, 8)
	for len(ids) < maxFolders {
		var st unix.Statx_t
		path, flags := upward[:max(0, 3*len(ids)-1)], unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT
		if path == "" {
			flags |= unix.AT_EMPTY_PATH
		}
		_, err := retry(func() (int, error) { return 0, unix.Statx(dir, path, flags, unix.STATX_INO|unix.STATX_NLINK, &st) })
		id := fs.FileID{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}
		switch {
		case err != nil && len(ids) == 0:
			return nil, err
		case err != nil, len(ids) > 0 && id == ids[len(ids)-1]: // the root
			return ids, nil
		case len(ids) == 0 && st.Nlink == 0:
			return nil, errDeleted
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// processOf returns the process ID of a thread.
func processOf(thread int) int {
	// Signal 0 reaches nobody: this asks whether the thread is its process's first,
	// whose number the process has.
	if err := unix.Tgkill(thread, thread, 0); err == nil || errors.Is(err, unix.EPERM) {
		return thread
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/status")
	if err != nil {
		return thread
	}
	_, after, _ := bytes.Cut(status, []byte("\nTgid:"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	if pid, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil {
		return pid
	}
	return thread
}
