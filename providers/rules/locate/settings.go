package locate

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/rules/scope"
)

// maxSettings is the most that is read of a file of settings, in bytes.
const maxSettings = 1 << 20

// configured is an agent as it is configured for a project, or for the user.
type configured struct {
	agents.Agent
	// settings are for package scope.
	settings scope.Settings
	// named are the patterns among those of Rules that settings name.
	named map[string]bool
	// out are absolute globs of files that settings leave out, and outBy the setting.
	out   []string
	outBy string
	// top is the highest of the folders above the project in which rules count; "" is /.
	top string
	// elsewhere is what settings name and nothing here reads: addresses on the web, and
	// what a project names outside of it.
	elsewhere []entry
}

// entry is what settings name, and whether they are the user's own.
type entry struct {
	text string
	own  bool
}

// agentsAt returns all agents as they are configured for a project, or for the user if
// root is "".
func (f *Finder) agentsAt(root string) []configured {
	if all, ok := f.agents[root]; ok {
		return all
	}
	var all []configured
	for _, a := range agents.All() {
		a.Rules.Project, a.Rules.Nested = slices.Clone(a.Rules.Project), slices.Clone(a.Rules.Nested)
		a.Rules.User = slices.Clone(a.Rules.User)
		c := configured{Agent: a, named: make(map[string]bool)}
		f.configure(&c, root)
		all = append(all, c)
	}
	f.agents[root] = all
	return all
}

// document is a file of settings.
type document struct {
	syntax.Value
	// own reports whether it is the user's or the machine's, and not a project's.
	own bool
}

// documents returns the settings of an agent that can be read: first those of the machine,
// then those of the project and of the user.
func (f *Finder) documents(a agents.Agent, root string) (all []document) {
	machine := f.opts.Machine
	add := func(file string, own bool) {
		text := f.settings(file, root, own)
		if text == nil {
			return
		}
		var v syntax.Value
		var err error
		switch path.Ext(file) {
		case ".toml":
			v, err = settings.Document(text)
		case ".yml":
			v, _, err = frontmatter.YAML(string(text))
		default:
			v, err = jsonc.Parse(text)
		}
		if err == nil {
			all = append(all, document{v, own})
		}
	}
	for _, file := range machine.Paths(a.Rules.Settings.System...) {
		add(file, true)
	}
	if root != "" {
		for _, name := range a.Rules.Settings.Project {
			add(filepath.Join(root, name), false)
		}
	}
	for _, file := range machine.Paths(a.Rules.Settings.User...) {
		add(file, true)
	}
	return all
}

// settings reads a file of settings; nil if it cannot. One of a project must lie in it.
func (f *Finder) settings(file, root string, own bool) []byte {
	real, err := fs.DiskOptions{Hide: f.opts.Hide}.Resolve(file)
	if err != nil || !own && !fs.Within(real, root) {
		return nil
	}
	opened, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer opened.Close()
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(opened, maxSettings))
	if err != nil {
		return nil
	}
	return text
}

// texts returns the texts in a setting that is one, or a list of them.
func texts(v syntax.Value) (all []string) {
	items := v.Items
	if v.Kind == syntax.Text {
		items = []syntax.Value{v}
	}
	for _, item := range items {
		if item.Kind == syntax.Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// fileNames returns the names in a setting that may be names of rules. What a project
// names must look like one: its settings could name what an agent may not read there.
func fileNames(v syntax.Value, own bool) (names []string) {
	for _, name := range texts(v) {
		if filepath.IsLocal(name) && name == filepath.Clean(name) && !strings.ContainsAny(name, "*?[{\\\x00\n") && (own || isProse(name)) {
			names = append(names, name)
		}
	}
	return names
}

// isProse reports whether a file is text for agents by its name.
func isProse(name string) bool {
	base := path.Base(name)
	switch strings.ToLower(path.Ext(base)) {
	case ".md", ".mdc", ".mdx", ".markdown", ".txt", ".rst", ".adoc":
		return true
	case "":
		return true
	}
	return slices.Contains([]string{".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules", ".roorules"}, base)
}

// name adds what settings name: a path or glob, relative to the project, to the home
// folder by "~/", or absolute, or an address on the web. Only the user's own settings can
// name what is outside of the project.
func (c *configured) name(text string, own bool) {
	pattern := path.Clean(filepath.ToSlash(text))
	_, file := splitGlob(pattern)
	switch {
	case text == "" || strings.ContainsAny(text, "\x00\n"):
	case strings.Contains(text, "://"):
		c.elsewhere = append(c.elsewhere, entry{text, own})
	case own && (path.IsAbs(pattern) || strings.HasPrefix(pattern, "~/")) && !strings.ContainsAny(pattern, "${}"):
		c.Rules.User = append(c.Rules.User, agents.Path(pattern))
		c.named[pattern] = true
	case !filepath.IsLocal(pattern) || strings.HasPrefix(pattern, "~/"):
		c.elsewhere = append(c.elsewhere, entry{text, own})
	case own || isProse(file) || strings.ContainsAny(file, "*?[{"):
		c.Rules.Project = append(c.Rules.Project, pattern)
		c.named[pattern] = true
	}
}

// splitGlob splits a pattern into the folder before its first wildcard, which ends with a
// slash or is "", and the rest.
func splitGlob(pattern string) (dir, rest string) {
	end := len(pattern)
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		end = i
	}
	end = strings.LastIndexByte(pattern[:end], '/') + 1
	return pattern[:end], pattern[end:]
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[{") }
