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
// those that are there; those that were not, or that it could not keep, are looked at here
// when the run has ended.

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

// empty describes a folder with nothing in it but what is hidden: that is the agent's own,
// such as the skills that come with it.
const empty = "/"

// noted describes files, and folders with what is directly in them; "" is what is not there.
func noted(paths []string) map[string]string {
	all := make(map[string]string, len(paths))
	for _, path := range paths {
		all[path] = ""
		link, err := os.Lstat(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			all[path] = described(link)
			if err == nil {
				all[path] += described(info)
			}
			continue
		}
		all[path] = empty
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

// leftDir is the folder of a run with the configuration that the agent has made.
const leftDir = "left"

// keepConfiguration takes away what of the agent's configuration was not there before it ran,
// and returns what is to be known of that, and of what it has changed, a line each.
func (r *run) keepConfiguration() (notes []string) {
	before := r.configuration
	after := noted(slices.Collect(maps.Keys(before)))
	for i, path := range slices.Sorted(maps.Keys(before)) {
		was, is := before[path], after[path]
		switch {
		case was == is || was == "" && is == empty:
			continue
		case was == "":
			to := r.job.Path(filepath.Join(leftDir, fmt.Sprint(i)+"-"+filepath.Base(path)))
			if os.MkdirAll(filepath.Dir(to), 0o700) == nil && os.Rename(path, to) == nil {
				notes = append(notes, fmt.Sprintf("%s was made while it ran, and would decide what later sessions do: it was moved to %s", path, to))
				continue
			}
		}
		notes = append(notes, fmt.Sprintf("%s changed while it ran, and decides what later sessions do: look at it", path))
	}
	return notes
}
