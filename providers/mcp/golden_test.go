package mcp

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
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/settings"
)

var updateGolden = flag.Bool("update", false, "write what is into the golden files of testdata/mcp/config")

// TestConfigurations reads the files of every client. Each case is a file of
// sections: "env" is the environment, "trust" the projects that are trusted,
// "note" what the client itself does, "want" what is expected, and every other
// one a file in the home folder, in which @HOME@ is that folder.
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
	for _, a := range append(clients(), Client{name: "ctxfs"}) {
		if !covered[a.name] {
			t.Errorf("there is no case for %s", a.name)
		}
	}
}

// home is a home folder with configuration files.
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

func (h home) options() options {
	return options{
		home:       h.dir,
		lookupEnv:  func(name string) (string, bool) { v, ok := h.env[name]; return v, ok },
		approvals:  filepath.Join(h.dir, "state", "trusted.json"),
		remembered: func(string) []definition { return nil },
	}
}

// own is the configuration of ctxfs itself.
func (h home) own(t *testing.T) ownFile {
	t.Helper()
	path := filepath.Join(h.dir, ".config/ctxfs/config.toml")
	file, err := settings.Load(path)
	if err != nil {
		return ownFile{path: path, bad: &fs.Problem{What: err.Error(), Mend: "correct " + path}}
	}
	return ownFile{path: path, settings: file}
}

// configured reads the files of a case, and tells what they configure.
func configured(t *testing.T, sections string) string {
	h := newHome(t)
	var trust []string
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
		case "trust":
			trust = strings.Fields(text)
		default:
			h.write(name, text)
		}
	}
	f := newFinder(h.options())
	for _, dir := range trust {
		project, _ := f.projectFolder(dir)
		if err := f.approve(project, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	all := f.discover(h.own(t))
	for i, d := range all.servers {
		out.WriteString(folderNames(all.servers)[i] + ": " + told(d) + "\n")
	}
	for _, d := range all.passed {
		fmt.Fprintf(&out, "passed over: %s: %s\n", where(d.source), d.why)
	}
	for _, p := range all.problems {
		fmt.Fprintf(&out, "problem: %s\n  mend: %s\n", p.What, p.Mend)
	}
	return strings.ReplaceAll(out.String(), h.dir, "~")
}

// where is the place of an entry.
func where(s source) string {
	text := fmt.Sprintf("%s, %s, %s:%d", s.client, s.scope, s.file, s.line)
	if s.project != "" {
		text += ", project " + s.project
	}
	return text
}

// told is a whole definition, secrets and all.
func told(d *definition) string {
	state := "usable"
	switch {
	case d.disabled:
		state = "disabled"
	case d.fault != nil:
		state = d.fault.state
	}
	lines := []string{fmt.Sprintf("%q is %s", d.name, state), "from " + where(d.source)}
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
	for _, s := range d.also {
		add("also from", where(s), true)
	}
	if d.fault != nil && !d.disabled {
		add("error", d.fault.what, true)
		add("mend", d.fault.mend, true)
	}
	add("to enable it", d.enable, d.disabled)
	add("transport", d.transport, d.transport != "")
	add("command", fmt.Sprintf("%q", append([]string{d.command}, d.args...)), d.command != "")
	add("folder", d.dir, d.dir != "")
	table("env", d.env)
	add("url", d.url, d.url != "")
	table("header", d.headers)
	add("start timeout", d.startTimeout, d.startTimeout != 0)
	add("call timeout", d.callTimeout, d.callTimeout != 0)
	add("allowed tools", d.tools.Allow, d.tools.Allow != nil)
	add("denied tools", d.tools.Deny, d.tools.Deny != nil)
	for _, n := range d.notes {
		add("note", n, true)
	}
	return strings.Join(lines, "\n  ")
}
