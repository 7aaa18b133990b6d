package workspaces

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/notes"
)

// place is a workspace with its folder in the tree.
type place struct {
	p      *Provider
	is     atomic.Pointer[known.Workspace]
	folder *fs.Folder
	box    *notes.Box

	rested atomic.Int64             // when it may be looked at again, in nanoseconds
	looked atomic.Int64             // when it was last looked at
	polled atomic.Bool              // not every change in it would be noticed
	silent atomic.Bool              // its folder has not answered
	roots  atomic.Pointer[[]string] // folders in which its changes are, once it was watched
	heard  atomic.Pointer[heard]    // what others said when its pages were made

	mu   sync.Mutex // held while pages are made
	seen seenSystem

	showing sync.Mutex        // held while what is shown changes, also within mu
	shown   map[string]string // pages
	edited  map[string]time.Time
	trusted bool // HERE.md was made while the project was trusted
	trusts  int  // how often it was said whether the project is trusted
}

// newPlace returns the place of a workspace, with the pages that were last made.
func (p *Provider) newPlace(w known.Workspace) *place {
	place := &place{p: p, shown: make(map[string]string), edited: make(map[string]time.Time)}
	place.is.Store(&w)
	place.box = notes.Open(notes.Options{
		Dir:     filepath.Join(stateOf(p.opts.State, w), notesName),
		AgentOf: p.opts.AgentOf,
		Now:     p.opts.Env.Now,
		Changed: func(name string) {
			p.announce(w, filepath.Join(notesName, name))
			p.again(place)
		},
	})
	place.folder = fs.NewFolder(w.Time, map[string]fs.Node{notesName: place.box, layoutFolder: &layouts{w: place, sub: "."}, changesFolder: &diffs{place}})
	place.load()
	return place
}

func (w *place) workspace() known.Workspace { return *w.is.Load() }

// update records what is now known of the workspace, and reports whether that is shown
// outside of its own pages.
func (w *place) update(now known.Workspace) (changed bool) {
	old := w.is.Swap(&now)
	return !old.Time.Equal(now.Time) || !slices.Equal(old.Worktrees, now.Worktrees)
}

// pageNames are the pages that are kept in the cache.
func pageNames() []string {
	return []string{hereName, agentsName, changesName, gitName, layoutName, processesName, systemName}
}

// load shows the pages in the cache. If there is no page, HERE.md says how to get one.
func (w *place) load() {
	dir := stateOf(w.p.opts.Cache, w.workspace())
	for _, name := range pageNames() {
		if f, err := fs.NewDiskFile(filepath.Join(dir, name), fs.DiskOptions{}); err == nil {
			body, at, ok := readKept(f)
			trusted := name == hereName && !strings.Contains(body, "\n"+notTrusted)
			if trusted && !(w.p.answers(w.workspace().Dir) && w.p.opts.Trusts(w.workspace().Dir)) {
				continue // made when it was
			}
			if ok {
				w.show(name, body, at)
				w.trusted = w.trusted || trusted
			}
		}
	}
	if _, ok := w.shown[hereName]; !ok {
		w.show(hereName, w.unmade(), w.workspace().Time)
	}
}

// unmade returns HERE.md of a workspace for which it was not made.
func (w *place) unmade() string {
	return "# " + w.workspace().Name + "\n\n" + w.workspace().Dir + "\n\n" + notMade + " In that folder, `ctxfs here --page` makes and prints it.\n"
}

// trustChanged withdraws HERE.md if the project was trusted when it was made, and is no
// more. It does not wait for the next page, which takes as long as the folder takes to
// answer; and one that is being made is made again.
func (w *place) trustChanged(trusted bool) {
	w.showing.Lock()
	defer w.showing.Unlock()
	w.trusts++
	if w.trusted && !trusted {
		w.trusted = false
		w.offer(hereName, w.unmade(), w.p.opts.Env.Now())
	}
}

// readKept reads a page that was kept.
func readKept(f *fs.DiskFile) (body string, at time.Time, ok bool) {
	const most = 1 << 20
	a, err := f.Attr(context.Background())
	if err != nil || a.Size > most {
		return "", time.Time{}, false
	}
	buffer := make([]byte, a.Size)
	n, err := f.ReadAt(context.Background(), buffer, 0)
	return string(buffer[:n]), a.ModTime, int64(n) == a.Size && (err == nil || n > 0)
}

// show puts a page into the folder. The caller holds showing, or is alone.
func (w *place) show(name, body string, at time.Time) {
	w.shown[name] = body
	w.edited[name] = at
	w.folder.Set(at, name, fs.NewText(at, []byte(body)))
}

// offer shows and keeps a page, if it is another than before; "" removes it. At is the
// time of the newest fact in it; a page that changes for another reason changes now. The
// caller holds showing.
func (w *place) offer(name, body string, at time.Time) {
	kept := filepath.Join(stateOf(w.p.opts.Cache, w.workspace()), name)
	switch {
	case w.shown[name] == body:
		return
	case body == "":
		delete(w.shown, name)
		w.folder.Remove(w.p.opts.Env.Now(), name)
		_ = os.Remove(kept)
		w.p.announce(w.workspace(), name)
		return
	}
	if now := w.p.opts.Env.Now(); at.After(now) {
		at = now // a commit may be from the future
	}
	if before := w.edited[name]; !at.After(before) && w.shown[name] != "" {
		at = wording.Later(w.p.opts.Env.Now(), before.Add(1))
	}
	w.show(name, body, at)
	_ = atomicfile.Write(kept, []byte(body)) // it is made again
	w.p.announce(w.workspace(), name)
}
