package project

import (
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
)

// maxUsed is how many projects are remembered because they were found; beyond that
// the one that was found first is forgotten.
const maxUsed = 1000

// knownPatience is how long one of the configured folders may take to answer.
const knownPatience = 2 * time.Second

// known are the folders that are recognized by their identity, whatever path leads
// to them: those that were found to be projects, and those that a configuration
// names.
type known struct {
	prober  *fs.Prober
	resolve func(path string) (string, error) // fails for what is in a view of ours

	mu         sync.Mutex
	configured map[string]bool
	paths      map[fs.FileID]string // of the configured ones that exist
	used       map[fs.FileID]string
	order      []fs.FileID // of used, the oldest first
}

func newKnown(resolve func(path string) (string, error)) *known {
	return &known{prober: fs.NewProber(knownPatience), resolve: resolve, used: make(map[fs.FileID]string)}
}

// identify returns the identity of a folder, unless it is in a view of ours.
func (k *known) identify(dir string) (fs.FileID, error) {
	if _, err := k.resolve(dir); err != nil {
		return fs.FileID{}, err
	}
	return identify(dir)
}

// set replaces the configured ones.
func (k *known) set(dirs []string) {
	configured := make(map[string]bool, len(dirs))
	for _, dir := range dirs {
		configured[dir] = true
	}
	k.mu.Lock()
	k.configured = configured
	k.mu.Unlock()
	k.refresh()
}

// refresh identifies the configured folders: they may have been recreated.
func (k *known) refresh() {
	k.mu.Lock()
	dirs := slices.Sorted(maps.Keys(k.configured))
	k.mu.Unlock()
	ids := make([]fs.FileID, len(dirs))
	var work cell.Group
	for i, dir := range dirs {
		work.Go(func() { ids[i], _ = fs.Probe(k.prober, dir, func() (fs.FileID, error) { return k.identify(dir) }) })
	}
	work.Wait()
	paths := make(map[fs.FileID]string, len(dirs))
	for i, id := range ids {
		if paths[id] == "" && id != (fs.FileID{}) {
			paths[id] = dirs[i]
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.paths = paths
}

// configures reports whether a folder is a configured one, by this path or another.
func (k *known) configures(dir string, id fs.FileID) bool {
	k.mu.Lock()
	ok, other := k.configured[dir], k.paths[id]
	k.mu.Unlock()
	return ok || k.leadsTo(other, id)
}

// path returns the path by which a folder is known, or "". Two paths of one folder
// are one project: its path is the configured one, by which its servers are known, or
// else that by which it was first found.
func (k *known) path(id fs.FileID) string {
	k.mu.Lock()
	used, configured := k.used[id], k.paths[id]
	k.mu.Unlock()
	for _, path := range []string{configured, used} {
		if k.leadsTo(path, id) {
			return path
		}
	}
	return ""
}

// leadsTo reports whether a path that was recorded still leads to that folder.
func (k *known) leadsTo(path string, id fs.FileID) bool {
	if path == "" {
		return false
	}
	is, err := k.identify(path)
	return err == nil && is == id
}

// remember records that a folder is used as a project, and returns its path.
func (k *known) remember(dir string, id fs.FileID) string {
	if path := k.path(id); path != "" {
		dir = path
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.used[id]; !ok {
		k.order = append(k.order, id)
	}
	k.used[id] = dir
	for len(k.order) > maxUsed {
		delete(k.used, k.order[0])
		k.order = k.order[1:]
	}
	return dir
}
