package transcripts

import (
	"context"
	"ctxfs/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// resultsFolder is the folder results/ of a session.
type resultsFolder struct{ node }

func (d resultsFolder) Patience() time.Duration { return patience }

func (d resultsFolder) Attr(context.Context) (fs.Attr, error) {
	v, err := d.view()
	if err != nil {
		return fs.Attr{}, err
	}
	return folderAttr(uint64(v.published.Results), v.modTime), nil
}

func (d resultsFolder) table(ctx context.Context) (*resultTable, error) {
	if err := d.t.Cache.current(ctx, d.s, false); err != nil {
		return nil, err
	}
	return d.t.resultTable(ctx, d.s)
}

// Computed implements fs.Computed: the session is rendered first.
func (d resultsFolder) Computed() {}

func (d resultsFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
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
	return resultFile{d.node, t.generation, t.results[i]}, nil
}

func (d resultsFolder) List(ctx context.Context) ([]fs.Entry, error) {
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
func (t *tree) resultTable(ctx context.Context, s *session) (*resultTable, error) {
	v, _ := t.Catalogue.view(s)
	generation, count := v.published.Generation, v.published.Results
	if table := t.tables.get(s, generation, count); table != nil {
		return table, nil
	}
	if count == 0 {
		return &resultTable{generation: generation}, nil
	}
	results, size, err := t.Cache.results(ctx, s, generation, count)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.name, b.name) })
	table := &resultTable{generation: generation, size: size, results: results}
	t.tables.put(s, table)
	return table, nil
}

// resultFile is a long text of a session, whole.
type resultFile struct {
	node
	generation uint32
	result
}

func (f resultFile) Attr(context.Context) (fs.Attr, error) {
	a := fs.Attr{Mode: 0o444, Size: f.size, ModTime: f.time, Version: hashID(f.s.id + "\x00" + f.name + "\x00" + strconv.Itoa(int(f.generation)))}
	if f.spill != "" {
		a.Size = fs.SizeOnDemand
		if text, ok := f.t.texts.get(f.key()); ok {
			a.Size = int64(len(text))
		}
	}
	if f.time.IsZero() {
		v, _ := f.t.Catalogue.view(f.s)
		a.ModTime = v.seen
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
	if text, ok := f.t.texts.get(f.key()); ok {
		return text, nil
	}
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	f.t.texts.put(f.key(), text)
	return text, nil
}

// read reads the file that has the whole text, or what the source or the cache
// has of it.
func (f resultFile) read() ([]byte, error) {
	if f.spill != "" {
		if text, err := f.t.Scanner.readSpill(f.s.agent, f.spill); err == nil {
			return text, nil
		}
	}
	v, _ := f.t.Catalogue.view(f.s)
	return f.result.text(f.t.Cache.entryDir(f.s.agent, f.s.id), f.generation, v.source)
}
