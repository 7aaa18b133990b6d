package control

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
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
