package workspaces

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/fs/facts"
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
	// mostRan is how many commands of sessions are remembered.
	mostRan = 1000
	// settling is how long after a command ended a change may still be by it: clocks and
	// file systems have precisions of their own.
	settling = time.Second
)

// edits is what hooks of agents tell of the files that they write. A session's log may have
// it only later.
type edits struct {
	reading turns // of sessions' logs

	mu      sync.Mutex
	written []written // the last one at the end
	ran     []ran     // in the same order
}

// ran is a command of a session: what changed meanwhile may be by it.
type ran struct {
	session, call string
	begun, ended  time.Time // zero while it runs, or where that is not known
}

// written is a file as a session left it.
type written struct {
	session, path string
	modified      time.Time
	size          int64
}

// note remembers how a call left the files that it wrote.
func (e *edits) note(m facts.Moment) {
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

// begin remembers that a command of a session begins.
func (e *edits) begin(m facts.Moment) {
	if m.Call != nil && m.Call.Command != "" {
		e.run(ran{session: m.Session, call: m.Call.ID, begun: m.Time})
	}
}

// end remembers that a command of a session has ended, also one that failed. If its start
// is not known, it ran since the session's last moment.
func (e *edits) end(m facts.Moment) {
	if m.Call == nil || m.Call.Command == "" {
		return
	}
	one := ran{session: m.Session, call: m.Call.ID, begun: m.Last, ended: m.Time}
	e.mu.Lock()
	i := slices.IndexFunc(e.ran, func(r ran) bool {
		return r.session == one.session && r.call == one.call && r.ended.IsZero()
	})
	if i >= 0 {
		one.begun = e.ran[i].begun
		e.ran = slices.Delete(e.ran, i, i+1)
	}
	e.mu.Unlock()
	if !one.begun.IsZero() {
		e.run(one)
	}
}

func (e *edits) run(r ran) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ran = append(e.ran, r)
	e.ran = e.ran[max(0, len(e.ran)-mostRan):]
}

// maybeOwn reports whether a file changed while a command of the session ran. The time of
// a deletion is not known: any command since the session saw the file may have done it.
func (e *edits) maybeOwn(session string, c changes.Change) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.ran, func(r ran) bool {
		switch {
		case r.session != session || r.ended.IsZero():
			return false
		case c.Modified.IsZero():
			return r.ended.After(c.Seen)
		}
		return !c.Modified.Before(r.begun.Truncate(time.Second)) && !c.Modified.After(r.ended.Add(settling))
	})
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

// outdated returns the refusal of an edit that would be made on a reading that no longer
// holds, by the rules of `ctxfs stale --guard`: the file changed since the session last saw
// it. What the session has never seen is not outdated, nor is what it wrote itself, or may
// have written by a command. A change is told once, so that the same edit passes the second
// time.
func (p *Provider) outdated(ctx context.Context, m facts.Moment) []facts.News {
	if m.Call == nil || !m.Call.MayRefuse || m.Session == "" {
		return nil
	}
	for _, path := range m.Call.Writes {
		if !p.answers(filepath.Dir(path)) || p.edits.asLeft(m.Session, path) {
			continue
		}
		for _, s := range p.readsOf(ctx, m.Session, path) {
			c, compared := changes.Compare(s, lastSeen(m))
			if compared && c.Outdated() && !p.edits.maybeOwn(m.Session, c) {
				return []facts.News{refusal(c, path, m.Session)}
			}
		}
	}
	return nil
}

// lastSeen returns when a session last saw what its agent stores no times of: not after its
// last hook.
func lastSeen(m facts.Moment) time.Time {
	return cmp.Or(m.Last, m.Time)
}

// readsOf returns what a session last saw of a file, by whatever name; nothing when ctx ends
// before its log is read.
func (p *Provider) readsOf(ctx context.Context, session, path string) []facts.Read {
	names := []string{path}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		names = append(names, filepath.Join(dir, filepath.Base(path)))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		names = append(names, real)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := p.readsIn(ctx, session, names)
	return slices.DeleteFunc(all, func(s facts.Read) bool { return !slices.Contains(names, s.File) })
}

// refusal says why a file must be read again.
func refusal(c changes.Change, path, session string) facts.News {
	file := wording.ShellWord(clean.Line(path))
	seen := "after this session last saw it"
	if !c.Seen.IsZero() {
		seen += " " + wording.Time(c.Seen)
	}
	n := facts.News{Kind: facts.NewsStale, Rank: facts.Blocking, Refuse: true}
	if c.State == changes.Deleted {
		n.Text = fmt.Sprintf("%s was deleted %s. Find out why before you write it; then the same call passes.", file, seen)
	} else {
		n.Text = fmt.Sprintf("%s changed %s, %s. Read it again, or see what changed: `ctxfs stale --diff --session %s %s`; then the same call passes.", file, wording.Time(c.Modified), seen, wording.ShellWord(session), file)
	}
	n.Key = path + "@" + c.Modified.Format(time.RFC3339Nano)
	return n
}
