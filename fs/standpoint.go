package fs

import (
	"os"
	"path/filepath"
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
}

// Here returns the standpoint of this program.
func Here() Standpoint {
	s := Standpoint{PID: os.Getpid()}
	var err error
	if s.Dir, err = os.Getwd(); err != nil {
		return s // it was deleted
	}
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			s.Folders = nil
			return s
		}
		if is, ok := info.Sys().(*syscall.Stat_t); ok {
			s.Folders = append(s.Folders, FileID{Dev: uint64(is.Dev), Ino: is.Ino})
		}
		if dir == filepath.Dir(dir) {
			return s
		}
	}
}
