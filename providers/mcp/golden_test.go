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
)

var update = flag.Bool("update", false, "write what is into the golden files of testdata/mcp/config")

// TestConfigurations reads the files of every client. Each case is a file of
// sections: "env" is the environment, "trust" the projects that are trusted,
// "note" what the client itself does, "want" what is expected, and every other
// one a file in the home folder, in which @HOME@ is that folder.
func TestConfigurations(t *testing.T) {
	const root = "../../testdata/mcp/config"
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
			if *update {
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

// configured reads the files of a case, and tells what they configure.
func configured(t *testing.T, sections string) string {
	w := newWorld(t)
	home, err := filepath.EvalSymlinks(w.home)
	if err != nil {
		t.Fatal(err)
	}
	w.home, w.opts.Home, w.opts.StateDir = home, home, filepath.Join(w.dir, "state")
	w.opts.SettingsPath = filepath.Join(home, ".config/ctxfs/config.toml")
	env := map[string]string{"HOME": home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH": filepath.Join(home, "system.json")}
	w.opts.LookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	var trust []string
	for _, s := range strings.Split("\n"+sections, "\n-- ")[1:] {
		name, text, _ := strings.Cut(s, " --\n")
		text = strings.ReplaceAll(text, "@HOME@", home)
		switch name {
		case "note":
		case "env":
			for line := range strings.Lines(text) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					env[name] = value
				}
			}
		case "trust":
			trust = strings.Fields(text)
		default:
			w.write(name, text)
		}
	}
	w.open()
	for _, dir := range trust {
		if _, err := w.p.Trust(dir); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	all := w.p.discover()
	for i, d := range all.servers {
		out.WriteString(folderNames(all.servers)[i] + ": " + d.told() + "\n")
	}
	for _, d := range all.passed {
		fmt.Fprintf(&out, "passed over: %s: %s\n", d.where(), d.why)
	}
	for _, p := range all.problems {
		fmt.Fprintf(&out, "problem: %s\n  mend: %s\n", p.What, p.Mend)
	}
	return strings.ReplaceAll(out.String(), home, "~")
}

// where is the place of an entry.
func (s source) where() string {
	text := fmt.Sprintf("%s, %s, %s:%d", s.client, s.scope, s.file, s.line)
	if s.project != "" {
		text += ", project " + s.project
	}
	return text
}

// told is a whole definition, secrets and all.
func (d *definition) told() string {
	state := "usable"
	switch {
	case d.disabled:
		state = stateDisabled
	case d.fault != nil:
		state = d.fault.state
	}
	lines := []string{fmt.Sprintf("%q is %s", d.name, state), "from " + d.where()}
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
		add("also from", s.where(), true)
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
