package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/atomicfile"
)

// An agent that may only read writes its own state all the same. Beside that lie the files
// that say what its later sessions do and run, outside of any sandbox. The sandbox keeps
// those that are there; those that were not, or that it could not keep, are looked at here
// when the run has ended.

// ownPaths returns what an agent writes for itself, and what in that is its configuration,
// for a user with an environment.
func ownPaths(p programs.Program, environ []string) (state, configuration []string) {
	lookup := agents.Lookup(func() []string { return environ })
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
		entries, _ := os.ReadDir(path) // what cannot be read cannot be changed by others either
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

// The files of a run that may only read: what its agent's configuration was before, and a
// folder with what the agent has made of it.
const (
	configurationFile = "configuration.json"
	leftDir           = "left"
)

// configuration is what an agent's configuration was, and in which run of the system.
type configuration struct {
	Boot   string            `json:"boot,omitempty"`
	Before map[string]string `json:"before"`
}

// boot tells one run of the system from another; "" where that is not known.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // random(4)
	return string(bytes.TrimSpace(id))
}

// noteConfiguration stores what the agent's configuration is, so that a process that ends
// the run later can keep it if this one is killed.
func (r *run) noteConfiguration() {
	body, _ := json.Marshal(configuration{boot(), r.configuration}) // of strings
	if err := atomicfile.Write(r.job.Path(configurationFile), body); err != nil {
		fmt.Fprintln(os.Stderr, err) // it is kept nevertheless, unless this process is killed
	}
}

// keepLostConfiguration is keepConfiguration for a run whose runner was killed. That is
// noticed within an hour, so what is new is the agent's; but not if the system was
// restarted since.
func keepLostConfiguration(j *job.Job) (notes []string) {
	var was configuration
	body, err := os.ReadFile(j.Path(configurationFile))
	if err != nil || json.Unmarshal(body, &was) != nil || was.Boot != boot() {
		return nil // without the file it was not read-only, or has not begun
	}
	return keepConfiguration(j, was.Before)
}

// keepConfiguration takes away what of the agent's configuration was not there before it ran,
// and returns what is to be known of that, and of what it has changed, a line each.
func keepConfiguration(j *job.Job, before map[string]string) (notes []string) {
	after := noted(slices.Collect(maps.Keys(before)))
	for i, path := range slices.Sorted(maps.Keys(before)) {
		was, is := before[path], after[path]
		to := j.Path(filepath.Join(leftDir, fmt.Sprint(i)+"-"+filepath.Base(path)))
		_, err := os.Lstat(to)
		moved := err == nil // by a runner that was killed then
		if was == "" && is != "" && is != empty && !moved {
			moved = os.MkdirAll(filepath.Dir(to), 0o700) == nil && os.Rename(path, to) == nil
			if moved {
				is = ""
			}
		}
		if moved {
			notes = append(notes, fmt.Sprintf("%s was made since it began, and would decide what later sessions do: it was moved to %s", path, to))
		}
		if was != is && !(was == "" && is == empty) {
			notes = append(notes, fmt.Sprintf("%s has changed since it began, and decides what later sessions do: look at it", path))
		}
	}
	return notes
}
