package read

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// gemini reads what Gemini CLI has added to the user's GEMINI.md, below a heading of its
// own; the rest of that file is a rule. Private notes on a project are in a folder beside
// its sessions.
//
// Source: geminicli.com/docs/tools/memory, /docs/cli/gemini-md; packages/core/src/config/storage.ts.
func (r *Reader) gemini() {
	const id = "gemini"
	for _, path := range r.places(id) {
		if filepath.Base(path) != "memory" {
			r.file(path, owner{agent: id, scope: fact.User}, func(n note) bool { return strings.HasSuffix(n.section, "Added Memories") })
			continue
		}
		o := owner{agent: id, scope: r.geminiScope(filepath.Dir(path))}
		r.folder(path, o, "MEMORY.md", "GEMINI.md")
	}
}

// geminiScope returns the project that a folder of ~/.gemini/tmp is about.
func (r *Reader) geminiScope(dir string) string {
	if root := strings.TrimSpace(r.readSmall(filepath.Join(dir, ".project_root"))); filepath.IsAbs(root) {
		return r.projectOf(root)
	}
	return filepath.Base(dir)
}

// vscode reads the notes of the memory tool of Copilot in VS Code: those of the user and
// of repositories. Those of one session end with it.
//
// Source: code.visualstudio.com/docs/agents/run/memory.
func (r *Reader) vscode() {
	const id = "vscode"
	for _, dir := range r.places(id) {
		o := owner{agent: id, scope: fact.User}
		if filepath.Base(dir) == "repo" {
			storage := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(dir))))
			named, err := url.Parse(member(r.readSmall(filepath.Join(storage, "workspace.json")), "folder"))
			o.scope = filepath.Base(storage)
			if err == nil && named.Scheme == "file" {
				o.scope = r.projectOf(named.Path)
			}
			r.folder(dir, o)
			continue
		}
		r.found.Watch = append(r.found.Watch, dir+"/")
		r.add(r.cache.Below(dir, []string{fact.Extension}, func(rel string, f files.File) []*fact.Memory {
			if strings.Contains(rel, "/") {
				return nil // of a session
			}
			return one(fact.Parse(f.Body, r.origin(f, o)))
		}))
	}
}

// goose reads the memories of Goose: a file for each category, of paragraphs whose first
// lines may be "#" and some tags.
//
// Source: goose-docs.ai/docs/mcp/memory-mcp; crates/goose-mcp/src/memory.
func (r *Reader) goose() {
	const id = "goose"
	read := func(dir string, o owner) {
		r.found.Watch = append(r.found.Watch, dir+"/")
		r.add(r.cache.Below(dir, []string{".txt"}, func(_ string, f files.File) []*fact.Memory {
			var all []note
			for text := range strings.SplitSeq(strings.ReplaceAll(string(f.Body), "\r\n", "\n"), "\n\n") {
				if text = strings.TrimSpace(text); strings.HasPrefix(text, "#") {
					_, text, _ = strings.Cut(text, "\n")
				}
				if text != "" && len(all) < maxNotes {
					all = append(all, note{text: text})
				}
			}
			return r.notes(f, o, all)
		}))
	}
	for _, dir := range r.places(id) {
		read(dir, owner{agent: id, scope: fact.User})
	}
	r.inProjects(id, read)
}

// droid reads the memories of Factory's agent, which are one list.
//
// Source: docs.factory.ai/guides/power-user/memory-management.
func (r *Reader) droid() {
	const id = "droid"
	for _, path := range r.places(id) {
		r.file(path, owner{agent: id, scope: fact.User}, nil)
	}
	r.inProjects(id, func(path string, o owner) { r.file(path, o, nil) })
}

// windsurf reads what is text of Windsurf's memories; those that it makes by itself are in
// a form that is documented nowhere.
//
// Source: docs.windsurf.com/windsurf/cascade/memories.
func (r *Reader) windsurf() {
	const id = "windsurf"
	for _, dir := range r.places(id) {
		r.found.Watch = append(r.found.Watch, dir+"/")
		r.add(r.cache.Below(dir, []string{fact.Extension}, func(rel string, f files.File) []*fact.Memory {
			if rel == "global_rules.md" {
				return nil // shown as a rule
			}
			return one(fact.Parse(f.Body, r.origin(f, owner{agent: id, scope: fact.User})))
		}))
		found, _ := filepath.Glob(filepath.Join(dir, "*.pb"))
		if closed := len(found); closed > 0 {
			r.note("%s of Windsurf in %s are in a form that only Windsurf reads", wording.Count(closed, "memories"), clean.Line(wording.Tilde(dir, r.opts.Machine.Home)))
		}
	}
}

// letta reads the memories of Letta Code's agents: a git repository for each.
//
// Source: docs.letta.com/letta-code/memfs.
func (r *Reader) letta() {
	for _, dir := range r.expand(filepath.Join(r.opts.Machine.Home, ".letta", "agents", "*", "memory")) {
		r.folder(dir, owner{agent: "letta", scope: fact.User})
	}
}

// configFiles returns the files in which users configure MCP servers.
func (r *Reader) configFiles() (paths []string) {
	for _, a := range agents.All() {
		for _, path := range r.opts.Machine.Paths(a.MCP.User...) {
			if !strings.Contains(path, "*") && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return append(paths, r.opts.Configs...)
}
