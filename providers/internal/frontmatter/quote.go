package frontmatter

import (
	"strings"

	"ctxfs/providers/internal/regexps"
)

// keyLine matches a line with a key and the beginning of its value.
var keyLine = regexps.Lazy(`^([ \t]*(?:- )?[\pL\pN_.-]+:[ \t]+)(\S.*)$`)

// quoteValues quotes values that are meant as plain text but that YAML takes
// for something else: "description: Use when: always", "globs: *.ts".
func quoteValues(text string) string {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		m := keyLine().FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		// Lines indented deeper than the key belong to its value.
		last := i
		for last+1 < len(lines) && indent(lines[last+1]) > indent(lines[i]) {
			last++
		}
		value := append([]string{m[2]}, lines[i+1:last+1]...)
		if needsQuotes(value) {
			for j, part := range value {
				value[j] = strings.ReplaceAll(strings.TrimRight(part, " \t"), "'", "''")
			}
			value[0] = "'" + value[0]
			value[len(value)-1] += "'"
			lines[i] = m[1] + value[0]
			copy(lines[i+1:], value[1:])
		}
		i = last
	}
	return strings.Join(lines, "\n")
}

// needsQuotes reports whether the lines of a value are meant as plain text but YAML
// reads them as something else.
func needsQuotes(value []string) bool {
	first, all := value[0], strings.TrimRight(strings.Join(value, "\n"), " \t")
	switch first[0] {
	case '|', '>', '#': // a block, a comment
		return false
	case '"', '\'':
		return len(all) == 1 || all[len(all)-1] != first[0]
	case '[':
		return strings.IndexByte(all, ']') != len(all)-1
	case '{':
		return all[len(all)-1] != '}'
	case '*', '&', '!', '%', '@', '`', ',', ']', '}':
		return true
	}
	return strings.HasPrefix(first, "- ") || strings.HasPrefix(first, "? ") ||
		strings.Contains(all, ": ") || strings.Contains(all, ":\n") || strings.HasSuffix(all, ":")
}

// indent returns how far a line is indented; 0 for an empty line.
func indent(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" {
		return 0
	}
	return len(line) - len(rest)
}
