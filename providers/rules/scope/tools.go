package scope

import (
	"path"
	"slices"
	"strings"
)

// tool is how an agent differs from one that always reads all of its files, those of the
// system before those of the user and those before the project's, from the root down.
type tool struct {
	// condition returns when it reads a file; nil means always.
	condition func(p Place) Condition
	// choose returns which of the files for a path it reads at all; they are sorted.
	choose func(near []Place) []Place
	// phase comes before all else in its order.
	phase func(p Place) int
	// userLast is set if the user's rules come after the project's.
	userLast bool
	globs    matcher
	// limit is how many bytes of the project's files are read: once it is reached, no
	// other file is.
	limit int64
}

// CodexBytes is how much of a project's rules Codex reads unless project_doc_max_bytes says
// otherwise.
const CodexBytes = 32 << 10

// toolOf returns how an agent differs. Files without front matter of their own
// (AGENTS.md, CLAUDE.md, .cursorrules) hold always, in the folder where they are.
func toolOf(agent string) tool {
	switch agent {
	case "claude-code":
		// code.claude.com/docs/en/memory: all files are concatenated, from the root of the
		// file system down; CLAUDE.local.md comes after the others of its folder; those in
		// subfolders are read with the files there; rules with paths: only for these, which
		// are relative to the project ("*.md": in its root); AGENTS.md only where no folder
		// from the root down has a CLAUDE.md.
		return tool{condition: claudeRule, choose: claudeFiles}
	case "codex":
		// developers.openai.com/codex/guides/agents-md: in each folder from the root of the
		// repository down the first of the names that is not empty, until they have 32 KiB or
		// project_doc_max_bytes.
		return tool{choose: firstOf(firstName), limit: CodexBytes}
	case "cursor":
		// cursor.com/docs/context/rules: alwaysApply, then globs, then description, else by
		// name only. A rules folder below the root is for its folder.
		return tool{condition: cursorRule, globs: matcher{anyFolder: true}}
	case "copilot":
		// docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions:
		// applyTo is relative to the root ("*.py": in it alone); a file without it is for all;
		// excludeAgent is about the agents of github.com.
		return tool{condition: func(p Place) Condition { return instructions(p, Always, Always) }}
	case "vscode":
		// code.visualstudio.com/docs/copilot/customization/custom-instructions: without
		// applyTo by the description or by hand; .claude/rules have paths instead; of
		// AGENTS.md below the root, if they are read at all, the model is told the paths.
		return tool{condition: func(p Place) Condition {
			switch {
			case strings.Contains(p.Pattern, ".claude/rules/"):
				return claudeRule(p)
			case p.Below && path.Base(p.Name) == "AGENTS.md":
				return Condition{Applies: Model}
			}
			return instructions(p, Model, Manual)
		}}
	case "opencode":
		// opencode.ai/docs/rules: of AGENTS.md and CLAUDE.md the first that is found on the
		// way up is the name that counts, for the project and for the user alone; the
		// user's come last (anomalyco/opencode#9282), and after them what `instructions`
		// names.
		return tool{choose: opencodeFiles, userLast: true, phase: namedLast}
	case "windsurf":
		// docs.windsurf.com/windsurf/cascade/memories: trigger. A file without one is read
		// when it is named (github/spec-kit#1201).
		return tool{condition: windsurfRule, globs: matcher{anyFolder: true}}
	case "cline":
		// docs.cline.bot/customization/cline-rules: an empty list of paths means never, and
		// front matter that cannot be read means always; the files of other tools count,
		// too. AGENTS.md below the root only if there is one in it (cline/cline#7437);
		// workflows, hooks and skills in .clinerules are no rules (rule-helpers.ts).
		return tool{condition: clineRule, choose: clineFiles}
	case "roo":
		// docs.roocode.com/features/custom-instructions: rules of modes, then AGENTS.md,
		// then the others, in each the user's first; .roorules only without .roo/rules, and
		// .clinerules only without both.
		return tool{condition: rooRule, phase: rooPhase, choose: rooFiles}
	case "kiro":
		// kiro.dev/docs/steering: inclusion, always by default and for AGENTS.md.
		return tool{condition: kiroRule, globs: matcher{anyFolder: true}}
	case "continue":
		// docs.continue.dev/customize/deep-dives/rules: alwaysApply, globs, description,
		// regex; the rules of the workspace come before those of the user.
		return tool{condition: continueRule, userLast: true}
	case "zed":
		// zed.dev/docs/ai/rules: the first file of its list.
		return tool{choose: firstOf(firstName)}
	case "junie":
		// github.com/JetBrains/junie-guidelines: one file.
		return tool{choose: firstOf(firstName)}
	case "amp":
		// ampcode.com/manual: AGENTS.md, and without it one of the others.
		return tool{choose: firstOf(firstName)}
	case "pi":
		// packages/coding-agent/README.md of badlogic/pi-mono: AGENTS.md or CLAUDE.md.
		return tool{choose: firstOf(firstName)}
	}
	return tool{}
}

// list returns the globs of a condition, or another condition without globs.
func list(value any, none Applies) Condition {
	if globs := globsOf(value); len(globs) > 0 {
		return Condition{Applies: Glob, Globs: globs}
	}
	return Condition{Applies: none}
}

func (p Place) text(key string) string {
	s, _ := p.File.Matter[key].(string)
	return strings.TrimSpace(s)
}

func claudeRule(p Place) Condition {
	if !strings.Contains(p.Pattern, "rules/") {
		return Condition{Applies: Always}
	}
	c := list(p.File.Matter["paths"], Always)
	if len(p.File.Warnings) > 0 && !slices.ContainsFunc(c.Globs, IsValid) {
		return Condition{Applies: Always} // as if it had no front matter
	}
	return c
}

func cursorRule(p Place) Condition {
	switch {
	case path.Ext(p.Name) != ".mdc", p.text("alwaysApply") == "true":
		return Condition{Applies: Always}
	case p.text("description") != "":
		return list(p.File.Matter["globs"], Model)
	}
	return list(p.File.Matter["globs"], Manual)
}

// instructions is the condition of Copilot's *.instructions.md: described and bare are
// when those are read that have a description, or nothing.
func instructions(p Place, described, bare Applies) Condition {
	if !strings.HasSuffix(p.Name, ".instructions.md") {
		return Condition{Applies: Always}
	}
	none := bare
	if p.text("description") != "" {
		none = described
	}
	c := list(p.File.Matter["applyTo"], none)
	if len(c.Globs) == 1 && c.Globs[0] == "*" {
		c.Globs = []string{"**"} // "to apply the instructions to all files"
	}
	switch p.text("excludeAgent") {
	case "code-review":
		c.When = "except in code reviews on GitHub"
	case "coding-agent", "cloud-agent":
		c.When = "except by the agent on GitHub"
	}
	return c
}

// claudeFiles leaves out AGENTS.md where there is a CLAUDE.md.
func claudeFiles(near []Place) []Place {
	isAgents := func(p Place) bool { return path.Base(p.Name) == "AGENTS.md" }
	own := func(p Place) bool {
		return p.Level >= Above && (path.Base(p.Name) == "CLAUDE.md" || p.Name == "CLAUDE.local.md")
	}
	return slices.DeleteFunc(slices.Clone(near), func(p Place) bool {
		return isAgents(p) && slices.ContainsFunc(near, func(o Place) bool { return own(o) && (!o.Below || o.Dir == p.Dir) })
	})
}

// namedLast puts what settings name after all else.
func namedLast(p Place) int {
	if p.Named {
		return 1
	}
	return 0
}

func windsurfRule(p Place) Condition {
	if !strings.Contains(p.Pattern, "rules/") {
		return Condition{Applies: Always}
	}
	switch p.text("trigger") {
	case "always_on":
		return Condition{Applies: Always}
	case "glob":
		return list(p.File.Matter["globs"], Never)
	case "model_decision":
		return Condition{Applies: Model}
	}
	return Condition{Applies: Manual}
}

func clineRule(p Place) Condition {
	paths := p.File.Matter["paths"]
	if len(p.File.Warnings) > 0 {
		return Condition{Applies: Always}
	}
	if items, ok := paths.([]any); ok && len(items) == 0 {
		return Condition{Applies: Never}
	}
	return list(paths, Always)
}

// clineFiles leaves out AGENTS.md below a root without one, and what is no rule in
// .clinerules.
func clineFiles(near []Place) []Place {
	root := slices.ContainsFunc(near, func(p Place) bool { return p.Level == Project && !p.Below && p.Name == "AGENTS.md" })
	return slices.DeleteFunc(near, func(p Place) bool {
		for _, other := range []string{"workflows", "hooks", "skills"} {
			if p.Level == Project && strings.HasPrefix(p.Name, ".clinerules/"+other+"/") {
				return true
			}
		}
		return p.Below && !root
	})
}

func rooRule(p Place) Condition {
	if !strings.Contains(p.Pattern, "rules-*") {
		return Condition{Applies: Always}
	}
	_, mode, _ := strings.Cut(p.Name, "rules-")
	mode, _, _ = strings.Cut(mode, "/")
	return Condition{Applies: Manual, When: "in the mode " + mode}
}

func rooPhase(p Place) int {
	switch {
	case rooRule(p).Applies == Manual:
		return 0
	case strings.HasPrefix(path.Base(p.Name), "AGENT"):
		return 1
	}
	return 2
}

// rooFiles leaves out .roorules where a folder has rules, and AGENT.md beside AGENTS.md.
func rooFiles(near []Place) []Place {
	group := func(p Place) string {
		switch {
		case rooPhase(p) == 1:
			return "agents"
		case p.Level == Project && strings.HasPrefix(p.Name, ".roorules"):
			return "file" + rooRule(p).When
		case p.Level == Project && p.Name == ".clinerules":
			return "old"
		}
		return "folder" + rooRule(p).When
	}
	seen := make(map[string]bool)
	for _, p := range near {
		seen[group(p)] = true
	}
	agents := 0
	return slices.DeleteFunc(near, func(p Place) bool {
		if group(p) == "agents" {
			agents++
			return agents > 1
		}
		when, ok := strings.CutPrefix(group(p), "file")
		return ok && seen["folder"+when] || group(p) == "old" && (seen["folder"] || seen["file"])
	})
}

func kiroRule(p Place) Condition {
	if !strings.Contains(p.Pattern, "steering/") || path.Base(p.Name) == "AGENTS.md" {
		return Condition{Applies: Always}
	}
	switch p.text("inclusion") {
	case "fileMatch":
		return list(p.File.Matter["fileMatchPattern"], Never)
	case "manual":
		return Condition{Applies: Manual}
	case "auto":
		return Condition{Applies: Model}
	}
	return Condition{Applies: Always}
}

func continueRule(p Place) Condition {
	if p.text("alwaysApply") == "true" {
		return Condition{Applies: Always}
	}
	if p.File.Matter["regex"] != nil {
		return Condition{Applies: Manual, When: "or if the text of a file matches its regex"}
	}
	none := Always
	if p.text("alwaysApply") == "false" {
		none = Manual
		if p.text("description") != "" {
			none = Model
		}
	}
	return list(p.File.Matter["globs"], none)
}

// firstOf returns a choice of one file from each group of places; the groups are told
// apart by their keys.
func firstOf(group func(p Place) string) func([]Place) []Place {
	return func(near []Place) []Place {
		taken := make(map[string]bool)
		return slices.DeleteFunc(near, func(p Place) bool {
			key := group(p)
			double := taken[key]
			taken[key] = true
			return double
		})
	}
}

// firstName groups the files of a folder, and those of the user.
func firstName(p Place) string { return p.Level.String() + p.Dir }

// opencodeFiles keeps the files with the first name that there is, and one of the user's.
func opencodeFiles(near []Place) []Place {
	first := -1
	for _, p := range near {
		if p.Level == Project && !p.Named && (first < 0 || p.Kind < first) {
			first = p.Kind
		}
	}
	users := 0
	return slices.DeleteFunc(near, func(p Place) bool {
		switch {
		case p.Named:
			return false
		case p.Level == Project:
			return p.Kind != first
		}
		users++
		return users > 1
	})
}
