// Package project finds the project of a program: the nearest folder, from where the
// program stands upward, that is a repository or a known workspace. It looks at
// folders by stat alone: it runs nothing and reads no file.
//
// A program in a sandbox may name its folder otherwise, or have another folder by
// that name. So a path counts only if the folder here is the same one, by device and
// inode; otherwise one of the program's folders has to be a known project.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs"
)

// patience is how long a folder may take to answer.
const patience = 5 * time.Second

// Options are the surroundings of a [Resolver].
type Options struct {
	// Home is the user's home folder, which is no project.
	Home string
	// Hide reports whether a path is the root of one of our own views. That is not
	// touched, nor is anything in it, and nothing in it is a project. It may be nil.
	Hide func(path string) bool
}

// Resolver finds projects. One folder is one project, whatever paths lead to it.
// Its methods may be called concurrently.
type Resolver struct {
	opts   Options
	known  *known
	prober *fs.Prober
}

// New returns a Resolver that knows no project.
func New(opts Options) *Resolver {
	r := &Resolver{opts: opts, prober: fs.NewProber(patience)}
	if r.opts.Hide == nil {
		r.opts.Hide = func(string) bool { return false }
	}
	r.known = newKnown(r.Resolve)
	return r
}

// SetKnown replaces the folders that are projects because some configuration names
// them: absolute paths without symbolic links.
func (r *Resolver) SetKnown(dirs []string) { r.known.set(dirs) }

// Of returns the folder of the project in which a program stands, an absolute path
// without symbolic links. If there is no project, root is "", and why is a clause
// that says why, where the caller may expect one: "" if it just stands in a folder of
// no project. It waits for a folder that does not answer for five seconds at most.
func (r *Resolver) Of(at fs.Standpoint) (root, why string) {
	if at.Dir == "" || at.Unknown != "" {
		return "", sentence("where the caller stands is not known", at.Unknown)
	}
	if !filepath.IsAbs(at.Dir) {
		return "", "the caller's folder " + at.Dir + " is not an absolute path"
	}
	found, err := fs.Probe(r.prober, at.Dir, func() (place, error) { return r.find(at), nil })
	switch {
	case err != nil:
		return "", fmt.Sprintf("the caller's folder %s does not answer", at.Dir)
	case found.root != "":
		return found.root, ""
	case found.dir != "" && r.Hides(found.dir):
		return "", "the caller stands in a mount of ctxfs, and in no project: " + at.Dir
	case found.dir != "":
		return "", ""
	case len(at.Folders) == 0:
		return "", "the caller's folder " + at.Dir + " is not here"
	}
	return "", "the caller's folder " + at.Dir + " is not here: it stands in a sandbox, and in no known project"
}

func sentence(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// At returns the folder of the project that a folder on disk is in, by its absolute path,
// as Of does.
func (r *Resolver) At(dir string) (root, why string) {
	real, err := r.Resolve(dir)
	switch {
	case r.Hides(dir):
		return r.Of(fs.Standpoint{Dir: dir}) // by the path alone
	case err != nil:
		return "", sentence("it cannot be examined", err.Error())
	}
	return r.Of(fs.StandpointAt(real))
}

// Resolve returns the path without symbolic links that a path leads to. The error is
// [fs.ErrNotExist] for one that leads into a view of ours, which is not touched.
func (r *Resolver) Resolve(path string) (string, error) {
	return fs.DiskOptions{Hide: r.opts.Hide}.Resolve(path)
}

// Named returns the folder of the project that a program names by a folder in it: as
// Of does where that folder is in a project, and the folder itself otherwise, even
// if it is the home folder.
func (r *Resolver) Named(at fs.Standpoint) (string, error) {
	if !filepath.IsAbs(at.Dir) {
		return "", fmt.Errorf("%q is not an absolute path", at.Dir)
	}
	found, err := fs.Probe(r.prober, at.Dir, func() (place, error) { return r.find(at), nil })
	switch {
	case err != nil:
		return "", fmt.Errorf("%s does not answer: %w", at.Dir, err)
	case found.root != "":
		return found.root, nil
	case found.dir != "" && r.Hides(found.dir):
		return "", fmt.Errorf("%s is in a mount of ctxfs, and in no project", at.Dir)
	case found.dir != "":
		return r.known.remember(found.dir, found.id), nil
	case errors.Is(found.fault, errOther), len(at.Folders) > 0 && errors.Is(found.fault, os.ErrNotExist):
		return "", fmt.Errorf("%s is not here: its caller stands in a sandbox, and it is in no known project", at.Dir)
	case errors.Is(found.fault, os.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s", at.Dir)
	}
	return "", found.fault
}

// place is what was found out about a standpoint.
type place struct {
	dir   string    // the folder here, without links; "" if it is not here
	id    fs.FileID // of dir; none if dir is in a view of ours
	root  string    // of the project, or ""
	fault error     // why dir is not here, where that can be said
}

// find looks for the folder itself, and then for a known one above it.
func (r *Resolver) find(at fs.Standpoint) place {
	dir, id, err := r.here(at)
	if err == nil {
		return place{dir: dir, id: id, root: r.nearest(dir)}
	}
	if dir, id, ok := r.recognize(at); ok {
		return place{dir: dir, id: id, root: r.nearest(dir)}
	}
	return place{fault: err}
}

// recognize returns the path by which a folder is known here that has another path,
// or none, for the program that stands in it: the folder itself, if what is above it
// is known, or else the nearest known one above it.
func (r *Resolver) recognize(at fs.Standpoint) (dir string, id fs.FileID, ok bool) {
	i, dir := r.nearestKnown(at.Folders)
	if dir == "" && len(at.Folders) > 0 {
		r.known.refresh()
		i, dir = r.nearestKnown(at.Folders)
	}
	if dir == "" {
		return "", fs.FileID{}, false
	}
	// What the program sees below that folder is most probably the same here.
	if inner := filepath.Join(dir, below(at.Dir, i)); inner != dir {
		if is, err := identify(inner); err == nil && is == at.Folders[0] {
			return inner, is, true
		}
	}
	return dir, at.Folders[i], true
}

func (r *Resolver) nearestKnown(folders []fs.FileID) (int, string) {
	for i, id := range folders {
		if dir := r.known.path(id); dir != "" {
			return i, dir
		}
	}
	return 0, ""
}

// below returns the last n names of a path.
func below(path string, n int) string {
	names := strings.Split(strings.Trim(path, "/"), "/")
	return filepath.Join(names[max(0, len(names)-n):]...)
}

// errOther is the error for a path that leads to another folder here.
var errOther = errors.New("another folder here")

// here returns the path, without links, of the folder in which a program stands. A
// folder in a view of ours is not touched and has no identity, but what the view is
// in has. The error is nil only if it is the same folder.
func (r *Resolver) here(at fs.Standpoint) (dir string, id fs.FileID, err error) {
	dir, ids := filepath.Clean(at.Dir), at.Folders
	hidden := dir
	for r.Hides(dir) {
		dir, ids = filepath.Dir(dir), ids[min(1, len(ids)):]
	}
	inView := hidden != dir
	if dir, err = r.Resolve(dir); err == nil {
		id, err = identify(dir)
	}
	if err == nil && len(ids) > 0 && id != ids[0] {
		err = errOther
	}
	if err == nil && inView {
		return hidden, fs.FileID{}, nil
	}
	return dir, id, err
}

// Hides reports whether a path is in a view of ours, by the path alone.
func (r *Resolver) Hides(path string) bool { return fs.Hides(r.opts.Hide, path) }

// nearest returns the nearest project from a folder upward, or "".
func (r *Resolver) nearest(dir string) string {
	home, _ := identify(r.opts.Home)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if r.Hides(dir) {
			continue
		}
		info, err := os.Stat(dir)
		if err != nil || dir == r.opts.Home || openToAll(info) {
			continue
		}
		if id := idOf(info); id != home && (r.known.configures(dir, id) || isRepository(dir)) {
			return r.known.remember(dir, id)
		}
	}
	return ""
}

// openToAll reports whether a folder is one like /tmp, where any user can put
// something that makes it look like a project.
func openToAll(info os.FileInfo) bool {
	return info.Mode()&os.ModeSticky != 0 && info.Mode().Perm()&0o002 != 0
}

// identify returns the identity of a folder.
func identify(dir string) (fs.FileID, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return fs.FileID{}, err
	}
	if !info.IsDir() {
		return fs.FileID{}, fmt.Errorf("%s is not a folder", dir)
	}
	return idOf(info), nil
}

func idOf(info os.FileInfo) (id fs.FileID) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id = fs.FileID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return id
}

// isRepository reports whether a folder is the root of a repository, a worktree or a
// submodule. Sandboxes put empty files and folders where they protect a path, so
// the name alone does not make it one.
func isRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	if info, err := os.Stat(git); err == nil {
		if info.Mode().IsRegular() && info.Size() > 0 { // a worktree or a submodule
			return true
		}
		if _, err := os.Lstat(filepath.Join(git, "HEAD")); err == nil {
			return true
		}
	}
	for _, has := range []string{".hg/store", ".jj/repo", ".svn/wc.db"} {
		if _, err := os.Lstat(filepath.Join(dir, has)); err == nil {
			return true
		}
	}
	return false
}
