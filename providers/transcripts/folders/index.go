package folders

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/catalogue"
)

// indexHeader is the first line of INDEX.tsv. Paths are relative to transcripts/,
// times are UTC; bytes is the length of the agent's own log, empty for a database;
// events is empty until the session was rendered.
const indexHeader = "path\tagent\tid\tstart\tlast\tcwd\ttitle\tbytes\tevents\n"

// indexFile is one version of INDEX.tsv, of all sessions or of one agent's, which does
// not change: later changes are in the next version. It is made ahead of its readers;
// without a watch, and until the first scan is done, it is made when it is first read.
type indexFile struct {
	t       *Tree
	agent   string // "" for all
	version uint64
	changed time.Time

	mu    sync.Mutex
	parts [][]byte // the text; nil until it is made. The rows of an agent are shared
	size  int64
}

// indexes are the files INDEX.tsv as they are now.
type indexes struct {
	worker *rounds.Worker
	making sync.Mutex // held while they are made

	mu    sync.Mutex
	made  map[string]*indexFile // by agent, "" for all
	names uint64                // the version of the sessions' names that Renamed was called with
}

// index returns INDEX.tsv as it is now.
func (t *Tree) index(agent string) *indexFile {
	x := &t.indexes
	x.mu.Lock()
	defer x.mu.Unlock()
	if f := x.made[agent]; f != nil {
		return f
	}
	version, changed, _ := t.Catalogue.Attr("", "")
	f := &indexFile{t: t, agent: agent, version: version, changed: cmp.Or(changed, t.Env.Built)}
	x.made[agent] = f
	return f
}

const (
	// indexTime is the least time between two versions of INDEX.tsv.
	indexTime = time.Second
	// indexRest is the factor between the time that making an INDEX.tsv took and
	// the pause before the next one, if that is longer.
	indexRest = 20
)

// OutdateIndexes schedules every INDEX.tsv to be made again after a while or,
// without a watch, when it is read.
func (t *Tree) OutdateIndexes() {
	if !t.Watch {
		t.indexes.mu.Lock()
		clear(t.indexes.made)
		t.indexes.mu.Unlock()
		return
	}
	t.indexes.worker.Poke()
}

// KeepIndexes makes every INDEX.tsv again after OutdateIndexes was called, until Close.
func (t *Tree) KeepIndexes() { t.indexes.worker.Start() }

// Settled returns when what was outdated before the call was made again.
func (t *Tree) Settled(ctx context.Context) error { return t.indexes.worker.Settled(ctx) }

// Close ends what KeepIndexes has started.
func (t *Tree) Close() { t.indexes.worker.Close() }

func (t *Tree) renewIndexes(context.Context) {
	x := &t.indexes
	names := t.Catalogue.NameVersion()
	x.mu.Lock()
	renamed := x.names != names
	x.names = names
	x.mu.Unlock()
	changed := t.MakeIndexes()
	if renamed {
		t.Renamed()
	}
	for _, name := range changed {
		t.Env.Changed(name)
	}
}

// MakeIndexes makes every INDEX.tsv again, and returns the paths of those whose text
// has changed.
func (t *Tree) MakeIndexes() (names []string) {
	x := &t.indexes
	x.making.Lock()
	defer x.making.Unlock()
	_, latest, _ := t.Catalogue.Attr("", "")
	latest = cmp.Or(latest, t.Env.Built)
	parts := t.indexParts()
	whole := &indexFile{t: t, parts: [][]byte{[]byte(indexHeader)}}
	made := []*indexFile{whole}
	for _, part := range parts {
		made = append(made, &indexFile{t: t, agent: part.agent, parts: [][]byte{whole.parts[0], part.rows}, changed: part.newest})
		whole.parts = append(whole.parts, part.rows)
		whole.changed = wording.Later(whole.changed, part.newest)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := make(map[string]*indexFile)
	for _, f := range made {
		f.seal()
		name := IndexName
		if f.agent != "" {
			name = f.agent + "/" + IndexName
		}
		old := x.made[f.agent]
		switch {
		case old != nil && old.version == f.version:
			now[f.agent] = old
			continue
		case old != nil && !f.changed.After(old.changed): // a fact without a time has changed
			f.changed = latest
			if !latest.After(old.changed) {
				f.changed = old.changed.Add(1)
			}
		case f.changed.IsZero():
			f.changed = latest
		}
		now[f.agent] = f
		names = append(names, name)
	}
	x.made = now
	return names
}

// seal sets the size and the version of a text that is complete. The version is
// made from the text, so that it is the same after a restart.
func (f *indexFile) seal() {
	for _, part := range f.parts {
		f.size += int64(len(part))
	}
	f.version = fs.BytesVersion(f.parts...)
}

func (f *indexFile) Patience() time.Duration { return patience }

func (f *indexFile) Attr(context.Context) (fs.Attr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: f.changed, Version: f.version}
	if f.parts != nil {
		a.Size = f.size
	}
	return a, nil
}

func (f *indexFile) Measure(ctx context.Context) (fs.Attr, error) {
	if _, err := f.text(ctx); err != nil {
		return fs.Attr{}, err
	}
	return f.Attr(ctx)
}

func (f *indexFile) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	parts, err := f.text(ctx)
	if err != nil {
		return 0, err
	}
	for _, part := range parts {
		if off < int64(len(part)) {
			n += copy(p[n:], part[off:])
			off = 0
		} else {
			off -= int64(len(part))
		}
		if n == len(p) {
			return n, nil
		}
	}
	return n, io.EOF
}

func (f *indexFile) text(ctx context.Context) ([][]byte, error) {
	f.mu.Lock()
	parts := f.parts
	f.mu.Unlock()
	if parts != nil {
		return parts, nil
	}
	if err := f.t.Scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parts == nil {
		parts := [][]byte{[]byte(indexHeader)}
		for _, part := range f.t.indexParts() {
			if f.agent == "" || part.agent == f.agent {
				parts = append(parts, part.rows)
				f.size += int64(len(part.rows))
			}
		}
		f.parts, f.size = parts, f.size+int64(len(indexHeader))
	}
	return f.parts, nil
}

// indexPart is the part of INDEX.tsv for one agent.
type indexPart struct {
	agent  string
	rows   []byte
	newest time.Time
}

// indexParts returns INDEX.tsv without its header, in the order of the tree: by agent.
func (t *Tree) indexParts() (parts []indexPart) {
	var b bytes.Buffer
	for _, s := range t.Catalogue.All() {
		if n := len(parts); n == 0 || parts[n-1].agent != s.Agent {
			if n > 0 {
				parts[n-1].rows = bytes.Clone(b.Bytes())
				b.Reset()
			}
			parts = append(parts, indexPart{agent: s.Agent})
		}
		v, _ := t.Catalogue.View(s)
		writeRow(&b, &v, t.Catalogue.Path(s))
		if part := &parts[len(parts)-1]; v.ModTime.After(part.newest) {
			part.newest = v.ModTime
		}
	}
	if n := len(parts); n > 0 {
		parts[n-1].rows = bytes.Clone(b.Bytes())
	}
	return parts
}

// writeRow writes the line of a session.
func writeRow(b *bytes.Buffer, v *catalogue.View, path string) {
	size, events := "", ""
	if n, ok := v.Log(); ok {
		size = strconv.FormatInt(n, 10)
	}
	if v.Published.Generation > 0 {
		events = strconv.Itoa(v.Published.Events)
	}
	for i, cell := range []string{
		path, v.Info.Agent, v.Info.ID, wording.Time(v.Info.Start), wording.Time(v.Info.Last), v.Info.CWD, clean.Cut(v.Info.Title, 200), size, events,
	} {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(clean.Line(cell))
	}
	b.WriteByte('\n')
}
