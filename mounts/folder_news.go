package mounts

import (
	"slices"
	"strings"
	"sync"
)

// news collects the paths of changes until somebody has time for them.
type news struct {
	wake chan struct{} // has a value when there are paths

	mu    sync.Mutex
	paths map[string]struct{}
}

func newNews() *news {
	return &news{wake: make(chan struct{}, 1), paths: make(map[string]struct{})}
}

// add never blocks.
func (n *news) add(path string) {
	n.mu.Lock()
	n.paths[path] = struct{}{}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// take gives the paths collected, sorted, without those below others.
func (n *news) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]string, 0, len(n.paths))
	for p := range n.paths {
		if !n.coveredByParent(p) {
			all = append(all, p)
		}
	}
	clear(n.paths)
	slices.Sort(all)
	return all
}

func (n *news) coveredByParent(p string) bool {
	for p != "" {
		p = p[:max(0, strings.LastIndexByte(p, '/'))]
		if _, ok := n.paths[p]; ok {
			return true
		}
	}
	return false
}
