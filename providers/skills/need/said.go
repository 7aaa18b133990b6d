package need

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
)

var (
	// requirement matches what a text says to be needed, until the sentence ends.
	requirement = regexps.Lazy(`(?i)\b(?:requires?|requiring|needs?|depends\s+on|relies\s+on)\b[ \t:]*((?:[^.;\n]|\.\S)*)`)
	// release matches what tells which version is needed.
	release = regexps.Lazy(`(?i)\s*\(?(?:version\s*)?(?:[<>=~^]+\s*v?\d[\w.]*|\bv?\d[\w.]*)\+?(?:\s+(?:or|and)\s+(?:later|newer|higher|above|up))?\)?`)
	// joint matches what separates the items of a list.
	joint = regexps.Lazy(`\s*[,+&()]\s*(?:and\s+)?|\s+and\s+|\s+with\s+`)
	// around matches the words about a program's name.
	around = regexps.Lazy(`(?i)^(?:(?:the|a|an|both|either|at\s+least|only)\s+)+|\s+(?:cli|command|program|binary|tool|installed|available|(?:to\s+be\s+)?(?:in|on)\s+(?:the\s+|your\s+)?path|(?:to\s+be\s+)?installed.*)$`)
	// named matches an item that is a program: it is written like a command.
	named = regexps.Lazy(`^[a-z][a-z0-9_-]*(?:\.[a-z0-9]+)?$`)
)

// Said adds the programs that a skill says it needs, in the file that says it: of
// "Requires git, jq and access to the internet" git and jq. Of alternatives none is added.
func (l *List) Said(name, text string) {
	for _, m := range requirement().FindAllStringSubmatch(text, 10) {
		for _, item := range joint().Split(release().ReplaceAllString(m[1], ""), 50) {
			item = strings.Trim(item, " \t\"'`")
			for before := ""; before != item; {
				before, item = item, around().ReplaceAllString(item, "")
			}
			switch strings.ToLower(item) {
			case "python":
				l.add(Interpreter, "python3", name)
				continue
			case "node", "node.js", "nodejs":
				l.add(Interpreter, "node", name)
				continue
			case "git", "docker", "ffmpeg", "pandoc":
				item = strings.ToLower(item)
			}
			if named().MatchString(item) && !slices.Contains(builtins(), item) && !isOrdinary(item) {
				l.add(Program, item, name)
			}
		}
	}
}

// isOrdinary reports whether a word stands for something other than a program.
func isOrdinary(word string) bool {
	return slices.Contains(strings.Fields(`access account accounts agent agents api apis browser browsers configuration connection credentials data dependencies
		environment files filesystem google hardware internet it java-script javascript key keys libraries library linux login mac macos mcp memory modules network none
		nothing online package packages permission permissions plugin plugins posix project projects secrets server servers setup shell skill skills software
		subscription token tokens tools typescript ubuntu unix windows workspace write`), word)
}
