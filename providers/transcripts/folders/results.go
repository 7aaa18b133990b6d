package folders

import (
	"context"
	"ctxfs/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
)

// resultsFolder is the folder results/ of a session.
type resultsFolder struct{ node }

func (d resultsFolder) Patience() time.Duration { return patience }

func (d resultsFolder) Attr(context.Context) (fs.Attr, error) {
	v, err := d.view()
	if err != nil {
		return fs.Attr{}, err
	}
	return folderAttr(uint64(v.Published.Results), v.ModTime), nil
}

func (d resultsFolder) table(ctx context.Context) (*table, error) {
	if err := d.t.Cache.Current(ctx, d.s, false); err != nil {
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
	i, ok := slices.BinarySearchFunc(t.results, name, func(r cache.Result, name string) int { return strings.Compare(r.Name, name) })
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
		entries[i] = fs.Entry{Name: r.Name}
	}
	return entries, nil
}

// table is what results/ holds, sorted by name.
type table struct {
	generation uint32
	size       int64 // of the table on disk
	results    []cache.Result
}

// resultTable returns the table of a session, from memory if it was read recently.
func (t *Tree) resultTable(ctx context.Context, s *catalogue.Session) (*table, error) {
	v, _ := t.Catalogue.View(s)
	generation, count := v.Published.Generation, v.Published.Results
	if table, ok := t.tables.get(s); ok && table.generation == generation && len(table.results) == count {
		return table, nil
	}
	if count == 0 {
		return &table{generation: generation}, nil
	}
	results, size, err := t.Cache.Results(ctx, s, generation, count)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b cache.Result) int { return strings.Compare(a.Name, b.Name) })
	table := &table{generation: generation, size: size, results: results}
	t.tables.put(s, table)
	return table, nil
}

// resultFile is a long text of a session, whole.
type resultFile struct {
	node
	generation uint32
	cache.Result
}

func (f resultFile) Attr(context.Context) (fs.Attr, error) {
	a := fs.Attr{Mode: 0o444, Size: f.Size, ModTime: f.Time, Version: cache.HashID(f.s.ID + "\x00" + f.Name + "\x00" + strconv.Itoa(int(f.generation)))}
	if f.Spill != "" {
		a.Size = fs.SizeOnDemand
		if text, ok := f.t.texts.get(f.key()); ok {
			a.Size = int64(len(text))
		}
	}
	if f.Time.IsZero() {
		v, _ := f.t.Catalogue.View(f.s)
		a.ModTime = v.Seen
	}
	return a, nil
}

func (f resultFile) key() textKey { return textKey{f.s, f.Name, uint64(f.generation)} }

func (f resultFile) Measure(ctx context.Context) (fs.Attr, error) {
	text, err := f.text()
	if err != nil {
		return fs.Attr{}, err
	}
	a, err := f.Attr(ctx)
	a.Size = int64(len(text))
	return a, err
}

func (f resultFile) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	text, err := f.text()
	if err != nil {
		return 0, err
	}
	return readBytes(text, p, off)
}

func (f resultFile) text() ([]byte, error) { return f.t.text(f.key(), f.read) }

// read reads the file that has the whole text, or what the source or the cache
// has of it.
func (f resultFile) read() ([]byte, error) {
	if f.Spill != "" {
		if text, err := f.t.Scanner.ReadSpill(f.s.Agent, f.Spill); err == nil {
			return text, nil
		}
	}
	v, _ := f.t.Catalogue.View(f.s)
	return f.Result.Text(f.t.Cache.EntryDir(f.s.Agent, f.s.ID), f.generation, v.Source)
}
