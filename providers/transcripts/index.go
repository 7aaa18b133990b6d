package transcripts

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// indexHeader are the columns of INDEX.tsv. Paths are relative to transcripts/,
// times UTC; bytes are those of the agent's own log, empty where it is a
// database; events are empty until the session was rendered.
const indexHeader = "path\tagent\tid\tstart\tlast\tcwd\ttitle\tbytes\tevents\n"

// indexFile is INDEX.tsv, of all sessions or of one agent's. It is made when it
// is read, and a version of it does not change: what happens meanwhile is in the
// next.
type indexFile struct {
	p       *Provider
	agent   string // "" for all
	version uint64
	changed time.Time

	mu   sync.Mutex
	text []byte
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
	f := &indexFile{p: p, agent: agent, version: p.list.version, changed: p.list.changed}
	p.indexes[agent] = f
	return f
}

// indexTime is how often INDEX.tsv may change.
const indexTime = time.Second

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
	time.AfterFunc(indexTime, func() {
		p.mu.Lock()
		p.indexTimer = false
		var names []string
		for agent := range p.indexes {
			if agent == "" {
				names = append(names, indexName)
			} else {
				names = append(names, agent+"/"+indexName)
			}
		}
		clear(p.indexes)
		p.list.mu.RLock()
		renamed := p.documented != p.list.names
		p.documented = p.list.names
		p.list.mu.RUnlock()
		p.mu.Unlock()
		p.queue.whileOpen(func() {
			if renamed && p.opts.Documented != nil {
				p.opts.Documented()
			}
			for _, name := range names {
				p.opts.Env.Changed(name)
			}
		})
	})
}

func (f *indexFile) Patience() time.Duration { return patience }

func (f *indexFile) Attr(context.Context) (fs.Attr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: f.changed, Version: f.version}
	if f.text != nil {
		a.Size = int64(len(f.text))
	}
	return a, nil
}

func (f *indexFile) Measure(ctx context.Context) (fs.Attr, error) {
	if _, err := f.bytes(ctx); err != nil {
		return fs.Attr{}, err
	}
	return f.Attr(ctx)
}

func (f *indexFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	text, err := f.bytes(ctx)
	if err != nil {
		return 0, err
	}
	return readBytes(text, p, off)
}

func (f *indexFile) bytes(ctx context.Context) ([]byte, error) {
	if err := f.p.known(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text == nil {
		f.text = f.p.indexText(f.agent)
	}
	return f.text, nil
}

// indexText writes INDEX.tsv, in the order of the tree.
func (p *Provider) indexText(agent string) []byte {
	all := p.list.all()
	var b bytes.Buffer
	b.WriteString(indexHeader)
	p.list.mu.RLock()
	defer p.list.mu.RUnlock()
	for _, s := range all {
		if agent != "" && s.agent != agent {
			continue
		}
		size, events := "", ""
		if src := s.source(); src != nil && src.key == "" {
			size = strconv.FormatInt(src.stat.Size, 10)
		}
		if s.shown.Generation > 0 {
			events = strconv.Itoa(s.shown.Events)
		}
		for i, cell := range []string{
			s.path(), s.agent, s.id, stamp(s.info.Start), stamp(s.info.Last), s.info.CWD, clean.Cut(s.info.Title, 200), size, events,
		} {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(clean.Line(cell))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// stamp is a time as the tables have it; empty where it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
