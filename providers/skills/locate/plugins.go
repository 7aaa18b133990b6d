package locate

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/skills/read"
)

// plugin is an installed plugin or extension.
type plugin struct {
	agent, name, root string
	// skills, commands and subagents are the folders and files that its manifest names,
	// besides those of the usual names; only is set if there are no others.
	skills, commands, subagents []string
	only                        bool
}

const (
	// maxPlugins is how many plugins of one agent are looked at, maxManifest how much of a
	// manifest or a list is read.
	maxPlugins  = 500
	maxManifest = 1 << 20
)

// Plugins returns the sources in plugins and extensions that are installed and not
// disabled, and the files and folders that say which those are. What cannot be read names
// none: its agent reports that.
func (f *Finder) Plugins() (all []Source, watch []string) {
	var plugins []plugin
	for _, a := range f.agents {
		for _, dir := range f.opts.Machine.Paths(a.Plugins...) {
			if f.opts.Hide(dir) {
				continue
			}
			var found []plugin
			var files []string
			switch a.ID {
			case "claude-code":
				found, files = f.claudePlugins(dir)
			case "codex":
				found, files = f.codexPlugins(dir)
			case "gemini":
				found, files = f.geminiExtensions(dir)
			default:
				found, files = f.pluginsIn(dir), []string{dir}
			}
			for _, p := range found[:min(len(found), maxPlugins)] {
				p.agent = a.ID
				plugins = append(plugins, p)
			}
			watch = append(watch, files...)
		}
	}
	for _, kind := range []read.Kind{read.Skill, read.Command, read.Subagent} {
		for _, p := range plugins {
			all = append(all, f.sourcesOf(p, kind)...)
		}
	}
	return all, watch
}

func (f *Finder) sourcesOf(p plugin, kind read.Kind) (all []Source) {
	a := agents.ByID(p.agent)
	base := Source{
		Name: clean.Line(p.name), Kind: kind, Scope: Plugin, Agent: p.agent, Plugin: clean.Line(p.name),
		Readers: []Reader{{p.agent, rank(a.Skills, Plugin, 0)}},
	}
	usual, named, pattern := "skills", p.skills, ""
	switch kind {
	case read.Command:
		usual, named, pattern = "commands", p.commands, "**/*.md"
		if p.agent == "gemini" {
			pattern = "**/*.toml"
		}
	case read.Subagent:
		usual, named, pattern = "agents", p.subagents, "**/*.md"
	}
	if !p.only || kind != read.Skill {
		named = append([]string{usual}, named...)
	}
	seen := make(map[string]bool)
	for _, name := range named {
		path := filepath.Join(p.root, filepath.FromSlash(name))
		if !filepath.IsLocal(filepath.FromSlash(name)) || seen[path] {
			continue // a manifest may name only what is in its plugin
		}
		seen[path] = true
		s := base
		s.Dir, s.Files, s.whole = path, pattern, kind == read.Skill && name != usual
		if kind != read.Skill && filepath.Ext(path) != "" {
			s.Dir, s.Files = filepath.Split(path)
			s.Dir = filepath.Clean(s.Dir)
		}
		all = append(all, s)
	}
	return all
}

// document reads a JSON or TOML file; what cannot be read is empty.
func (f *Finder) document(path string) (v syntax.Value) {
	real, err := f.resolve(path)
	if err != nil {
		return v
	}
	text, _, err := read.Head(real, maxManifest)
	if err != nil {
		return v
	}
	if filepath.Ext(path) == ".toml" {
		v, _ = settings.Document(text)
		return v
	}
	v, _ = jsonc.Parse(text)
	return v
}

// texts returns the texts of a value that is one or a list of them.
func texts(v syntax.Value, ok bool) (all []string) {
	if !ok {
		return nil
	}
	if v.Kind == syntax.Text {
		return []string{v.Text}
	}
	for _, item := range v.Items {
		if item.Kind == syntax.Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// named returns the paths that a manifest names for one purpose.
func named(manifest syntax.Value, key string) (all []string) {
	v, ok := manifest.Get(key)
	for _, path := range texts(v, ok) {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(path, "./"), "/"))
	}
	return all
}

// describe takes over what a manifest says.
func (p *plugin) describe(manifest syntax.Value) {
	p.skills = append(p.skills, named(manifest, "skills")...)
	p.commands = append(p.commands, named(manifest, "commands")...)
	p.subagents = append(p.subagents, named(manifest, "agents")...)
}

// claudePlugins returns the plugins of Claude Code: installed_plugins.json has their
// folders, for each scope in which they are installed; settings.json says which are
// disabled; a marketplace may say what of its plugin's folder is the plugin.
//
// Source: code.claude.com/docs/en/plugins-reference, /plugin-marketplaces.
func (f *Finder) claudePlugins(dir string) (found []plugin, files []string) {
	installed, known := filepath.Join(dir, "installed_plugins.json"), filepath.Join(dir, "known_marketplaces.json")
	settings := filepath.Join(filepath.Dir(dir), "settings.json")
	files = []string{installed, known, settings}
	on, _ := f.document(settings).Get("enabledPlugins")
	marketplaces := f.document(known)
	plugins, _ := f.document(installed).Get("plugins")
	for _, m := range plugins.Members {
		if enabled, ok := on.Get(m.Name); ok && enabled.Text == "false" {
			continue
		}
		name, marketplace, _ := strings.Cut(m.Name, "@")
		offer, base := f.offer(marketplaces, marketplace, name)
		entries := m.Value.Items
		if m.Value.Kind == syntax.Object {
			entries = []syntax.Value{m.Value}
		}
		for _, e := range entries {
			p := plugin{name: name}
			if at, ok := e.Get("installPath"); ok && filepath.IsAbs(at.Text) {
				p.root = filepath.Clean(at.Text)
			} else if source, ok := offer.Get("source"); ok && source.Kind == syntax.Text && filepath.IsLocal(source.Text) && base != "" {
				p.root = filepath.Join(base, source.Text)
			}
			if p.root == "" || f.opts.Hide(p.root) || slices.ContainsFunc(found, func(q plugin) bool { return q.root == p.root && q.name == p.name }) {
				continue
			}
			p.describe(offer)
			if strict, ok := offer.Get("strict"); ok && strict.Text == "false" && len(p.skills) > 0 {
				p.only = true
			} else {
				p.describe(f.document(filepath.Join(p.root, ".claude-plugin", "plugin.json")))
			}
			found = append(found, p)
		}
	}
	return found, files
}

// offer returns what a marketplace of Claude Code says of a plugin, and the folder of the
// marketplace.
func (f *Finder) offer(marketplaces syntax.Value, marketplace, name string) (offer syntax.Value, base string) {
	at, _ := marketplaces.At(marketplace, "installLocation")
	if !filepath.IsAbs(at.Text) || f.opts.Hide(at.Text) {
		return offer, ""
	}
	list, _ := f.document(filepath.Join(at.Text, ".claude-plugin", "marketplace.json")).Get("plugins")
	for _, p := range list.Items {
		if n, _ := p.Get("name"); n.Text == name {
			return p, at.Text
		}
	}
	return offer, at.Text
}

// codexPlugins returns the plugins of Codex: cache/<marketplace>/<plugin>/<version>/;
// the newest version counts, and config.toml says which are disabled.
//
// Source: developers.openai.com/codex/plugins/build.
func (f *Finder) codexPlugins(dir string) (found []plugin, files []string) {
	config := filepath.Join(filepath.Dir(dir), "config.toml")
	cache := filepath.Join(dir, "cache")
	on, _ := f.document(config).Get("plugins")
	for _, marketplace := range f.foldersIn(cache) {
		for _, name := range f.foldersIn(filepath.Join(cache, marketplace)) {
			if enabled, ok := on.At(name+"@"+marketplace, "enabled"); ok && enabled.Text == "false" {
				continue
			}
			at := filepath.Join(cache, marketplace, name)
			if root := f.newest(at); root != "" {
				p := plugin{name: name, root: root}
				p.describe(f.document(filepath.Join(root, ".codex-plugin", "plugin.json")))
				found = append(found, p)
			}
		}
	}
	return found, []string{config, cache}
}

// newest returns the folder of the version that was installed last.
func (f *Finder) newest(dir string) (newest string) {
	var last iofs.FileInfo
	for _, version := range f.foldersIn(dir) {
		path := filepath.Join(dir, version)
		info, err := os.Lstat(path)
		if err == nil && (last == nil || info.ModTime().After(last.ModTime())) {
			newest, last = path, info
		}
	}
	return newest
}

// geminiExtensions returns the extensions of Gemini CLI, one for each folder with a
// gemini-extension.json. One that was linked has its folder elsewhere. Which are disabled
// for all of the user's folders stands in extension-enablement.json.
//
// Source: geminicli.com/docs/extensions/reference.
func (f *Finder) geminiExtensions(dir string) (found []plugin, files []string) {
	enablement := f.document(filepath.Join(dir, "extension-enablement.json"))
	for _, name := range f.foldersIn(dir) {
		root := filepath.Join(dir, name)
		install := f.document(filepath.Join(root, ".gemini-extension-install.json"))
		if kind, _ := install.Get("type"); kind.Text == "link" {
			if source, ok := install.Get("source"); ok && filepath.IsAbs(source.Text) && !f.opts.Hide(source.Text) {
				root = filepath.Clean(source.Text)
			}
		}
		manifest := f.document(filepath.Join(root, "gemini-extension.json"))
		if manifest.Kind != syntax.Object {
			continue
		}
		if n, ok := manifest.Get("name"); ok && n.Kind == syntax.Text {
			name = n.Text
		}
		overrides := texts(enablement.At(name, "overrides"))
		if slices.Contains(overrides, "!/*") || slices.Contains(overrides, "!"+f.opts.Machine.Home+"/*") {
			continue
		}
		found = append(found, plugin{name: name, root: root})
	}
	return found, []string{dir}
}

// pluginsIn returns the plugins in the folders of a folder that have a plugin.json
// (agent-plugins.org, which Goose reads).
func (f *Finder) pluginsIn(dir string) (found []plugin) {
	for _, name := range f.foldersIn(dir) {
		root := filepath.Join(dir, name)
		for _, manifest := range []string{"plugin.json", ".plugin/plugin.json", ".claude-plugin/plugin.json"} {
			v := f.document(filepath.Join(root, manifest))
			if v.Kind != syntax.Object {
				continue
			}
			p := plugin{name: name, root: root}
			if n, ok := v.Get("name"); ok && n.Kind == syntax.Text && n.Text != "" {
				p.name = n.Text
			}
			p.describe(v)
			found = append(found, p)
			break
		}
	}
	return found
}

// foldersIn returns the names of the folders in a folder, and of the links to folders,
// sorted.
func (f *Finder) foldersIn(dir string) (all []string) {
	real, err := f.resolve(dir)
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || len(all) == maxPlugins {
			continue
		}
		if e.Type() == iofs.ModeSymlink {
			to, err := f.resolve(filepath.Join(real, e.Name()))
			if err != nil {
				continue
			}
			if info, err := os.Lstat(to); err != nil || !info.IsDir() {
				continue
			}
		} else if !e.IsDir() {
			continue
		}
		all = append(all, e.Name())
	}
	return all
}
