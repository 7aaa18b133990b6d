package read

import (
	"strings"

	"ctxfs/providers/internal/regexps"
)

// keyValue matches a line of YAML with a key and a value.
var keyValue = regexps.Lazy(`^[ \t]*(?:- )*(?:([^\s#:'"\[{][^:#]*|"[^"]*"|'[^']*'):[ \t]+)?(\S.*)$`)

// strict returns what strict YAML lacks and a front matter has, as clauses, given where
// the front matter ends: the reference
// validator of agentskills/agentskills reads it with strictyaml, which refuses all that
// has more than one meaning.
func strict(head []byte, body int) (all []string) {
	text := strings.TrimPrefix(string(head[:min(body, len(head))]), "\ufeff")
	seen := make(map[string]bool)
	add := func(what string) {
		if !seen[what] {
			seen[what] = true
			all = append(all, what)
		}
	}
	if len(head) > 0 && !strings.HasPrefix(string(head), "---") {
		add("a byte order mark comes before the first line ---")
	}
	if text == "" {
		return nil
	}
	block := -1 // the indentation of the key of a block of text
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if i == 0 || i >= len(lines)-2 {
			continue // the fences, and the end of the last line
		}
		if strings.Contains(line, "---") {
			add(`it contains "---", where the reference validator takes it to end`)
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if block >= 0 && (indent > block || strings.TrimSpace(line) == "") {
			continue
		}
		block = -1
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		m := keyValue().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch value := m[2]; value[0] {
		case '|', '>':
			block = indent
		case '[', '{':
			add("it has lists or mappings in brackets")
		case '&':
			add("it has anchors (&)")
		case '*':
			add("it has aliases (*)")
		case '!':
			add("it has tags (!)")
		}
	}
	return all
}
