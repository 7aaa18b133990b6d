package workspaces

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/atomicfile"
)

// kept is a workspace in the file that keeps the set, which is a JSON array of them in the
// order of the set.
type kept struct {
	Dir       string               `json:"dir"`
	Time      time.Time            `json:"time,omitzero"`
	Worktrees map[string]time.Time `json:"worktrees,omitempty"` // when someone last worked there
	Alone     bool                 `json:"alone,omitempty"`     // it is a folder of no project
}

// readKept reads the file. One that cannot be read is an empty one: the workspaces are
// then found again as those who know of them tell.
func readKept(file string) (all []Workspace) {
	var list []kept
	if body, err := os.ReadFile(file); err != nil || json.Unmarshal(body, &list) != nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, k := range list[:min(len(list), maxWorkspaces)] {
		w := Workspace{Dir: k.Dir, Worktrees: slices.Sorted(maps.Keys(k.Worktrees)), Time: k.Time, alone: k.Alone, last: k.Worktrees}
		if slices.ContainsFunc(w.Folders(), func(dir string) bool { return !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || seen[dir] }) {
			continue
		}
		for _, dir := range w.Folders() {
			seen[dir] = true
		}
		all = append(all, w)
	}
	return all
}

// keep writes the file. One that cannot be written is no fault: the set is found again.
func keep(file string, all []Workspace) {
	list := make([]kept, len(all))
	for i, w := range all {
		list[i] = kept{Dir: w.Dir, Worktrees: w.last, Time: w.Time, Alone: w.alone}
	}
	if body, err := json.MarshalIndent(list, "", "  "); err == nil && file != "" {
		_ = atomicfile.Write(file, append(body, '\n'))
	}
}
