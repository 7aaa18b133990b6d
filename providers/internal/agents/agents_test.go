package agents

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

// TestAll: each agent has names of its own, and so has each variable; one that
// has sessions comes before those that have none.
func TestAll(t *testing.T) {
	seen := make(map[string]bool)
	unique := func(what string) {
		if seen[what] || what == "" {
			t.Errorf("%q is there twice", what)
		}
		seen[what] = true
	}
	withSessions := 0
	for i, a := range All() {
		unique(a.ID)
		unique("name " + a.Name)
		for _, v := range slices.Concat(a.Marks, a.Session) {
			unique("variable " + v.Name)
		}
		if len(a.Sessions) > 0 {
			if withSessions++; withSessions != i+1 {
				t.Errorf("%s has sessions and comes after agents that have none", a.ID)
			}
		}
		fstest.Equal(t, ByID(a.ID).Name, a.Name, "ByID", a.ID, ")")
	}
	fstest.Equal(t, withSessions, 18, "agents have sessions")
}

// TestPaths: all paths are well-formed: those of users are absolute, whatever the
// environment says, those of projects are below the project.
func TestPaths(t *testing.T) {
	for _, a := range All() {
		for _, os := range []string{"linux", "darwin", ""} {
			for _, value := range []string{"", "/moved", "~/moved", "relative"} {
				m := Machine{Home: "/home/ada", OS: os, LookupEnv: func(string) (string, bool) { return value, value != "" }}
				for what, paths := range userPaths(a) {
					for _, path := range m.Paths(paths...) {
						if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.ContainsAny(path, "~{}$") {
							t.Errorf("%s, %s: %q", a.ID, what, path)
						}
					}
				}
			}
		}
		for what, paths := range projectPaths(a) {
			for _, path := range paths {
				if _, err := filepath.Match(path, ""); err != nil || !filepath.IsLocal(path) || strings.ContainsAny(path, "~{}$") {
					t.Errorf("%s, %s: %q", a.ID, what, path)
				}
			}
		}
		if p := a.Plans; len(p.Texts.System)+len(p.Lists.System) > 0 {
			t.Errorf("%s: its plans are described in part: %+v", a.ID, p)
		}
		if (a.MCP.Key == "") != (len(a.MCP.User) == 0) || (a.MCP.Syntax == "") != (a.MCP.Key == "") {
			t.Errorf("%s: its files of MCP servers are described in part: %+v", a.ID, a.MCP)
		}
		if len(a.Resume) > 0 && !slices.Contains(a.Resume, SessionID) {
			t.Errorf("%s: a session is resumed without its id: %q", a.ID, a.Resume)
		}
	}
}

func userPaths(a Agent) map[string][]Path {
	return map[string][]Path{
		"home": {a.Home}, "mcp": slices.Concat(a.MCP.System, a.MCP.User), "skills": slices.Concat(a.Skills.System, a.Skills.User),
		"commands": slices.Concat(a.Commands.System, a.Commands.User), "subagents": slices.Concat(a.Subagents.System, a.Subagents.User), "plugins": a.Plugins,
		"skills of others": slices.Concat(a.Skills.Also.System, a.Skills.Also.User),
		"rules":            slices.Concat(a.Rules.System, a.Rules.User), "memory": slices.Concat(a.Memory.System, a.Memory.User),
		"rules settings": slices.Concat(a.Rules.Settings.System, a.Rules.Settings.User),
		"state":          a.State, "configuration": a.Configuration(),
		"always": a.Always.User, "permissions": slices.Concat(a.Permissions.User, a.Sandbox.User),
		"hooks": slices.Concat(a.Hooks.System, a.Hooks.User), "sessions": a.Sessions,
		"plans": a.Plans.Texts.User, "tasks": a.Plans.Lists.User,
	}
}

func projectPaths(a Agent) map[string][]string {
	return map[string][]string{
		"mcp": a.MCP.Project, "skills": a.Skills.Project, "skills of others": a.Skills.Also.Project, "commands": a.Commands.Project, "subagents": a.Subagents.Project, "rules": a.Rules.Project, "nested rules": a.Rules.Nested, "rules settings": a.Rules.Settings.Project, "memory": a.Memory.Project, "hooks": a.Hooks.Project,
		"always": a.Always.Project, "permissions": slices.Concat(a.Permissions.Project, a.Sandbox.Project),
		"plans": a.Plans.Texts.Project, "tasks": a.Plans.Lists.Project,
	}
}

var update = flag.Bool("update", false, "write what is into the fixtures")

// TestFixtures: every agent has a fixture, testdata/ID.txt: an environment in
// which it has started a program, and what is known of it there.
func TestFixtures(t *testing.T) {
	if files, err := filepath.Glob("testdata/*.txt"); err != nil || len(files) != len(All()) {
		t.Errorf("%d fixtures of %d agents, %v", len(files), len(All()), err)
	}
	for _, a := range All() {
		file := "testdata/" + a.ID + ".txt"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		environment, want, _ := strings.Cut(string(text), "-- want --\n")
		env := make(map[string]string)
		for line := range strings.Lines(environment) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				env[name] = value
			}
		}
		if got := describe(a, env); got != want && *update {
			if err := os.WriteFile(file, []byte(environment+"-- want --\n"+got), 0o644); err != nil {
				t.Error(err)
			}
		} else if got != want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", a.ID, got, want)
		}
	}
}

// describe writes all that follows from a description.
func describe(a Agent, env map[string]string) string {
	var out strings.Builder
	out.WriteString(a.Name + "\n")
	for _, v := range slices.Concat(a.Session, a.Marks) {
		fmt.Fprintf(&out, "%s is %q\n", v.Name, v.Value(lookup(env)))
	}
	if len(a.Resume) > 0 {
		fmt.Fprintf(&out, "resume: %s\n", strings.Join(a.Resume, " "))
	}
	if a.MCP.Key != "" {
		fmt.Fprintf(&out, "mcp: %s, key %s\n", a.MCP.Syntax, a.MCP.Key)
	}
	if len(a.Skills.Groups) > 0 {
		fmt.Fprintf(&out, "skills: groups %s\n", strings.Join(a.Skills.Groups, " "))
	}
	if len(a.Hooks.Events) > 0 {
		fmt.Fprintf(&out, "hooks: events %s\n", strings.Join(a.Hooks.Events, " "))
	}
	in := func(title string, m Machine) {
		fmt.Fprintf(&out, "%s:\n", title)
		user := userPaths(a)
		for _, what := range slices.Sorted(maps.Keys(user)) {
			for _, path := range m.Paths(user[what]...) {
				fmt.Fprintf(&out, "  %s %s\n", what, path)
			}
		}
	}
	in("on Linux", Machine{Home: "/home/ada", OS: "linux", LookupEnv: lookup(nil)})
	in("on Linux, in that environment", Machine{Home: "/home/ada", OS: "linux", LookupEnv: lookup(env)})
	in("on macOS", Machine{Home: "/Users/ada", OS: "darwin", LookupEnv: lookup(nil)})
	project := projectPaths(a)
	out.WriteString("in a project:\n")
	for _, what := range slices.Sorted(maps.Keys(project)) {
		for _, path := range project[what] {
			fmt.Fprintf(&out, "  %s %s\n", what, path)
		}
	}
	return out.String()
}
