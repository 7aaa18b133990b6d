package agents

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/setup/edit"
)

// hookSeconds is how long an agent waits for one of our hooks. They answer within a second
// or not at all; the rest is for a machine that is busy.
const hookSeconds = 5

// group is a group of hooks as Claude Code has it, and those that took its form.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// command returns the line that the agent gives to a shell at an event. It succeeds and
// says nothing where ctxfs is not there, or not any more: some agents let no call or message
// pass whose hook has failed (Copilot CLI 1.0.102, Gemini CLI 0.61.0).
func (p *plan) command(event string) string { return p.bare(event) + " 2>/dev/null || true" }

// bare returns the command without that, for an agent that reads its exit code.
func (p *plan) bare(event string) string {
	if p.Project != "" {
		return "ctxfs" + p.mark(event)
	}
	return shellWord(p.Program) + p.mark(event)
}

// mark returns what all our commands for an event contain.
func (p *plan) mark(event string) string { return " hook " + p.agent.ID + " " + event }

// shellWord quotes a word for a POSIX shell, if it must be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// hooks adds our hooks to a file with hooks for each event: an array, to which element
// returns what is appended. In that array nothing else is touched; an entry of ours among
// others' in one group stays as it is.
func (p *plan) hooks(file string, element func(event string) any) {
	if file == "" {
		return
	}
	there := settings(file)
	if is(there, "true", "disableAllHooks") {
		p.note("hooks are not added, since disableAllHooks is true in %s", p.short(file))
		return
	}
	var edits []edit.Edit
	for _, event := range p.agent.Hooks.Events {
		all, _ := there.At("hooks", event)
		shared := false
		for _, item := range all.Items {
			inner, _ := item.At("hooks")
			shared = shared || len(inner.Items) > 1 && contains(item, p.mark(event))
		}
		if !shared {
			edits = append(edits, edit.Element([]string{"hooks", event}, element(event)).Marked(p.mark(event)))
		}
	}
	p.change(file, "hooks", edits...)
}

// contains reports whether a string in a value contains a text.
func contains(v syntax.Value, text string) bool {
	if v.Kind == syntax.Text && strings.Contains(v.Text, text) {
		return true
	}
	for _, m := range v.Members {
		if contains(m.Value, text) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items, func(item syntax.Value) bool { return contains(item, text) })
}
