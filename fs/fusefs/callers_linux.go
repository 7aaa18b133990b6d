package fusefs

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
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
	standTime = time.Second
	// maxFolders is how many folders of a caller are identified.
	maxFolders = 64
	// recentTime is how long a folder that has answered is expected to answer, and
	// maxRecent how many such folders are remembered.
	recentTime = time.Second
	maxRecent  = 64
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

	mu     sync.Mutex
	recent map[string]standing // by the path of the folder
}

// standing is where a caller stood a moment ago. Many calls come from one folder: a
// goroutine with a deadline for each would be most of the cost.
type standing struct {
	at      time.Time
	where   position
	folders []fs.FileID
}

// position is a folder as it is reached through one mount of one mount namespace:
// with its path it determines the folders above it.
type position struct {
	id    fs.FileID
	mount uint64
}

func newCallers() *callers {
	self, err := os.Readlink("/proc/self")
	return &callers{
		seen:    err == nil && self == strconv.Itoa(os.Getpid()),
		folders: fs.NewProber(standTime),
		recent:  make(map[string]standing),
	}
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
		at.Folders, err = c.identify(dir, link)
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

// identify returns the identities of dir, to which the link in /proc leads, and of the
// folders above it.
func (c *callers) identify(dir, link string) ([]fs.FileID, error) {
	c.mu.Lock()
	s, ok := c.recent[dir]
	c.mu.Unlock()
	if ok && now().Sub(s.at) < recentTime && isAt(link, s.where) {
		return s.folders, nil
	}
	s, err := fs.Probe(c.folders, dir, func() (standing, error) { return identify(dir, link) })
	if err != nil {
		return nil, err
	}
	if s.where.mount != 0 {
		c.mu.Lock()
		if len(c.recent) >= maxRecent {
			clear(c.recent)
		}
		c.recent[dir] = s
		c.mu.Unlock()
	}
	return s.folders, nil
}

// isAt reports whether a link in /proc leads to that folder. It asks only for what
// the kernel has cached.
func isAt(link string, where position) bool {
	dir, err := openFolder(link)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	is, gone, err := positionOf(dir, "")
	return err == nil && !gone && is == where
}

// upward leads from a folder to those above it.
var upward = strings.Repeat("../", maxFolders)

// identify returns the identities of dir, to which a link in /proc leads, and of those
// above it, as far as they may be passed. Where the folder is in another
// mount namespace, they are those of that namespace.
func identify(dir, link string) (standing, error) {
	s := standing{at: now(), folders: make([]fs.FileID, 0, 8)}
	fd, err := openFolder(link)
	if err != nil {
		return s, err
	}
	defer unix.Close(fd)
	var last position
	for len(s.folders) < maxFolders {
		is, gone, err := positionOf(fd, upward[:max(0, 3*len(s.folders)-1)])
		switch {
		case len(s.folders) > 0 && (err != nil || is == last): // it may not be passed, or is the root
			return s, nil
		case err != nil:
			return s, err
		case gone && strings.HasSuffix(dir, " (deleted)"): // some file systems count no links
			return s, errDeleted
		case len(s.folders) == 0:
			s.where = is
		}
		last = is
		s.folders = append(s.folders, is.id)
	}
	return s, nil
}

func openFolder(path string) (int, error) {
	return retry(func() (int, error) { return unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
}

// positionOf returns the position of a folder by its path from another, and whether it
// was deleted. The mount is 0 where the kernel does not tell it.
func positionOf(dir int, path string) (is position, gone bool, err error) {
	var st unix.Statx_t
	flags := unix.AT_STATX_DONT_SYNC | unix.AT_NO_AUTOMOUNT
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	_, err = retry(func() (int, error) {
		return 0, unix.Statx(dir, path, flags, unix.STATX_INO|unix.STATX_NLINK|unix.STATX_MNT_ID, &st)
	})
	is.id = fs.FileID{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}
	if st.Mask&unix.STATX_MNT_ID != 0 {
		is.mount = st.Mnt_id
	}
	return is, path == "" && st.Nlink == 0, err
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
	// Signal 0 is delivered to no process: it only asks whether the thread is its
	// process's first, whose number the process has.
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
