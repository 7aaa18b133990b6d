// Package agents says what each coding agent needs so that it uses ctxfs: a pointer in its
// instructions, hooks, permissions, what its sandbox must allow, or the gateway.
//
// Where the files are is known to package agents of providers/internal; how they are
// written, and what an agent does with it, is in a file of this package for each agent, with
// the source. Pointer.go, hooks.go and allow.go have what they share.
//
// Nothing that a user has decided otherwise is changed: what is denied stays denied, hooks of
// others stay and run, and a note says what therefore does not work. Files of a project are
// committed: they name ctxfs as it is found in PATH, and the mount by "~".
package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	known "ctxfs/providers/internal/agents"
	"ctxfs/providers/setup/edit"
)

// Machine is the computer and the user whose agents are set up.
type Machine struct {
	// Home is the user's home folder, and OS the system as in runtime.GOOS.
	Home, OS string
	// LookupEnv looks up a variable of the user's environment.
	LookupEnv func(string) (string, bool)
	// Program is the absolute path of ctxfs as it is to be written into files.
	Program string
	// Mount is the absolute path of the mount point.
	Mount string
}

// Options say what is set up.
type Options struct {
	// Project is the folder of the project whose files are changed, "" for the user's.
	Project string
}

// Agent is a program that can be set up.
type Agent struct {
	// ID is its name in commands; Title is how people write it.
	ID, Title string
	// Installed reports whether it is on the machine, and where it was seen.
	Installed func(Machine) (where string, ok bool)
	// Changes returns what is to be done to files, and notes: what remains to be done by
	// hand, a sentence each.
	Changes func(Machine, Options) (changes []edit.Change, notes []string)
}

// All returns all agents, in the order in which they are offered.
func All() []Agent {
	var all []Agent
	for _, one := range []struct {
		id   string
		plan func(*plan)
	}{
		{"claude-code", claudeCode}, {"cursor", cursor}, {"codex", codex}, {"gemini", gemini}, {"opencode", opencode},
		{"vscode", vscode}, {"copilot", copilot}, {"goose", goose}, {"amp", amp}, {"windsurf", windsurf}, {"zed", zed},
		{"cline", cline}, {"claude-desktop", claudeDesktop},
	} {
		all = append(all, agent(known.ByID(one.id), one.plan))
	}
	return all
}

func agent(a known.Agent, needs func(*plan)) Agent {
	return Agent{
		ID: a.ID, Title: a.Name,
		Installed: func(m Machine) (string, bool) { return installed(m, a) },
		Changes: func(m Machine, o Options) ([]edit.Change, []string) {
			p := &plan{Machine: m, Options: o, agent: a}
			needs(p)
			return p.changes, p.notes
		},
	}
}

// installed looks for the agent's program in PATH, then for the folder of its files.
func installed(m Machine, a known.Agent) (where string, ok bool) {
	list, _ := m.LookupEnv("PATH")
	for _, name := range a.Programs {
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path, true
			}
		}
	}
	for _, path := range m.known().Paths(append([]known.Path{a.Home}, a.Data...)...) {
		if isFolder(path) && !onlyOurs(path) {
			return path, true
		}
	}
	return "", false
}

// onlyOurs reports whether there is nothing in a folder but what setup makes, as in that of
// Copilot CLI when only VS Code was set up.
func onlyOurs(folder string) bool {
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() && !ownName(path) {
			return errors.New("something else")
		}
		return nil
	})
	entries, _ := os.ReadDir(folder)
	return err == nil && len(entries) > 0
}

// isFolder reports whether a folder is there.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// known returns the machine as package agents of providers/internal has it.
func (m Machine) known() known.Machine {
	return known.Machine{Home: m.Home, OS: m.OS, LookupEnv: m.LookupEnv}
}

// Reading returns the commands of ctxfs, each with its first words, that agents may run without
// asking: they read what is in the tree, and change nothing anywhere. All others ask, as the
// agent asks for whatever acts: call, since it acts through servers; run and term, since
// they run any program; trust, accept, auth and answer, since a person must decide these;
// remember and note, since what is written there is put before other agents; wait, which
// prints lines of any file and starts servers; stats, which writes its page to any file.
//
// Nothing else is allowed: "rg --pre" and "rg --hostname-bin" run any program, and jq reads
// any file and the environment. Claude Code, where they are missed most, lets both run
// without asking if no such option is given (2.1.330, its list of read-only commands).
func Reading() []string {
	return []string{
		"find", "here", "ls", "cat", "tools", "history", "stale", "rules", "plans", "memory show", "memory --summary",
		"ps", "status", "prompt",
	}
}

// connecting returns further commands that must reach the background process, where a
// sandbox closes its socket; they ask all the same. Run is not among them: it runs in
// the sandbox, unrecorded, without asking.
func connecting() []string { return []string{"call", "read", "remember", "note"} }

// quoted returns words as strings of TOML or Starlark, with commas between them.
func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }
