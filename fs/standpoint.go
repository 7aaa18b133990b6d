package fs

import (
	"context"
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
	// Agent and Session are the agent that the program belongs to, and its session, where
	// an inbox asks for them.
	Agent   string `json:"-"`
	Session string `json:"-"`
	// Unknown is a clause that says why Dir or Folders are not known, such as "its
	// process has ended"; "" if they are, or if the reason is not known.
	Unknown string `json:"unknown,omitempty"`
	// Confined is set if the program may only read. It is determined here, and never taken
	// from what a program says of itself.
	Confined *Confined `json:"-"`
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

// Hides reports whether a clean path on disk is hidden, or in a folder that is, by the path
// alone; hide may be nil.
func Hides(hide func(path string) bool, path string) bool {
	for ; hide != nil && path != filepath.Dir(path); path = filepath.Dir(path) {
		if hide(path) {
			return true
		}
	}
	return false
}

// Confined is the error of what a program may not do because it is part of a read-only run
// of an agent: only what reads is allowed to it. It is ErrPermission.
//
// Confinement is determined by the process that acts, from the system, and never from
// what the program says.
type Confined struct {
	// Run is the id of the run.
	Run string `json:"run"`
	// Unsure reports that the program is not known to be part of the run, and not known not
	// to be, since the system does not show its process here.
	Unsure bool `json:"unsure,omitempty"`
}

func (c *Confined) Error() string {
	if c.Unsure {
		return "this may be part of a read-only run of an agent (" + c.Run + "), since its process cannot be seen from here: only what reads is allowed"
	}
	return "this is part of a read-only run of an agent (" + c.Run + "): only what reads is allowed"
}

// Is reports whether target is ErrPermission.
func (c *Confined) Is(target error) bool { return target == ErrPermission }

type confinedKey struct{}

// Confine returns a context for what is done for a program that is confined, or not if it
// is nil.
func Confine(ctx context.Context, by *Confined) context.Context {
	if by == nil {
		return ctx
	}
	return context.WithValue(ctx, confinedKey{}, by)
}

// ConfinedIn returns what confines the program for which something is done; nil if
// nothing does.
func ConfinedIn(ctx context.Context) *Confined {
	by, _ := ctx.Value(confinedKey{}).(*Confined)
	return by
}
