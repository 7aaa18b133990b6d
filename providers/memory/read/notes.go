package read

import (
	"strings"

	"ctxfs/providers/memory/fact"
)

// note is a part of a long file that says one thing: an item of a list with what is
// indented below it, or a paragraph.
type note struct {
	// top and section are the headings of the first and the second level above it.
	top, section string
	text         string
	is           fact.Type // "" if nothing says it
}

// maxNotes is how many notes of one file are read.
const maxNotes = 2000

// notesOf takes a text of Markdown apart.
func notesOf(text string) (all []note) {
	var top, section string
	var now strings.Builder
	listed, fenced, blank := false, false, false
	end := func() {
		if body := strings.TrimSpace(now.String()); body != "" && len(all) < maxNotes {
			all = append(all, note{top: top, section: section, text: body})
		}
		now.Reset()
		listed, blank = false, false
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			now.WriteString(line)
		case fenced:
			now.WriteString(line)
		case strings.HasPrefix(line, "# "):
			end()
			top, section = strings.TrimSpace(line[2:]), ""
		case strings.HasPrefix(line, "## "):
			end()
			section = strings.TrimSpace(line[3:])
		case strings.HasPrefix(line, "### "):
			end()
		case trimmed == "":
			if !listed {
				end()
			}
			blank = true
			now.WriteString(line)
		case !indented && isItem(line):
			end()
			listed = true
			now.WriteString(line[strings.IndexByte(line, ' ')+1:])
		default:
			if blank && !indented {
				end()
			}
			now.WriteString(line)
		}
	}
	end()
	return all
}

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	switch {
	case !ok:
		return false
	case mark == "-" || mark == "*" || mark == "+":
		return true
	}
	number := strings.TrimRight(mark, ".)")
	return number != mark && number != "" && strings.Trim(number, "0123456789") == ""
}

// isLink reports whether a note is a line of an index: it names another file of memories,
// and that is shown.
func isLink(n note) bool {
	text := strings.TrimLeft(n.text, "*_ ")
	if !strings.HasPrefix(text, "[") {
		return false
	}
	_, rest, ok := strings.Cut(text, "](")
	path, _, _ := strings.Cut(rest, ")")
	return ok && strings.HasSuffix(path, fact.Extension) && !strings.Contains(path, "://")
}
