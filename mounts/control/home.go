// Package control finds and starts the one background process of a home, and
// carries the conversations between it and commands.
//
// The process belongs to the state folder. It locks that folder and has its socket
// there, so that any program that can see the folder finds the process, by any path
// and in any environment ([Home.Dial]). Any program may start it at any time
// ([Home.Start]): a new process first takes the lock and listens ([Home.Claim]);
// one that comes too late exits, and the program that started it connects to the
// other.
//
// A client that gets no answer looks at the process from outside. If the
// process cannot answer, for instance because it is stopped, the client fails
// at once with a [Silent]; if it is busy, the client waits.
//
// In order: [Home] has the folders and the record, lock.go and socket.go the lock
// and the socket, [Seat] the server's hold on both, start.go the start of the
// process, [Conn] and [Client] the two sides of a conversation, process.go and
// watchdog.go what can be seen of an unresponsive process.
//
// The package imports, besides guard and fs, only the standard library, and
// little of that: a command that only relays an answer of the process, such as
// a tool's call, starts as fast as its imports do.
//
// Not XDG_RUNTIME_DIR but the state folder identifies a process: su, cron and
// containers have another runtime folder or none, which would make two processes for
// one home. The lock is advisory and not a file with a process number: the kernel
// releases it however the process ends, and numbers are reused.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Home is a home folder and its state folder, which has one background process. Any
// program that can see the state folder finds the process: by the folder itself,
// whatever path leads to it and whatever the environment says.
type Home struct {
	// Dir is the home folder, State the state folder.
	Dir, State string
	// Mount is the folder on which the tree is usually shown; it may be "".
	Mount string
	// Version is the version of this program.
	Version string
	// MayStart returns why this program must neither start the background process nor
	// become it; a nil MayStart, or a nil error, means that it may.
	MayStart func() error
	// Launch starts the background process: [Spawn].
	Launch Launch
	// Note receives lines for a waiting user; nil discards them.
	Note func(line string)
}

func (h Home) note(format string, args ...any) {
	if h.Note != nil {
		h.Note(fmt.Sprintf(format, args...))
	}
}

func (h Home) mayStart() error {
	if h.MayStart == nil {
		return nil
	}
	return h.MayStart()
}

// temporary holds the folders that stand in for a state folder. No variable
// moves it: all programs must look in the same place.
const temporary = "/tmp"

// Folders returns the folders that may hold the files of the process, best first:
// the state folder, then folders of the user that stand in for a state folder that
// is read-only or full, or whose file system has no sockets. The latter are named
// after the folder itself and, if it does not exist yet, after its path.
func (h Home) Folders() []string {
	folders := []string{h.State}
	own := ownBase()
	var st syscall.Stat_t
	if syscall.Stat(h.State, &st) == nil {
		folders = append(folders, filepath.Join(own, key(fmt.Sprintf("%d:%d", st.Dev, st.Ino))))
	}
	return append(folders, filepath.Join(own, key(realPath(h.State))))
}

func ownBase() string { return filepath.Join(temporary, "ctxfs-"+strconv.Itoa(os.Getuid())) }

func key(s string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(s)) // cannot fail
	return strconv.FormatUint(sum.Sum64(), 16)
}

// realPath resolves the links in a path as far as it exists.
func realPath(path string) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// ready creates a folder for the files of the process.
func (h Home) ready(folder string) error {
	if folder == h.State {
		return os.MkdirAll(folder, 0o700)
	}
	if err := ownFolder(filepath.Dir(folder)); err != nil {
		return err
	}
	return ownFolder(folder)
}

// trusted reports whether the contents of a folder are the user's.
func (h Home) trusted(folder string) bool {
	return folder == h.State || checkOwn(filepath.Dir(folder)) == nil && checkOwn(folder) == nil
}

// ownFolder creates a folder that no other user can look into. An existing one must
// be the user's.
func ownFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := checkOwn(dir); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

func checkOwn(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || st.Uid != uint32(os.Getuid()) {
		return &Fault{
			Message: fmt.Sprintf("%s is not a folder of yours", dir),
			Hint:    "as its owner or as root, move it away: mv " + dir + " " + dir + ".old",
		}
	}
	return nil
}

// SocketFolders returns the folders for the sockets of other processes of the
// user, best first.
func (h Home) SocketFolders() []string {
	folders := []string{filepath.Join(h.State, "run")}
	for _, folder := range h.Folders()[1:] {
		if h.trusted(folder) {
			folders = append(folders, filepath.Join(folder, "run"))
		}
	}
	return folders
}

// Same reports whether two paths lead to one folder.
func Same(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Record is the content of the file daemon.json, which describes the background
// process to people and to scripts. The server adds what it shows.
type Record struct {
	Pid     int       `json:"pid"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
	Socket  string    `json:"socket"`
	Home    string    `json:"home"`
	// Host is the machine; home folders may be on several.
	Host string `json:"host"`
	// Program is the file that the process was started from, if known, and Build
	// identifies it: another file may take its place.
	Program string `json:"program,omitempty"`
	Build   string `json:"build,omitempty"`
}

const recordName = "daemon.json"

// ReadRecord decodes the record of the running process or, if it was killed, of the
// last one.
func (h Home) ReadRecord(into any) error {
	var all error
	for _, folder := range h.Folders() {
		if !h.trusted(folder) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(folder, recordName))
		if err == nil {
			return json.Unmarshal(body, into)
		}
		all = errors.Join(all, err)
	}
	return errors.Join(errors.New("no background process has left a record"), all)
}

// record returns the Record of the running process, or the zero value.
func (h Home) record() Record {
	var r Record
	_ = h.ReadRecord(&r) // then nothing is known
	return r
}

// replaceFile writes a file atomically.
func replaceFile(path string, body []byte) error {
	err := os.WriteFile(path+".tmp", body, 0o600)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
	}
	return err
}
