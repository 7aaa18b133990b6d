package uses

import (
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/internal/spoken"
	"ctxfs/providers/internal/words"
)

// The kinds of what is used, as in the documents of its provider.
const (
	toolKind   = "tool"
	promptKind = "prompt"
	skillKind  = "skill"
)

var (
	// argument is a line of a call's arguments.
	argument = regexps.Lazy(`(?m)^"?(\w+)"?: ?(.*)$`)
	// ctxfsCall is a call of a tool through ctxfs in a command line.
	ctxfsCall = regexps.Lazy(`(?:^|[;&|(\n])\s*(?:[\w./~-]*/)?ctxfs\s+call\s+(?:-[\w=.-]+\s+)*([\w.@-]+)(?:\s+|/)([\w.@/-]+)`)
	// ctxfsPrompt asks for a prompt of a server.
	ctxfsPrompt = regexps.Lazy(`(?:^|[;&|(\n])\s*(?:[\w./~-]*/)?ctxfs\s+prompt-get\s+(?:-[\w=.-]+\s+)*([\w.@-]+)\s+([\w.@/-]+)`)
	// toolProgram is a program that calls a tool, see the folder bin of a server.
	toolProgram = regexps.Lazy(`/mcps/([^/\s"']+)/bin/([^/\s"';|&)]+)`)
	// skillFile is the path of a skill.
	skillFile = regexps.Lazy(`([^/\s"'=:]+)/(?:SKILL|skill)\.md`)
)

// usedBy returns what a call of an agent's tool uses.
func (r *reader) usedBy(tool, arguments string) []facts.Used {
	if server, name, ok := r.agent.MCPTool(tool); ok {
		return []facts.Used{{Kind: toolKind, Server: server, Name: name}}
	}
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(tool))
	values := argumentsOf(arguments)
	switch {
	case plain == "usemcptool" || plain == "callmcptool" || plain == "mcptool": // Cline, Cursor
		server, name := first(values, "server_name", "serverName", "server"), first(values, "tool_name", "toolName", "tool", "name")
		if server != "" && name != "" {
			return []facts.Used{{Kind: toolKind, Server: server, Name: name}}
		}
		return nil
	case plain == "skill" || plain == "activateskill" || plain == "useskill":
		name := first(values, "skill", "name", "skill_name", "command")
		if _, last, ok := strings.Cut(name, ":"); ok { // of a plugin
			name = last
		}
		if name != "" {
			return []facts.Used{{Kind: skillKind, Name: name}}
		}
		return nil
	}
	if command := first(values, "command", "cmd", "script"); command != "" {
		return usedByCommand(command)
	}
	if strings.Contains(plain, "read") || strings.Contains(plain, "view") || plain == "cat" || plain == "openfile" {
		return skillsIn(first(values, "file_path", "filePath", "path", "absolute_path", "target_file"))
	}
	return nil
}

// argumentsOf returns the arguments of a call as a transcript shows them: what stands
// indented below a name belongs to it.
func argumentsOf(text string) map[string]string {
	values := make(map[string]string)
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch m := argument().FindStringSubmatch(line); {
		case strings.HasPrefix(line, "  ") && name != "":
			values[name] += line[2:] + "\n"
		case m != nil:
			name = m[1]
			values[name] = strings.Trim(m[2], `"`)
		}
	}
	return values
}

// first returns the first value that is there, under any of the names.
func first(values map[string]string, names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(values[name]); v != "" {
			return v
		}
	}
	return ""
}

// usedByCommand returns what a command line of a shell uses. What it writes into a
// file is not read.
func usedByCommand(command string) (all []facts.Used) {
	command, _, _ = strings.Cut(command, "<<")
	for _, m := range ctxfsCall().FindAllStringSubmatch(command, -1) {
		all = append(all, facts.Used{Kind: toolKind, Server: m[1], Name: m[2]})
	}
	for _, m := range ctxfsPrompt().FindAllStringSubmatch(command, -1) {
		all = append(all, facts.Used{Kind: promptKind, Server: m[1], Name: m[2]})
	}
	for _, m := range toolProgram().FindAllStringSubmatch(command, -1) {
		all = append(all, facts.Used{Kind: toolKind, Server: m[1], Name: m[2]})
	}
	return append(all, skillsIn(command)...)
}

// skillsIn returns the skills whose files a text names.
func skillsIn(text string) (all []facts.Used) {
	for _, m := range skillFile().FindAllStringSubmatch(text, -1) {
		all = append(all, facts.Used{Kind: skillKind, Name: m[1]})
	}
	return all
}

// longWant and longSaid are the lengths in bytes to which wants and messages are
// cut.
const (
	longWant = 240
	longSaid = 160
)

// ownWords returns what a person wanted in a text that the person has sent: the first
// sentences of the person's own and the last one.
func ownWords(text string) string {
	var said []string
	for _, line := range spoken.Own(text) {
		for _, s := range spoken.Sentences(line) {
			said = append(said, spoken.Bare(s))
		}
	}
	if len(said) > 3 {
		said = append(said[:2:2], said[len(said)-1])
	}
	return clean.Cut(clean.Line(strings.Join(said, ". ")), longWant)
}

// lastSentence returns what an agent said last.
func lastSentence(text string) string {
	return clean.Cut(clean.Line(spoken.Last(text)), longSaid)
}

// assents are words by which a person repeats the previous want.
const assents = `
yes yep yeah y ok okay sure fine good great perfect go on ahead continue proceed do it please thanks thank you next again retry more right correct exactly that
`

// isAssent reports whether a text has no want of its own.
func isAssent(text string) bool {
	if len(text) > 60 {
		return false
	}
	known, all := words.Set(assents), true
	words.Split(text, func(w words.Word) { all = all && known[w.Text] })
	return all
}
