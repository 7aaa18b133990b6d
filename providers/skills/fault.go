package skills

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"syscall"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
)

// fault is a fault on disk, in words for the user.
type fault struct {
	where  string // a path as the user knows it, or ""
	what   string
	fix    string
	severe bool // something cannot be used
}

// sentence returns where the fault is and what it is.
func (f fault) sentence() string {
	if f.where == "" {
		return f.what
	}
	return f.where + ": " + f.what
}

// deadLink is the fault of a link whose target is missing. The targets in our own
// mounts are never looked at.
const deadLink = "is a link to nothing, or into a mount of ctxfs"

func noSkillFile(where string) fault {
	return fault{
		where: where, what: "has no SKILL.md, and no folder below it has one",
		fix: "write one with name and description, or move the folder away", severe: true,
	}
}

func unreadable(where string, err error) fault {
	f := fault{where: where, what: "cannot be read: " + causeText(err), fix: "look at it with ls -la", severe: true}
	switch {
	case errors.Is(err, iofs.ErrPermission):
		f.what, f.fix = "cannot be read: permission denied", "chmod -R u+rX "+wording.ShellWord(where)
	case errors.Is(err, iofs.ErrNotExist):
		f.what, f.fix = deadLink, "link it again or remove it"
	case errors.Is(err, syscall.ELOOP):
		f.what, f.fix = "is a link to itself", "link it again or remove it"
	}
	return f
}

// watchFault returns why changes below path are not noticed; "" is any path.
func watchFault(home, path string, err error) fault {
	f := fault{where: shown(home, path), what: "changes are not noticed: " + causeText(err), fix: "run ctxfs mount again after changes", severe: true}
	switch {
	case errors.Is(err, watch.ErrLimit):
		f.what = fmt.Sprintf("not all changes are noticed: it contains more than %d folders", watch.DefaultMaxDirs)
		f.fix = "move what is not a skill out of it"
	case errors.Is(err, iofs.ErrPermission):
		if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
			path = pe.Path
		}
		return unreadable(shown(home, path), err)
	case errors.Is(err, syscall.ENOSPC):
		f.what = "not all changes are noticed: the system watches no more folders"
		f.fix = watch.Fix(err)
	case errors.Is(err, syscall.EMFILE):
		f.what = "changes of skills are not noticed: the system has no more watches"
		f.fix = watch.Fix(err)
	}
	return f
}

// causeText returns an error without the operation and the path, in one line.
func causeText(err error) string {
	return clean.Cut(clean.Line(wording.Cause(err).Error()), 200)
}

// shown returns a path as a user writes it, in one line.
func shown(home, path string) string {
	return clean.Line(wording.Tilde(path, home))
}
