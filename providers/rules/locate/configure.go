package locate

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/syntax"
)

// configure applies what users and projects set about the rules of an agent, as its makers
// document it.
func (f *Finder) configure(c *configured, root string) {
	docs := f.documents(c.Agent, root)
	switch c.ID {
	case "claude-code":
		c.claude(docs)
	case "codex":
		c.codex(docs)
	case "gemini":
		c.gemini(docs, root, f.opts.Machine.Home)
	case "opencode":
		// opencode.ai/docs/rules: `instructions` are paths, globs and addresses.
		c.nameAll(docs, "instructions")
	case "crush":
		// The README of charmbracelet/crush: further paths of context.
		c.nameAll(docs, "options", "context_paths")
	case "aider":
		// aider.chat/docs/usage/conventions.html: read-only files.
		c.nameAll(docs, "read")
	case "vscode":
		c.vscode(docs)
	case "copilot":
		c.copilot(f.opts.Machine)
	case "amp":
		c.below(root, f.opts.Machine.Home) // ampcode.com/manual: the parent folders up to $HOME
	}
}

// nameAll adds all that settings name at a path of keys.
func (c *configured) nameAll(docs []document, key ...string) {
	for _, doc := range docs {
		v, _ := doc.At(key...)
		for _, entry := range texts(v) {
			c.name(entry, doc.own)
		}
	}
}

// claude applies claudeMdExcludes, globs of absolute paths that all settings add to
// (code.claude.com/docs/en/memory).
func (c *configured) claude(docs []document) {
	c.outBy = "claudeMdExcludes"
	for _, doc := range docs {
		v, _ := doc.At("claudeMdExcludes")
		c.out = append(c.out, texts(v)...)
	}
}

// codex applies project_doc_fallback_filenames, names that are read where a folder has no
// AGENTS.md, and project_doc_max_bytes (developers.openai.com/codex/guides/agents-md,
// /config-reference).
func (c *configured) codex(docs []document) {
	if v, own, ok := first(docs, "project_doc_fallback_filenames"); ok {
		c.Rules.Project = append(c.Rules.Project, fileNames(v, own)...)
	}
	if v, _, ok := first(docs, "project_doc_max_bytes"); ok && v.Kind == syntax.Number {
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n == 0 {
			c.Rules.Project = nil // it reads none
		} else if err == nil && n > 0 {
			c.settings.MaxBytes = n
		}
	}
	c.Rules.Nested = c.Rules.Project
}

// gemini applies context.fileName, the names that are read instead of GEMINI.md. No folder
// above the first one with a .git counts (geminicli.com/docs/cli/gemini-md,
// /reference/configuration).
func (c *configured) gemini(docs []document, root, home string) {
	for _, doc := range docs {
		given, _ := doc.At("context", "fileName")
		if names := fileNames(given, doc.own); len(names) > 0 {
			folder := strings.TrimSuffix(string(c.Rules.User[0]), "GEMINI.md")
			c.Rules.Project, c.Rules.Nested, c.Rules.User = names, names, c.Rules.User[1:]
			for _, name := range names {
				c.Rules.User = append(c.Rules.User, agents.Path(folder+name))
			}
			break
		}
	}
	c.below(root, home)
	for dir := root; dir != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if exists(dir, ".git") {
			c.top = dir
			return
		}
	}
}

// below lets rules above a project in the home folder count up to the home folder.
func (c *configured) below(root, home string) {
	if fs.Within(root, home) {
		c.top = home
	}
}

// vscode applies the settings that name and leave out instructions
// (code.visualstudio.com/docs/copilot/customization/custom-instructions).
func (c *configured) vscode(docs []document) {
	known := make(map[string]bool) // a folder counts as the first settings have it
	for _, doc := range docs {
		v, _ := doc.At("chat.instructionsFilesLocations")
		for _, m := range v.Members {
			folder := strings.TrimSuffix(path.Clean(m.Name), "/")
			if known[folder] {
				continue
			}
			known[folder] = true
			below := func(pattern string) bool { return strings.HasPrefix(pattern, folder+"/") }
			switch {
			case m.Value.Text == "false":
				c.drop(below)
			case m.Value.Text == "true" && !slices.ContainsFunc(c.Rules.Project, below) && !slices.ContainsFunc(c.Rules.User, func(p agents.Path) bool { return below(string(p)) }):
				c.name(folder+"/**/*.instructions.md", doc.own)
			}
		}
	}
}

// drop leaves out patterns.
func (c *configured) drop(out func(pattern string) bool) {
	c.Rules.Project = slices.DeleteFunc(c.Rules.Project, out)
	c.Rules.Nested = slices.DeleteFunc(c.Rules.Nested, out)
	c.Rules.User = slices.DeleteFunc(c.Rules.User, func(p agents.Path) bool { return out(string(p)) })
}

// copilot applies COPILOT_CUSTOM_INSTRUCTIONS_DIRS: folders, with commas between them,
// that have an AGENTS.md and .github/instructions
// (docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions).
func (c *configured) copilot(m agents.Machine) {
	dirs, _ := m.LookupEnv("COPILOT_CUSTOM_INSTRUCTIONS_DIRS")
	for dir := range strings.SplitSeq(dirs, ",") {
		if dir = strings.TrimSpace(dir); dir != "" {
			c.name(dir+"/AGENTS.md", true)
			c.name(dir+"/.github/instructions/**/*.instructions.md", true)
		}
	}
}

// first returns the setting at a path of keys in the first document that has it, and
// whether that is the user's own.
func first(docs []document, key ...string) (v syntax.Value, own, ok bool) {
	for _, doc := range docs {
		if v, ok := doc.At(key...); ok {
			return v, doc.own, true
		}
	}
	return v, false, false
}

// exists reports whether a folder has an entry of that name.
func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
