package transcripts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// result is a text that is not whole in the transcript: where it is to be found.
type result struct {
	name string
	// at is the record in the log, or, where its Part is kept, the text in the
	// book.
	at    event.Span
	size  int64 // of the text, in bytes
	time  time.Time
	spill string // the file with the whole, where the record has only a part
}

const kept = -1

// append writes a line of the table of results.
func (r *result) append(dst []byte) []byte {
	dst = append(append(dst, r.name...), '\t')
	stamp := int64(0)
	if !r.time.IsZero() {
		stamp = r.time.UnixNano()
	}
	for _, n := range []int64{r.at.Offset, r.at.Length, int64(r.at.Part), r.size, stamp} {
		dst = append(strconv.AppendInt(dst, n, 10), '\t')
	}
	if !strings.ContainsAny(r.spill, "\t\n") {
		dst = append(dst, r.spill...)
	}
	return append(dst, '\n')
}

// readResults reads the table of results of a book.
func (b *book) readResults() ([]result, error) {
	text, err := readStart(filepath.Join(b.dir, resultsFileName(b.Generation)), b.Index)
	if err != nil {
		return nil, err
	}
	return parseResults(text, bytes.Count(text, []byte("\n")))
}

// parseResults reads the first lines of a table of results. What is behind them
// was not published yet.
func parseResults(text []byte, count int) ([]result, error) {
	all := make([]result, 0, count)
	for line := range bytes.Lines(text) {
		if len(all) == count {
			break
		}
		cells := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(cells) != 7 {
			return nil, errChanged
		}
		var n [5]int64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseInt(cells[i+1], 10, 64); err != nil {
				return nil, errChanged
			}
		}
		r := result{name: cells[0], at: event.Span{Offset: n[0], Length: n[1], Part: int(n[2])}, size: n[3], spill: cells[6]}
		if n[4] != 0 {
			r.time = time.Unix(0, n[4])
		}
		all = append(all, r)
	}
	if len(all) < count {
		return nil, errChanged
	}
	return all, nil
}

// resultsDir is the folder results/ of a session.
type resultsDir struct {
	p *Provider
	s *session
}

func (d resultsDir) Patience() time.Duration { return patience }

func (d resultsDir) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(d.s) {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(uint64(d.s.shown.Results), d.s.modTime()), nil
}

func (d resultsDir) table(ctx context.Context) (*resultTable, error) {
	if err := d.p.current(ctx, d.s); err != nil {
		return nil, err
	}
	return d.p.resultTable(ctx, d.s)
}

func (d resultsDir) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if !strings.HasSuffix(name, ".txt") {
		return nil, fs.ErrNotExist // programs look for .git everywhere
	}
	t, err := d.table(ctx)
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(t.results, name, func(r result, name string) int { return strings.Compare(r.name, name) })
	if !ok {
		return nil, fs.ErrNotExist
	}
	return resultFile{d.p, d.s, t.generation, t.results[i]}, nil
}

func (d resultsDir) List(ctx context.Context) ([]fs.Entry, error) {
	t, err := d.table(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]fs.Entry, len(t.results))
	for i, r := range t.results {
		entries[i] = fs.Entry{Name: r.name}
	}
	return entries, nil
}

// resultTable is what results/ holds, sorted by name.
type resultTable struct {
	generation uint32
	size       int64 // of the table on disk
	results    []result
}

// resultTable reads the table of a session. Those of the sessions that were
// looked at last are kept.
func (p *Provider) resultTable(ctx context.Context, s *session) (*resultTable, error) {
	p.list.mu.RLock()
	generation, count := s.shown.Generation, s.shown.Results
	p.list.mu.RUnlock()
	if t := p.tables.get(s, generation, count); t != nil {
		return t, nil
	}
	if count == 0 {
		return &resultTable{generation: generation}, nil
	}
	text, err := os.ReadFile(p.bookPath(s, resultsFileName(generation)))
	if errors.Is(err, os.ErrNotExist) {
		if err = p.renderAgain(ctx, s, false); err == nil {
			text, err = os.ReadFile(p.bookPath(s, resultsFileName(generation)))
		}
	}
	if err != nil {
		return nil, err
	}
	results, err := parseResults(text, count)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.name, b.name) })
	t := &resultTable{generation: generation, size: int64(len(text)), results: results}
	p.tables.put(s, t)
	return t, nil
}

// resultFile is a long text of a session, whole.
type resultFile struct {
	p          *Provider
	s          *session
	generation uint32
	result
}

func (f resultFile) Attr(context.Context) (fs.Attr, error) {
	a := fs.Attr{Mode: 0o444, Size: f.size, ModTime: f.time, Version: hashID(f.s.id + "\x00" + f.name + "\x00" + strconv.Itoa(int(f.generation)))}
	if f.spill != "" {
		a.Size = fs.SizeOnDemand
		if text, ok := f.p.texts.get(f.key()); ok {
			a.Size = int64(len(text))
		}
	}
	if f.time.IsZero() {
		f.p.list.mu.RLock()
		a.ModTime = f.s.seen
		f.p.list.mu.RUnlock()
	}
	return a, nil
}

func (f resultFile) key() textKey { return textKey{f.s, f.name, uint64(f.generation)} }

func (f resultFile) Measure(ctx context.Context) (fs.Attr, error) {
	text, err := f.text(ctx)
	if err != nil {
		return fs.Attr{}, err
	}
	a, err := f.Attr(ctx)
	a.Size = int64(len(text))
	return a, err
}

func (f resultFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	text, err := f.text(ctx)
	if err != nil {
		return 0, err
	}
	return readBytes(text, p, off)
}

func (f resultFile) text(ctx context.Context) ([]byte, error) {
	if text, ok := f.p.texts.get(f.key()); ok {
		return text, nil
	}
	text, err := f.p.cut(ctx, f)
	if err != nil {
		return nil, err
	}
	f.p.texts.put(f.key(), text)
	return text, nil
}

// maxSpill is how much of a file is shown that an agent keeps a result in.
const maxSpill = 256 << 20

// cut gets a long text from where it lies.
func (p *Provider) cut(_ context.Context, f resultFile) ([]byte, error) {
	if f.spill != "" {
		if text, err := p.readSpill(f.s.agent, f.spill); err == nil {
			return text, nil
		}
	}
	if f.at.Part == kept {
		b := book{dir: p.bookDir(f.s)}
		text := make([]byte, f.at.Length)
		_, err := readAt(filepath.Join(b.dir, textFileName(f.generation)), text, f.at.Offset)
		return text, err
	}
	p.list.mu.RLock()
	src := f.s.source()
	p.list.mu.RUnlock()
	if src == nil {
		return nil, fs.ErrNotExist
	}
	format, ok := src.format.(history.Log)
	if !ok {
		return nil, fs.ErrNotExist
	}
	log, err := openLog(src.path, format.Compressed, f.at.Offset)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if f.at.Length < 0 || f.at.Length > maxLine {
		return nil, fs.ErrNotExist
	}
	line := make([]byte, f.at.Length)
	if _, err := io.ReadFull(log, line); err != nil {
		return nil, err
	}
	var out event.Collector
	_, err = guarded(func() (any, error) {
		format.Open(src.path).Record(bytes.TrimRight(line, "\r\n"), &out)
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	out.Events = slices.DeleteFunc(out.Events, func(e event.Event) bool { return isMark(&e) })
	if f.at.Part >= len(out.Events) {
		return nil, fs.ErrNotExist // the log was written anew, which will be told
	}
	out.Events[f.at.Part].Mask()
	text := render.ResultText(&out.Events[f.at.Part])
	if int64(len(text)) != f.size {
		return nil, fs.ErrNotExist
	}
	return text, nil
}

// readSpill reads the file in which an agent keeps a result. The path stands in a
// log, in text that anybody may have written: only files where the agent keeps
// its histories are read.
func (p *Provider) readSpill(agent, path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	places := p.places
	p.mu.Unlock()
	among := slices.ContainsFunc(places, func(pl *place) bool {
		_, ok := pl.rel(real)
		return ok && pl.agent == agent
	})
	if !among {
		return nil, fs.ErrPermission
	}
	return readWhole(real)
}

func readWhole(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpill {
		return nil, fs.ErrInvalid
	}
	text, err := os.ReadFile(path)
	return []byte(mask.Text(clean.Text(string(text)))), err
}
