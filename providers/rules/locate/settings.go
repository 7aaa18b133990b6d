package locate

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// maxSettings is the most that is read of a file of settings, in bytes.
const maxSettings = 1 << 20

// agentsAt returns all agents as they are configured for a project, or for the user if
// root is "": two let their users name the files that they read as rules.
func (f *Finder) agentsAt(root string) []agents.Agent {
	if all, ok := f.agents[root]; ok {
		return all
	}
	all := agents.All()
	for i := range all {
		switch a := &all[i]; a.ID {
		case "gemini":
			f.configureGemini(a, root)
		case "codex":
			f.configureCodex(a)
		}
	}
	f.agents[root] = all
	return all
}

// configureGemini applies context.fileName: the names that are read instead of GEMINI.md
// (geminicli.com/docs/cli/gemini-md). The project's settings come before the user's.
func (f *Finder) configureGemini(a *agents.Agent, root string) {
	files := f.opts.Machine.Paths(a.MCP.User...)
	if root != "" {
		files = append([]string{filepath.Join(root, ".gemini/settings.json")}, files...)
	}
	for _, file := range files {
		v, err := jsonc.Parse(f.settings(file, root))
		if err != nil {
			continue
		}
		given, ok := v.At("context", "fileName")
		if !ok {
			given, ok = v.At("contextFileName")
		}
		if names := fileNames(given); ok && len(names) > 0 {
			folder := strings.TrimSuffix(string(a.Rules.User[0]), "GEMINI.md")
			a.Rules.Project, a.Rules.Nested, a.Rules.User = names, names, nil
			for _, name := range names {
				a.Rules.User = append(a.Rules.User, agents.Path(folder+name))
			}
			return
		}
	}
}

// configureCodex applies project_doc_fallback_filenames: names that are read where a
// folder has no AGENTS.md (developers.openai.com/codex/guides/agents-md).
func (f *Finder) configureCodex(a *agents.Agent) {
	for _, file := range f.opts.Machine.Paths(a.MCP.User...) {
		v, err := settings.Document(f.settings(file, ""))
		if err != nil {
			continue
		}
		if given, ok := v.Get("project_doc_fallback_filenames"); ok {
			a.Rules.Project = append(slices.Clone(a.Rules.Project), fileNames(given)...)
			a.Rules.Nested = a.Rules.Project
		}
	}
}

// fileNames returns the names in a setting, a text or a list of texts: those that may be
// names of rules.
func fileNames(v syntax.Value) (names []string) {
	items := v.Items
	if v.Kind == syntax.Text {
		items = []syntax.Value{v}
	}
	for _, item := range items {
		name := item.Text
		if item.Kind == syntax.Text && filepath.IsLocal(name) && name == filepath.Clean(name) && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "*?[{\\\x00\n") {
			names = append(names, name)
		}
	}
	return names
}

// settings reads a file of settings. One of a project must lie in it.
func (f *Finder) settings(path, root string) []byte {
	real, err := fs.DiskOptions{Hide: f.opts.Hide}.Resolve(path)
	if err != nil || root != "" && strings.HasPrefix(path, root+"/") && !strings.HasPrefix(real, root+"/") {
		return nil
	}
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(file, maxSettings))
	return text
}
