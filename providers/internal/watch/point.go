package watch

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is how many links a path may lead through, as in the kernel.
const maxLinks = 40

// point is a watched path: whatever it leads to is watched.
type point struct {
	path string
	tree *tree // whose root it is, or nil
	at   []waypoint
	err  error // why not all waypoints are watched
}

// waypoint is an entry of a folder that determines where a path leads.
type waypoint struct{ dir, name string }

// locate finds a point's waypoints and watches them.
func (w *Watcher) locate(p *point) {
	old := p.at
	p.at, p.err = nil, iofs.ErrNotExist
	// After the watches are set, the waypoints are located again until they stay
	// the same: changes in between were not reported.
	for range maxLinks {
		at := w.waypoints(p.path)
		if slices.Equal(at, p.at) {
			break
		}
		old = append(old, p.at...)
		p.at = at
		p.err = nil
		for _, wp := range at {
			f, err := w.addWatch(wp.dir)
			if err != nil {
				p.err = &iofs.PathError{Op: "watch", Path: wp.dir, Err: err}
				continue
			}
			if !slices.Contains(f.points[wp.name], p) {
				f.points[wp.name] = append(f.points[wp.name], p)
				w.note(f, wp.dir, wp.name)
			}
		}
	}
	if p.err != nil {
		w.opts.Log.Warn("not watched", "path", p.path, "error", p.err)
	}
	for _, wp := range old {
		if !slices.Contains(p.at, wp) {
			w.leave(p, wp)
		}
	}
}

// forget ends the watch of a point.
func (w *Watcher) forget(p *point) {
	for _, wp := range p.at {
		w.leave(p, wp)
	}
	p.at = nil
}

func (w *Watcher) leave(p *point, wp waypoint) {
	f := w.folders[wp.dir]
	if f == nil {
		return
	}
	f.points[wp.name] = slices.DeleteFunc(f.points[wp.name], func(q *point) bool { return q == p })
	if len(f.points[wp.name]) == 0 {
		delete(f.points, wp.name)
	}
	w.dropWatch(wp.dir)
}

// waypoints walks a path as the kernel does. It returns every link on the way,
// and the last entry, or the first that is missing. Their folders are without
// links.
func (w *Watcher) waypoints(path string) (at []waypoint) {
	dir, rest := "/", components(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			dir = filepath.Dir(dir)
			continue
		}
		full := filepath.Join(dir, name)
		if w.hidden(full) {
			return at
		}
		info, err := os.Lstat(full)
		switch {
		case err == nil && info.Mode().Type() == iofs.ModeSymlink:
			at = append(at, waypoint{dir, name})
			target, err := os.Readlink(full)
			if links++; err != nil || links > maxLinks {
				return at
			}
			if filepath.IsAbs(target) {
				dir = "/"
			}
			rest = append(components(target), rest...)
		case err != nil || !info.IsDir() || len(rest) == 0:
			return append(at, waypoint{dir, name})
		default:
			dir = full
		}
	}
	return at
}

func components(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}
