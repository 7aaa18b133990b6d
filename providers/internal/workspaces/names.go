package workspaces

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/atomicfile"
	nameof "ctxfs/providers/internal/names"
)

// maxNames is how many names are kept: those of folders that are no workspaces any
// more are forgotten beyond that.
const maxNames = 10 * maxWorkspaces

// ByPath is a name that no workspace has: that of the folder in which they are found by
// their paths.
const ByPath = "by-path"

// names are the names of workspaces, by their folders. A workspace keeps its name, even
// if another one of the same name is found or it is no workspace for a while.
type names struct {
	file string
	by   map[string]string
}

// loadNames reads the file of names. A file that cannot be read counts as empty: names
// are then assigned again.
func loadNames(file string) *names {
	n := &names{file: file, by: make(map[string]string)}
	kept := make(map[string]string)
	if body, err := os.ReadFile(file); err == nil && json.Unmarshal(body, &kept) != nil {
		return n
	}
	taken := make(map[string]bool)
	for _, dir := range slices.Sorted(maps.Keys(kept)) {
		name := kept[dir]
		base, _, _ := strings.Cut(name, "~")
		if base == nameof.File(base) && !strings.ContainsAny(name, "/\x00\n") && !taken[nameof.Fold(name)] {
			n.by[dir], taken[nameof.Fold(name)] = name, true
		}
	}
	return n
}

// assign sets the names of workspaces and keeps the new ones. A file that cannot be
// written is no fault: the names hold as long as the process.
func (n *names) assign(all []Workspace) {
	taken := make(map[string]bool, len(n.by))
	for _, name := range n.by {
		taken[nameof.Fold(name)] = true
	}
	more := false
	for _, i := range byDir(all) {
		w := &all[i]
		w.Name = n.by[w.Dir]
		if w.Name != "" {
			continue
		}
		base := nameof.File(filepath.Base(w.Dir))
		w.Name = base
		for k := 2; taken[nameof.Fold(w.Name)] || w.Name == ByPath; k++ {
			w.Name = base + "~" + strconv.Itoa(k)
		}
		n.by[w.Dir], taken[nameof.Fold(w.Name)], more = w.Name, true, true
	}
	if !more {
		return
	}
	n.prune(all)
	if body, err := json.MarshalIndent(n.by, "", "  "); err == nil && n.file != "" {
		_ = atomicfile.Write(n.file, append(body, '\n'))
	}
}

// prune forgets the names of some folders that are no workspaces, if there are too many.
func (n *names) prune(all []Workspace) {
	if len(n.by) <= maxNames {
		return
	}
	clear(n.by)
	for _, w := range all {
		n.by[w.Dir] = w.Name
	}
}

// byDir returns the indexes of workspaces in the order of their folders.
func byDir(all []Workspace) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(all[a].Dir, all[b].Dir) })
	return order
}
