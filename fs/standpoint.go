package fs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// FileID identifies a file on this machine, by whatever path it is reached.
type FileID struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
}

// Standpoint is where a program stands. In a sandbox its paths may be others than
// ours, so it has the identities of its folders too.
type Standpoint struct {
	// Dir is the program's working directory, as the program names it; "" if it is
	// not known.
	Dir string `json:"dir,omitempty"`
	// Folders identify Dir and each folder above it, up to the root; empty if they
	// are not known.
	Folders []FileID `json:"folders,omitempty"`
	// PID is the program's process ID; 0 if it is not known, as in another PID
	// namespace.
	PID int `json:"pid,omitempty"`
	// Unknown is a clause that says why Dir or Folders are not known, such as "its
	// process has ended"; "" if they are, or if nobody can tell.
	Unknown string `json:"unknown,omitempty"`
}

// Here returns the standpoint of this program.
func Here() Standpoint {
	dir, err := syscall.Getwd() // not $PWD: with links, its parents are not those of the folder
	if err != nil {
		return Standpoint{PID: os.Getpid(), Unknown: "its folder was deleted"}
	}
	s := StandpointAt(dir)
	s.PID = os.Getpid()
	return s
}

// StandpointAt returns the standpoint of a program that stands in dir, an absolute
// path without symbolic links.
func StandpointAt(dir string) Standpoint {
	s := Standpoint{Dir: dir}
	for up := dir; ; up = filepath.Dir(up) {
		var st syscall.Stat_t
		if err := retryEINTR(func() error { return syscall.Stat(up, &st) }); err != nil {
			if up == dir {
				s.Unknown = "its folder cannot be examined: " + err.Error()
			}
			return s // those above are not known
		}
		s.Folders = append(s.Folders, FileID{Dev: uint64(st.Dev), Ino: st.Ino})
		if up == filepath.Dir(up) {
			return s
		}
	}
}

// Within reports whether a path on disk is that of a folder or of something in it. Both
// are clean; only the names are compared.
func Within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
