package workspaces

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/changes"
)

const (
	// readTime is how long a session's log may be read to learn what it has seen. A hook
	// does not wait so long: what was read is kept for the next one.
	readTime = 10 * time.Second
	// mostWritten is how many files are remembered that sessions have written.
	mostWritten = 1000
)

// edits is what hooks of agents tell of the files that they write. A session's log may have
// it only later.
type edits struct {
	reading alone // of sessions' logs

	mu      sync.Mutex
	written []written // the last one at the end
}

// written is a file as a session left it.
type written struct {
	session, path string
	modified      time.Time
	size          int64
}

// note remembers how a call left the files that it wrote.
func (e *edits) note(m fs.Moment) {
	if m.Call == nil || m.Call.Failed {
		return
	}
	for _, path := range m.Call.Writes {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		e.mu.Lock()
		e.written = slices.DeleteFunc(e.written, func(w written) bool { return w.session == m.Session && w.path == path })
		e.written = append(e.written, written{m.Session, path, info.ModTime(), info.Size()})
		e.written = e.written[max(0, len(e.written)-mostWritten):]
		e.mu.Unlock()
	}
}

// asLeft reports whether a file is as the session itself left it.
func (e *edits) asLeft(session, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Contains(e.written, written{session, path, info.ModTime(), info.Size()})
}

// alone has work with a name done by one at a time; others do without it. Its zero value is
// ready.
type alone struct {
	mu   sync.Mutex
	busy map[string]bool
}

// begin reports whether work may begin now. It must end then.
func (a *alone) begin(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[name] {
		return false
	}
	if a.busy == nil {
		a.busy = make(map[string]bool)
	}
	a.busy[name] = true
	return true
}

func (a *alone) end(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.busy, name)
}

// outdated returns the refusal of an edit that would be made on a reading that no longer
// holds, by the rules of `ctxfs stale --guard`: the file changed since the session last saw
// it. What the session has never seen is not outdated, nor is what it wrote itself. A change
// is told once, so that the same edit passes the second time.
func (p *Provider) outdated(ctx context.Context, m fs.Moment) []fs.News {
	if m.Call == nil || !m.Call.MayRefuse || m.Session == "" {
		return nil
	}
	for _, path := range m.Call.Writes {
		if !p.answers(filepath.Dir(path)) || p.edits.asLeft(m.Session, path) {
			continue
		}
		for _, s := range p.sightsOf(ctx, m.Session, path) {
			c, compared := changes.Compare(s, lastSeen(m))
			if compared && c.Outdated() {
				return []fs.News{refusal(c, path)}
			}
		}
	}
	return nil
}

// lastSeen returns when a session last saw what its agent stores no times of: not after its
// last hook.
func lastSeen(m fs.Moment) time.Time {
	if m.Last.IsZero() {
		return m.Time
	}
	return m.Last
}

// sightsOf returns what a session last saw of a file, by whatever name; nothing when ctx ends
// before its log is read.
func (p *Provider) sightsOf(ctx context.Context, session, path string) []fs.Sight {
	names := []string{path}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		names = append(names, filepath.Join(dir, filepath.Base(path)))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		names = append(names, real)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := p.sightsIn(ctx, session, names)
	return slices.DeleteFunc(all, func(s fs.Sight) bool { return !slices.Contains(names, s.File) })
}

// refusal says why a file must be read again.
func refusal(c changes.Change, path string) fs.News {
	file := wording.ShellWord(clean.Line(path))
	seen := "after this session last saw it"
	if !c.Seen.IsZero() {
		seen += " " + wording.Time(c.Seen)
	}
	n := fs.News{Kind: fs.NewsStale, Rank: fs.Blocking, Refuse: true}
	if c.State == changes.Deleted {
		n.Text = fmt.Sprintf("%s was deleted %s. Find out why before you write it; then the same call passes.", file, seen)
	} else {
		n.Text = fmt.Sprintf("%s changed %s, %s. Read it again, or see what changed: `ctxfs stale --diff %s`; then the same call passes.", file, wording.Time(c.Modified), seen, file)
	}
	n.Key = path + "@" + c.Modified.Format(time.RFC3339Nano)
	return n
}
