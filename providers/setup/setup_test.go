package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/setup/agents"
	"ctxfs/providers/setup/edit"
)

// newHome returns a home folder that is reached over a link, with one agent that has a file
// with a secret in it.
func newHome(t *testing.T, files map[string]string) Home {
	t.Helper()
	dir := t.TempDir()
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	fstest.Must(t, os.Symlink("real", filepath.Join(dir, "home")))
	for name, text := range files {
		path := filepath.Join(dir, "real", name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	h := Home{
		Machine: agents.Machine{Home: filepath.Join(dir, "home"), OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }},
		Journal: filepath.Join(dir, "state/setup.json"),
	}
	h.Targets = []agents.Agent{{
		ID: "x", Title: "X", Installed: func(agents.Machine) (string, bool) { return "", false },
		Changes: func(m agents.Machine, o agents.Options) ([]edit.Change, []string) {
			dir := m.Home
			if o.Project != "" {
				dir = o.Project
			}
			return []edit.Change{{Path: filepath.Join(dir, ".x/settings.json"), Edits: []edit.Edit{edit.Member([]string{"on"}, true)}}}, nil
		},
	}}
	return h
}

func (h Home) mustDo(t *testing.T, p Plan, err error) {
	t.Helper()
	for _, f := range p.Files {
		if err == nil {
			err = h.Do(context.Background(), f)
		}
	}
	fstest.Must(t, err)
}

// TestPlanShown: a difference has no secrets, and a link to the whole home is none of a file.
func TestPlanShown(t *testing.T) {
	const token = "ghp_0123456789abcdefABCDEF0123456789abcd"
	h := newHome(t, map[string]string{".x/settings.json": "{\n  \"token\": \"" + token + "\"\n}\n"})
	p, err := h.Plan([]string{"x"}, agents.Options{})
	if err != nil || len(p.Files) != 1 {
		t.Fatalf("%+v %v", p, err)
	}
	f := p.Files[0]
	if f.Does != "change" || f.Link != "" || strings.Contains(f.Diff, token) || !strings.Contains(f.Diff, "+++ ~/.x/settings.json") || !strings.Contains(f.Diff, "+  \"on\": true") {
		t.Errorf("%+v", f)
	}
	h.mustDo(t, p, err)
	if text, err := os.ReadFile(f.Path); err != nil || !strings.Contains(string(text), token) {
		t.Errorf("the secret was changed: %s %v", text, err)
	}
	if found, err := h.Find(); err != nil || len(found) != 1 || !found[0].Set {
		t.Errorf("%+v %v", found, err)
	}
}

// TestProjects: what was done for the user and in each project is undone together, or for
// one project.
func TestProjects(t *testing.T) {
	h := newHome(t, nil)
	paths := []string{filepath.Join(h.Home, ".x/settings.json")}
	p, err := h.Plan([]string{"x"}, agents.Options{})
	h.mustDo(t, p, err)
	for _, name := range []string{"p", "q"} {
		project := filepath.Join(h.Home, name)
		paths = append(paths, filepath.Join(project, ".x/settings.json"))
		p, err := h.Plan([]string{"x"}, agents.Options{Project: project})
		h.mustDo(t, p, err)
	}
	there := func() (all []bool) {
		for _, path := range paths {
			_, err := os.Stat(path)
			all = append(all, err == nil)
		}
		return all
	}
	p, err = h.PlanUndo([]string{"x"}, agents.Options{Project: filepath.Join(h.Home, "p")})
	h.mustDo(t, p, err)
	if got := there(); !got[0] || got[1] || !got[2] {
		t.Errorf("%v", got)
	}
	p, err = h.PlanUndo([]string{"x"}, agents.Options{})
	h.mustDo(t, p, err)
	if got := there(); got[0] || got[1] || got[2] {
		t.Errorf("%v", got)
	}
}
