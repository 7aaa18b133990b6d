package transcripts

import (
	"bytes"
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// indexHeader are the columns of INDEX.tsv. Paths are relative to transcripts/,
// times UTC; bytes are those of the agent's own log, empty where it is a
// database; events are empty until the session was rendered.
const indexHeader = "path\tagent\tid\tstart\tlast\tcwd\ttitle\tbytes\tevents\n"

// indexFile is a version of INDEX.tsv, of all sessions or of one agent's, which
// does not change: what happens meanwhile is in the next. It is made ahead of its
// readers; only where nothing is kept current, or until the sessions have been
// looked for once, it is made for the first who reads it.
type indexFile struct {
	p       *Provider
	agent   string // "" for all
	version uint64
	changed time.Time

	mu    sync.Mutex
	parts [][]byte // the text; nil until it is made. Those of agents are in memory once
	size  int64
}

// index returns INDEX.tsv as it is now.
func (p *Provider) index(agent string) *indexFile {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.indexes[agent]; f != nil {
		return f
	}
	p.list.mu.RLock()
	defer p.list.mu.RUnlock()
	f := &indexFile{p: p, agent: agent, version: p.list.version, changed: cmp.Or(p.list.changed, p.opts.Env.Built)}
	p.indexes[agent] = f
	return f
}

const (
	// indexTime is how often INDEX.tsv may change.
	indexTime = time.Second
	// indexRest is how much longer than it took the next rests, where that is more.
	indexRest = 20
)

// indexSoon has INDEX.tsv made anew after a while.
func (p *Provider) indexSoon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opts.Watch {
		clear(p.indexes)
		return
	}
	if p.indexTimer || p.ctx.Err() != nil {
		return
	}
	p.indexTimer = true
	time.AfterFunc(max(indexTime, indexRest*p.indexTook), func() {
		p.queue.whileOpen(func() {
			p.mu.Lock()
			p.indexTimer = false
			p.list.mu.RLock()
			renamed := p.documented != p.list.names
			p.documented = p.list.names
			p.list.mu.RUnlock()
			p.mu.Unlock()
			names := p.makeIndexes()
			if renamed && p.opts.Env.Documented != nil {
				p.opts.Env.Documented("")
			}
			for _, name := range names {
				p.opts.Env.Changed(name)
			}
		})
	})
}

// makeIndexes makes every INDEX.tsv anew, and returns the names of those that
// are others than before.
func (p *Provider) makeIndexes() (names []string) {
	p.indexing.Lock()
	defer p.indexing.Unlock()
	begun := time.Now()
	p.list.mu.RLock()
	latest := cmp.Or(p.list.changed, p.opts.Env.Built)
	p.list.mu.RUnlock()
	parts := p.indexParts()
	whole := &indexFile{p: p, parts: [][]byte{[]byte(indexHeader)}}
	made := []*indexFile{whole}
	for _, part := range parts {
		made = append(made, &indexFile{p: p, agent: part.agent, parts: [][]byte{whole.parts[0], part.rows}, changed: part.newest})
		whole.parts = append(whole.parts, part.rows)
		if part.newest.After(whole.changed) {
			whole.changed = part.newest
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := make(map[string]*indexFile)
	for _, f := range made {
		f.finish()
		name := indexName
		if f.agent != "" {
			name = f.agent + "/" + indexName
		}
		old := p.indexes[f.agent]
		switch {
		case old != nil && old.version == f.version:
			now[f.agent] = old
			continue
		case old != nil && !f.changed.After(old.changed): // of a fact that has no time
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
	p.indexes = now
	p.indexTook = time.Since(begun)
	return names
}

// finish notes the size and the version of a text. The version is made of the
// text, so that it is the same after a restart.
func (f *indexFile) finish() {
	h := fnv.New64a()
	for _, part := range f.parts {
		f.size += int64(len(part))
		_, _ = h.Write(part) // never fails
	}
	f.version = h.Sum64()
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
	if err := f.p.known(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parts == nil {
		parts := [][]byte{[]byte(indexHeader)}
		for _, part := range f.p.indexParts() {
			if f.agent == "" || part.agent == f.agent {
				parts = append(parts, part.rows)
				f.size += int64(len(part.rows))
			}
		}
		f.parts, f.size = parts, f.size+int64(len(indexHeader))
	}
	return f.parts, nil
}

// indexPart is what INDEX.tsv has of one agent.
type indexPart struct {
	agent  string
	rows   []byte
	newest time.Time
}

// rowsAtOnce is how many sessions are looked at while nobody can change any.
const rowsAtOnce = 500

// indexParts writes INDEX.tsv, in the order of the tree: by agent.
func (p *Provider) indexParts() (parts []indexPart) {
	var b bytes.Buffer
	for some := range slices.Chunk(p.list.all(), rowsAtOnce) {
		p.list.mu.RLock()
		for _, s := range some {
			if n := len(parts); n == 0 || parts[n-1].agent != s.agent {
				if n > 0 {
					parts[n-1].rows = bytes.Clone(b.Bytes())
					b.Reset()
				}
				parts = append(parts, indexPart{agent: s.agent})
			}
			s.writeRow(&b)
			if part := &parts[len(parts)-1]; s.modTime().After(part.newest) {
				part.newest = s.modTime()
			}
		}
		p.list.mu.RUnlock()
	}
	if n := len(parts); n > 0 {
		parts[n-1].rows = bytes.Clone(b.Bytes())
	}
	return parts
}

// writeRow writes the session's line. The caller holds the catalogue's lock.
func (s *session) writeRow(b *bytes.Buffer) {
	size, events := "", ""
	if src := s.source(); src != nil && src.key == "" {
		size = strconv.FormatInt(src.stat.Size, 10)
	}
	if s.shown.Generation > 0 {
		events = strconv.Itoa(s.shown.Events)
	}
	for i, cell := range []string{
		s.path(), s.agent, s.id, wording.Time(s.info.Start), wording.Time(s.info.Last), s.info.CWD, clean.Cut(s.info.Title, 200), size, events,
	} {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(clean.Line(cell))
	}
	b.WriteByte('\n')
}
