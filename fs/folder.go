package fs

import (
	"cmp"
	"context"
	iofs "io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// Folder is a folder in memory: names to nodes. The zero value is empty and
// ready to use. After changing it, call Env.Changed.
type Folder struct {
	mu      sync.RWMutex
	nodes   map[string]Node
	sorted  []Entry // nil after a change, made again by List
	modTime time.Time
	version uint64
}

// NewFolder returns a folder with these nodes, last changed at t. It keeps a
// copy of the map.
func NewFolder(t time.Time, nodes map[string]Node) *Folder {
	return &Folder{nodes: maps.Clone(nodes), modTime: t}
}

// Replace replaces all nodes in one step: no reader sees half of the change.
func (f *Folder) Replace(t time.Time, nodes map[string]Node) {
	nodes = maps.Clone(nodes)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes = nodes
	f.changed(t)
}

// Set adds a node, or replaces the one of that name.
func (f *Folder) Set(t time.Time, name string, n Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nodes == nil {
		f.nodes = make(map[string]Node)
	}
	f.nodes[name] = n
	f.changed(t)
}

// Remove removes a name, if it exists.
func (f *Folder) Remove(t time.Time, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.nodes[name]; ok {
		delete(f.nodes, name)
		f.changed(t)
	}
}

func (f *Folder) changed(t time.Time) {
	f.sorted = nil
	f.version++
	f.modTime = t
}

// Attr implements Node.
func (f *Folder) Attr(context.Context) (Attr, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return Attr{Mode: iofs.ModeDir | 0o555, ModTime: f.modTime, Version: f.version}, nil
}

// Lookup implements Dir.
func (f *Folder) Lookup(_ context.Context, name string) (Node, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if n, ok := f.nodes[name]; ok {
		return n, nil
	}
	return nil, ErrNotExist
}

// List implements Dir. Between changes it returns the same slice.
func (f *Folder) List(context.Context) ([]Entry, error) {
	f.mu.RLock()
	sorted := f.sorted
	f.mu.RUnlock()
	if sorted != nil {
		return sorted, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sorted == nil {
		f.sorted = make([]Entry, 0, len(f.nodes))
		for name, n := range f.nodes {
			f.sorted = append(f.sorted, Entry{Name: name, Type: typeOf(n)})
		}
		sortEntries(f.sorted)
	}
	return f.sorted, nil
}

func (f *Folder) prompt() bool { return true }

func sortEntries(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
}
