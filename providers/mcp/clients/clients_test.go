package clients

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/config"
)

var updateGolden = flag.Bool("update", false, "write what is into the golden files of testdata/mcp/config")

// TestConfigurations reads the files of every client. Each case is a file of
// sections: "env" is the environment, "trust" the projects that are trusted,
// "in" a project for which the servers are run, "note" what the client itself does,
// "want" what is expected, and every other
// one is a file in the home folder, in which @HOME@ is that folder. With -update
// what is expected is written anew.
func TestConfigurations(t *testing.T) {
	const root = "../../../testdata/mcp/config"
	cases, err := filepath.Glob(root + "/*/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	covered := make(map[string]bool)
	for _, path := range cases {
		client := filepath.Base(filepath.Dir(path))
		covered[client] = true
		t.Run(client+"/"+strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before, want, _ := strings.Cut(string(text), "-- want --\n")
			got := configured(t, before)
			if got == want {
				return
			}
			if *updateGolden {
				if err := os.WriteFile(path, []byte(before+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		})
	}
	if !covered["ctxfs"] {
		t.Error("there is no case for ctxfs")
	}
	read := make(map[string]bool)
	for _, c := range clients() {
		read[c.agent.ID] = true
		if !covered[c.agent.ID] {
			t.Errorf("there is no case for %s", c.agent.ID)
		}
	}
	for _, a := range agents.All() {
		if a.MCP.Key != "" && !read[a.ID] {
			t.Errorf("nothing reads the files of %s", a.ID)
		}
	}
}

// home is a home folder for configuration files.
type home struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newHome(t *testing.T) home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return home{t, dir, map[string]string{"HOME": dir, "GEMINI_CLI_SYSTEM_SETTINGS_PATH": filepath.Join(dir, "system.json")}}
}

func (h home) write(path, text string) string {
	h.t.Helper()
	path = filepath.Join(h.dir, path)
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h home) options() Options {
	return Options{
		Home: h.dir,
		Environ: func() (all []string) {
			for name, value := range h.env {
				all = append(all, name+"="+value)
			}
			return all
		},
		Approvals:  filepath.Join(h.dir, "state", "trusted.json"),
		Remembered: func(string) []config.Server { return nil },
	}
}

// own returns ctxfs's own configuration file.
func (h home) own(t *testing.T) OwnFile {
	t.Helper()
	path := filepath.Join(h.dir, ".config/ctxfs/config.toml")
	file, err := settings.Load(path)
	if err != nil {
		return OwnFile{Path: path, Fault: &fs.Problem{What: err.Error(), Mend: "correct " + path}}
	}
	return OwnFile{Path: path, Settings: file}
}

// configured reads the files of a case and returns what they configure, as text.
func configured(t *testing.T, sections string) string {
	h := newHome(t)
	var trust []string
	project := ""
	for _, s := range strings.Split("\n"+sections, "\n-- ")[1:] {
		name, text, _ := strings.Cut(s, " --\n")
		text = strings.ReplaceAll(text, "@HOME@", h.dir)
		switch name {
		case "note":
		case "env":
			for line := range strings.Lines(text) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					h.env[name] = value
				}
			}
		case "in":
			project = strings.TrimSpace(text)
		case "trust":
			trust = strings.Fields(text)
		default:
			h.write(name, text)
		}
	}
	f := New(h.options())
	for _, dir := range trust {
		project, _ := f.ProjectFolder(dir)
		if _, err := f.Approve(project, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	all := f.Discover(h.own(t))
	for i, d := range all.Servers {
		out.WriteString(FolderNames(all.Servers)[i] + ": " + describe(d))
		if project != "" {
			fmt.Fprintf(&out, "\n  shared by: %s: %s", d.Sharing.By, d.Sharing.Why)
		}
		if len(d.Projects) > 1 {
			fmt.Fprintf(&out, "\n  projects: %s", d.Projects)
		}
		out.WriteString("\n")
		if in := d.In(project); in != d {
			out.WriteString("in " + project + ": " + describe(in) + "\n")
		}
	}
	for _, d := range all.PassedOver {
		fmt.Fprintf(&out, "passed over: %s: %s\n", where(d.Source), d.Why)
	}
	for _, p := range all.Problems {
		fmt.Fprintf(&out, "problem: %s\n  mend: %s\n", p.What, p.Mend)
	}
	return strings.ReplaceAll(out.String(), h.dir, "~")
}

// where returns the place of an entry, as text.
func where(s config.Source) string {
	text := fmt.Sprintf("%s, %s, %s:%d", s.Client, s.Scope, s.File, s.Line)
	if s.Project != "" {
		text += ", project " + s.Project
	}
	return text
}

// describe returns all of a server, secrets included, as text.
func describe(d *config.Server) string {
	state := "usable"
	switch {
	case d.Disabled:
		state = "disabled"
	case d.Fault != nil:
		state = d.Fault.State
	}
	lines := []string{fmt.Sprintf("%q is %s", d.Name, state), "from " + where(d.Source)}
	add := func(key string, value any, there bool) {
		if there {
			lines = append(lines, fmt.Sprintf("%s: %v", key, value))
		}
	}
	table := func(key string, of map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			add(key+" "+name, of[name], true)
		}
	}
	for _, s := range d.AlsoIn {
		add("also from", where(s), true)
	}
	if d.Fault != nil && !d.Disabled {
		add("error", d.Fault.What, true)
		add("mend", d.Fault.Fix, true)
	}
	add("to enable it", d.EnableHint, d.Disabled)
	add("transport", d.Transport, d.Transport != "")
	add("command", fmt.Sprintf("%q", append([]string{d.Command}, d.Args...)), d.Command != "")
	add("folder", d.Dir, d.Dir != "")
	table("env", d.Env)
	add("url", d.URL, d.URL != "")
	table("header", d.Headers)
	add("start timeout", d.StartTimeout, d.StartTimeout != 0)
	add("call timeout", d.CallTimeout, d.CallTimeout != 0)
	add("allowed tools", d.Tools.Allow, d.Tools.Allow != nil)
	add("denied tools", d.Tools.Deny, d.Tools.Deny != nil)
	for _, n := range d.Notes {
		add("note", n, true)
	}
	return strings.Join(lines, "\n  ")
}
