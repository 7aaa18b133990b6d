package runner

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/internal/agents"
)

// An agent that may only read writes its own state all the same. Beside that lie the files
// that say what its later sessions do and run, outside of any sandbox. The sandbox keeps
// those that are there; those that were not, or that it could not keep, are looked at here.

// ownPaths returns what an agent writes for itself, and what in that is its configuration,
// for a user with an environment.
func ownPaths(p programs.Program, environ []string) (state, configuration []string) {
	lookup := func(name string) (string, bool) {
		for _, entry := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
	home, _ := lookup("HOME")
	m := agents.Machine{Home: home, OS: runtime.GOOS, LookupEnv: lookup}
	states, configurations := p.State()
	if home == "" {
		return nil, nil
	}
	state = m.Paths(states...)
	for _, path := range m.Paths(configurations...) {
		if slices.ContainsFunc(state, func(own string) bool { return fs.Within(path, own) }) {
			configuration = append(configuration, path)
		}
	}
	return state, configuration
}

// noted describes files, and what is directly in folders; "" is what is not there, or empty.
// What is hidden in a folder is the agent's own, such as the skills that come with it.
func noted(paths []string) map[string]string {
	all := make(map[string]string, len(paths))
	for _, path := range paths {
		all[path] = ""
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			all[path] = described(info)
			continue
		}
		entries, _ := os.ReadDir(path) // what cannot be read is nobody's to change either
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil && !strings.HasPrefix(entry.Name(), ".") {
				all[path] += entry.Name() + described(info)
			}
		}
	}
	return all
}

func described(info os.FileInfo) string {
	return fmt.Sprintf(" %v %d %d\n", info.Mode(), info.Size(), info.ModTime().UnixNano())
}

// changedSince says which files were changed since they were noted, a line each.
func changedSince(before map[string]string) (notes []string) {
	after := noted(slices.Collect(maps.Keys(before)))
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if before[path] != after[path] {
			notes = append(notes, fmt.Sprintf("%s changed while it ran, and decides what later sessions do: look at it", filepath.Clean(path)))
		}
	}
	return notes
}
