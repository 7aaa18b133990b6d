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

// fault is something wrong on disk, in words for the user.
type fault struct {
	where string // a path as the user knows it, or ""
	what  string
	mend  string
	grave bool // something cannot be used
}

// sentence says where what is wrong.
func (f fault) sentence() string {
	if f.where == "" {
		return f.what
	}
	return f.where + ": " + f.what
}

// deadLink is what is wrong with a link whose target is missing. What lies in
// a mount of ours is never looked at.
const deadLink = "is a link that leads nowhere, or into a mount of ctxfs"

func noSkillFile(where string) fault {
	return fault{
		where: where, what: "has no SKILL.md, and nothing below it has",
		mend: "write one with name and description, or move the folder away", grave: true,
	}
}

func unreadable(where string, err error) fault {
	f := fault{where: where, what: "cannot be read: " + cause(err), mend: "look at it with ls -la", grave: true}
	switch {
	case errors.Is(err, iofs.ErrPermission):
		f.what, f.mend = "cannot be read: permission denied", "chmod -R u+rX "+wording.ShellWord(where)
	case errors.Is(err, iofs.ErrNotExist):
		f.what, f.mend = deadLink, "link it again, or remove it"
	case errors.Is(err, syscall.ELOOP):
		f.what, f.mend = "is a link that leads to itself", "link it again, or remove it"
	}
	return f
}

// watchFault says why changes below path, or anywhere, are not noticed.
func watchFault(home, path string, err error) fault {
	f := fault{where: shown(home, path), what: "changes are not noticed: " + cause(err), mend: "run ctxfs mount again after changes", grave: true}
	switch {
	case errors.Is(err, watch.ErrLimit):
		f.what = fmt.Sprintf("not all changes are noticed: it holds more than %d folders", watch.DefaultMaxDirs)
		f.mend = "move what is no skill out of it"
	case errors.Is(err, iofs.ErrPermission):
		if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
			path = pe.Path
		}
		return unreadable(shown(home, path), err)
	case errors.Is(err, syscall.ENOSPC):
		f.what = "not all changes are noticed: the system watches no more folders"
		f.mend = watch.Fix(err)
	case errors.Is(err, syscall.EMFILE):
		f.what = "changes of skills are not noticed: the system has no more watches"
		f.mend = watch.Fix(err)
	}
	return f
}

// cause is an error without the operation and the path.
func cause(err error) string {
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return clean.Cut(clean.Line(err.Error()), 200)
}

// shown is a path as a user writes it, in one line.
func shown(home, path string) string {
	return clean.Line(wording.Tilde(path, home))
}
