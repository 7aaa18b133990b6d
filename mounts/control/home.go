// Package control is how the one background process of a home is found and
// started, and the conversation between it and commands.
//
// The process belongs to the state folder. It locks that folder, and its socket
// lies there, so that whoever has the folder finds the process, by whatever
// path and in whatever environment ([Home.Dial]). Anybody may start it at any
// time ([Home.Start]): the first thing that a new process does is to take the
// lock and to listen ([Home.Claim]); one that comes too late ends, and who
// started it connects to the other.
//
// Who waits for a process looks at it from outside when no answer comes. One
// that cannot answer, because it is stopped for instance, is a [Silent] at once;
// one that is busy is waited for.
//
// It imports the standard library only, and of that not much: a command that
// is done when the process has answered, such as a tool's call, is as quick to
// start as what it imports.
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

// Home is a home folder with its state folder, to which one background process
// belongs. Whoever has the state folder finds the process: by the folder itself,
// whatever path leads to it and whatever the environment says.
type Home struct {
	// Dir is the home folder, State the state folder.
	Dir, State string
	// Mount is the folder on which its tree is usually shown; may be "".
	Mount string
	// Version is that of this program.
	Version string
	// Note is told lines for a person who waits; nil where nobody reads them.
	Note func(line string)
}

func (h Home) note(format string, args ...any) {
	if h.Note != nil {
		h.Note(fmt.Sprintf(format, args...))
	}
}

// temporary is where the folders lie that stand in for a state folder. No
// variable moves it: all who look must look in the same place.
const temporary = "/tmp"

// Folders returns the folders in which the files of the process may lie, best
// first: the state folder, then those of the user's own that stand in for one
// that is read-only or full, or whose file system has no sockets. The latter
// are named for the folder, and where there is none yet, for its path.
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

// ready makes a folder ready for the files of the process.
func (h Home) ready(folder string) error {
	if folder == h.State {
		return os.MkdirAll(folder, 0o700)
	}
	if err := ownFolder(filepath.Dir(folder)); err != nil {
		return err
	}
	return ownFolder(folder)
}

// trusted reports whether what lies in a folder is the user's.
func (h Home) trusted(folder string) bool {
	return folder == h.State || checkOwn(filepath.Dir(folder)) == nil && checkOwn(folder) == nil
}

// ownFolder makes a folder that nobody else can look into. One that is there
// must be the user's.
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

// Record is what the file daemon.json tells of the background process, to
// people and to scripts. The server adds what it shows.
type Record struct {
	Pid     int       `json:"pid"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
	Socket  string    `json:"socket"`
	Home    string    `json:"home"`
	// Host is the machine; home folders may be on several.
	Host string `json:"host"`
}

const recordName = "daemon.json"

// ReadRecord decodes the record of the process that serves, or, where it was
// killed, that of the last one.
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

// record is the Record of the process that serves, as far as it is known.
func (h Home) record() Record {
	var r Record
	_ = h.ReadRecord(&r) // then nothing is known
	return r
}

// replaceFile writes a file at once or not at all.
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
