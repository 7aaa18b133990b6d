package excerpt

import (
	"slices"
	"strings"
)

// Cause returns the lines of a program's output that say why it failed: the first one
// that looks like an error, with the one below it if that is indented further; or else
// the last line that is not blank. It returns them without the spaces around them, parted
// by " / ".
func Cause(output string) string {
	last, cause := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n\t ")
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			continue
		case cause != "" && indent(line) > indent(last):
			return strings.TrimSpace(last) + " / " + text
		case cause != "":
			return cause
		case ReportsError(text):
			cause = text
		}
		last = line
	}
	if cause == "" {
		return strings.TrimSpace(last)
	}
	return cause
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// ReportsError reports whether a line of output looks like the cause of a failure.
func ReportsError(line string) bool {
	words := []string{"error", "Error", "ERROR", "FAIL", "fatal", "panic:", "undefined", "not found", "No such", "No rule", "cannot", "denied", "not ok "}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) })
}
