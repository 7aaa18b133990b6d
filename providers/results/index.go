package results

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	iofs "io/fs"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// entry is one result. It does not change, except that its lines are counted on
// demand.
type entry struct {
	name   string
	time   time.Time
	origin Origin
	size   int64
	lines  atomic.Int64 // or uncounted, or unreadable
	row    string       // its line in the index, once that is complete; guarded by the store's lock
	node   *fs.DiskFile
	disk   uint64 // version of the file on disk
	sum    uint64 // of what the index says of it
}

// The special numbers of lines.
const (
	uncounted  = -1
	unreadable = -2
)

// index is what a folder of results holds. Guarded by the store's lock.
type index struct {
	store   *Store
	dir     *fs.DiskDir // nil while it does not exist
	tree    *fs.Tree    // of dir
	err     error       // why the folder cannot be read
	entries []*entry    // by time; nothing below its length is written again
	byName  map[string]*entry
	size    int64
	sum     uint64    // of all entries, whatever their order
	changed time.Time // zero as long as the folder does not exist

	journal reader
	records map[string]record // of files that have not appeared yet
	dead    int               // lines of the journal whose files are gone
}

// change is what has changed in an index. A replaced entry is in both lists.
type change struct {
	added, removed []*entry
	state          bool // whether the folder can be read
}

func (c change) none() bool { return len(c.added)+len(c.removed) == 0 && !c.state }

// and returns both changes, one after the other.
func (c change) and(d change) change {
	return change{slices.Concat(c.added, d.added), slices.Concat(c.removed, d.removed), c.state || d.state}
}

// newIndex reads the whole folder: its names, a stat of each, and the journal.
func newIndex(s *Store) *index {
	x := &index{store: s, byName: make(map[string]*entry), records: make(map[string]record), journal: reader{journal: s.journal}}
	x.load()
	if x.dir != nil {
		if info, err := os.Stat(x.dir.Path()); err == nil {
			x.changed = info.ModTime()
		}
	}
	return x
}

// load reads the whole folder again. What has not changed stays the same entry.
func (x *index) load() change {
	before := x.err
	x.dir = nil
	x.open()
	names := make([]string, 0, len(x.byName))
	if x.dir != nil {
		var found []fs.Entry
		found, x.err = x.dir.List(context.Background())
		for _, e := range found {
			names = append(names, e.Name)
		}
	}
	names = slices.AppendSeq(names, maps.Keys(x.byName))
	slices.Sort(names)
	c := x.update(slices.Compact(names)...)
	for name, r := range x.records {
		if x.store.opts.Now().Sub(r.Time) > minAge { // it was deleted, or its process killed
			delete(x.records, name)
			x.dead++
		}
	}
	c.state = (before == nil) != (x.err == nil)
	return c
}

// open opens the folder, if it exists now.
func (x *index) open() {
	if x.dir != nil {
		return
	}
	dir, err := fs.NewDiskDir(x.store.opts.Dir, x.store.disk)
	if x.err = err; errors.Is(err, iofs.ErrNotExist) {
		x.err = nil
	}
	if err == nil {
		x.dir, x.tree = dir, fs.NewTree(dir, fs.TreeOptions{})
	}
}

// update compares some entries with the files on disk.
func (x *index) update(names ...string) (c change) {
	names = slices.DeleteFunc(names, func(name string) bool { return !isResult(name) })
	x.open()
	found := make([]fs.Found, len(names)) // none
	if x.dir != nil {
		found = x.tree.Find(context.Background(), x.dir, names...)
	}
	followed := false
	for i, name := range names {
		old := x.byName[name]
		node, ok := found[i].Node.(*fs.DiskFile)
		switch err := found[i].Err; {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			continue // unknown
		case !ok && old != nil:
			c.removed = append(c.removed, old)
			continue
		case !ok:
			continue
		}
		a := found[i].Attr
		if old != nil && old.disk == a.Version {
			continue
		}
		e := &entry{name: name, size: a.Size, node: node, disk: a.Version}
		e.lines.Store(uncounted)
		if old != nil {
			c.removed = append(c.removed, old)
			e.time, e.origin = old.time, old.origin // the file was changed: its lines differ
		} else {
			if _, ok := x.records[name]; !ok && !followed {
				x.follow()
				followed = true
			}
			x.describe(e)
		}
		e.sum = e.version()
		c.added = append(c.added, e)
	}
	x.apply(c)
	return c
}

// describe sets the origin of a new entry from the journal, or the name.
func (x *index) describe(e *entry) {
	r, ok := x.records[e.name]
	if !ok {
		e.time, e.origin, _ = parseName(e.name)
		return
	}
	delete(x.records, e.name)
	e.time, e.origin = r.Time, r.Origin
	if r.Bytes == e.size {
		e.lines.Store(int64(r.Lines))
	}
}

// follow reads what was appended to the journal.
func (x *index) follow() {
	records, err := x.journal.next()
	if err != nil {
		x.store.opts.Log.Warn("the journal of results cannot be read", "error", err)
	}
	for _, r := range records {
		x.expect(r)
	}
}

// expect adds a record of our own, whose file exists.
func (x *index) expect(r record) {
	if x.byName[r.File] == nil {
		x.records[r.File] = r
	}
}

func (x *index) apply(c change) {
	if len(c.added)+len(c.removed) == 0 {
		return
	}
	for _, e := range c.removed {
		delete(x.byName, e.name)
		x.size -= e.size
		x.sum -= e.sum
	}
	if len(c.removed) > 0 {
		x.entries = slices.DeleteFunc(slices.Clone(x.entries), func(e *entry) bool { return x.byName[e.name] != e })
	}
	sorted := true
	for _, e := range c.added {
		x.byName[e.name] = e
		x.size += e.size
		x.sum += e.sum
		if n := len(x.entries); n > 0 && byTime(x.entries[n-1], e) > 0 { // of the same moment, or of another process
			if len(c.added) == 1 {
				at, _ := slices.BinarySearchFunc(x.entries, e, byTime)
				x.entries = slices.Insert(slices.Clone(x.entries), at, e)
				break
			}
			sorted = false
		}
		x.entries = append(x.entries, e)
	}
	if !sorted {
		x.entries = slices.SortedFunc(slices.Values(x.entries), byTime)
	}
	x.changed = wording.Later(x.store.opts.Now(), x.changed.Add(1)) // which every change advances
}

func byTime(a, b *entry) int { return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.name, b.name)) }

// version returns a number derived from everything that the index says about an
// entry.
func (e *entry) version() uint64 {
	h := fnv.New64a()
	lines := e.lines.Load()
	if lines < 0 {
		lines = int64(e.disk)
	}
	for _, text := range []string{e.name, e.origin.Source, e.origin.Server, e.origin.Tool} {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	var b []byte
	for _, n := range []int64{e.time.UnixNano(), e.size, lines} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	h.Write(b)
	return h.Sum64()
}
