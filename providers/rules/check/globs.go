package check

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/rules/scope"
)

// key is a key of front matter that says when a rule holds.
type key struct {
	name  string
	agent string // whose it is
}

// keys returns the keys by which agents are told when a rule holds.
func keys() []key {
	return []key{{"globs", "Cursor and Windsurf"}, {"paths", "Claude Code and Cline"}, {"applyTo", "Copilot"}, {"fileMatchPattern", "Kiro"}}
}

// globs finds contradictions in when a rule holds. What its agent reads is known by the
// place of the file.
func (c *checker) globs(places []scope.Place) {
	matter := c.file.Matter
	text := func(name string) string {
		s, _ := matter[name].(string)
		return strings.TrimSpace(s)
	}
	own, reader := "", ""
	for _, p := range places {
		switch {
		case p.Agent == "cursor" && filepath.Ext(p.Name) == ".mdc":
			own, reader = "globs", "Cursor"
			c.cursor(text)
		case p.Agent == "windsurf" && strings.Contains(p.Pattern, "rules/"):
			own, reader = "globs", "Windsurf"
			c.windsurf(text)
		case p.Agent == "claude-code" && strings.Contains(p.Pattern, "rules/"):
			own, reader = "paths", "Claude Code"
		case p.Agent == "cline" && strings.HasPrefix(p.Pattern, ".clinerules/"):
			own, reader = "paths", "Cline"
			if items, ok := matter["paths"].([]any); ok && len(items) == 0 {
				c.add(1, Globs, "remove the line paths, or name files", "an empty list of paths means never")
			}
		case p.Agent == "copilot" && strings.HasSuffix(p.Name, ".instructions.md"):
			own, reader = "applyTo", "Copilot"
		case p.Agent == "kiro" && strings.Contains(p.Pattern, "steering/"):
			own, reader = "fileMatchPattern", "Kiro"
			c.kiro(text)
		case p.Agent == "continue":
			own, reader = "globs", "Continue"
		default:
			continue
		}
		c.patterns(p)
	}
	for _, k := range keys() {
		if _, ok := matter[k.name]; ok && own != "" && k.name != own && matter[own] == nil {
			c.add(1, Globs, "write "+own+": instead", "%s does not know %s, which is of %s", reader, k.name, k.agent)
		}
	}
}

func (c *checker) cursor(text func(string) string) {
	has := c.file.Matter["globs"] != nil && text("globs") != "" || isList(c.file.Matter["globs"])
	switch always := text("alwaysApply"); {
	case always == "true" && has:
		c.add(1, Globs, "remove one of them", "alwaysApply is true, so that its globs mean nothing")
	case always != "" && always != "true" && always != "false":
		c.add(1, Globs, "write true or false", "alwaysApply is neither true nor false: %q", always)
	}
}

func (c *checker) windsurf(text func(string) string) {
	globs := text("globs") != "" || isList(c.file.Matter["globs"])
	switch trigger := text("trigger"); {
	case trigger == "glob" && !globs:
		c.add(1, Globs, "add the line globs: **/*.ext", "its trigger is glob, and it has no globs: it never holds")
	case trigger == "always_on" && globs:
		c.add(1, Globs, "write trigger: glob, or remove the globs", "its trigger is always_on, so that its globs mean nothing")
	case trigger == "model_decision" && text("description") == "":
		c.add(1, Vague, "add the line description: when it is needed", "the model decides about it by its description, which is missing")
	case trigger != "" && trigger != "glob" && trigger != "always_on" && trigger != "model_decision" && trigger != "manual":
		c.add(1, Globs, "write always_on, glob, model_decision or manual", "Windsurf has no trigger %q", trigger)
	}
}

func (c *checker) kiro(text func(string) string) {
	pattern := text("fileMatchPattern") != "" || isList(c.file.Matter["fileMatchPattern"])
	switch inclusion := text("inclusion"); {
	case inclusion == "fileMatch" && !pattern:
		c.add(1, Globs, "add the line fileMatchPattern: \"**/*.ext\"", "its inclusion is fileMatch, and it has no fileMatchPattern: it never holds")
	case inclusion != "fileMatch" && pattern:
		c.add(1, Globs, "write inclusion: fileMatch", "it has a fileMatchPattern, and its inclusion is not fileMatch: it means nothing")
	case inclusion == "auto" && text("description") == "":
		c.add(1, Vague, "add the line description: when it is needed", "the model decides about it by its description, which is missing")
	case inclusion != "" && inclusion != "always" && inclusion != "fileMatch" && inclusion != "manual" && inclusion != "auto":
		c.add(1, Globs, "write always, fileMatch, auto or manual", "Kiro has no inclusion %q", inclusion)
	}
}

func isList(value any) bool {
	items, ok := value.([]any)
	return ok && len(items) > 0
}

// patterns finds globs that cannot match.
func (c *checker) patterns(p scope.Place) {
	condition := p.Condition()
	if condition.Applies != scope.Glob {
		return
	}
	bad := false
	for _, g := range condition.Globs {
		bare := strings.TrimPrefix(g, "!")
		switch {
		case !scope.IsValid(bare):
			c.add(1, Globs, "close its brackets and braces", "the glob %q is not well-formed: it matches nothing", g)
		case strings.HasPrefix(bare, "~") || strings.HasPrefix(bare, "../"):
			c.add(1, Globs, "write it relative to the project", "the glob %q leads out of the project: it matches nothing", g)
		case strings.HasPrefix(bare, c.project.Root+"/"):
			c.add(1, Globs, "write it relative to the project", "the glob %q is an absolute path: it matches nothing", g)
		case bare != g && slices.Contains(condition.Globs, bare):
			c.add(1, Globs, "remove one of them", "%q and %q contradict each other", bare, g)
		default:
			continue
		}
		bad = true
	}
	if bad || c.project.Files == nil || p.Level != scope.Project {
		return
	}
	for _, file := range c.project.Files {
		if p.Covers(c.project.Root, filepath.Join(c.project.Root, file)) {
			return
		}
	}
	c.add(1, Globs, "correct the globs, or remove the rule", "no file of the project matches %s: it never holds", strings.Join(condition.Globs, ", "))
}
