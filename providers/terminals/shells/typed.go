package shells

import "strings"

// Typed is the text of a command that its shell does not know, because it is
// not in the history: what the user typed, as the terminal showed it. The log is
// its text between the prompt's mark and the command's; prompt is the last line
// of the prompt, and last the command before in the history: parameters of the
// command's mark. A line that the user continued keeps the prompts for that
// ("> "). Cost: one pass over the log.
func Typed(log, prompt, last string) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	for i := len(lines) - 1; i >= 0 && prompt != ""; i-- {
		// The last one counts: the shell may have drawn its prompt again.
		if rest, found := strings.CutPrefix(lines[i], prompt); found {
			lines = append([]string{rest}, lines[i+1:]...)
			break
		}
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), " \n")
	if text == strings.TrimRight(last, " \n") {
		return last
	}
	return text
}
