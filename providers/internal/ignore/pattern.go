package ignore

import (
	"bytes"
	"strings"
)

// pattern is one line of a file of patterns.
type pattern struct {
	kind   kind
	text   string // what is compared, by kind
	except bool   // begins with "!"
	folder bool   // matches folders only
	path   bool   // is compared with paths, not only with names
	tail   string // of a glob: how names that it matches end
}

// kind says how a pattern is compared. Nearly all patterns are one of the first three,
// which cost a few nanoseconds.
type kind int

const (
	literal kind = iota
	suffix       // "*" and a literal
	prefix       // a literal and "*"
	glob
)

func (p *pattern) matches(s *subject) bool {
	if p.folder && !s.folder {
		return false
	}
	if p.path {
		if p.kind == literal {
			return len(p.text) == len(s.dir)+len(s.name) && strings.HasPrefix(p.text, s.dir) && strings.HasSuffix(p.text, s.name)
		}
		return strings.HasSuffix(s.name, p.tail) && MatchGlob(p.text, s.bytesOfPath())
	}
	switch p.kind {
	case literal:
		return p.text == s.name
	case suffix:
		return strings.HasSuffix(s.name, p.text)
	case prefix:
		return strings.HasPrefix(s.name, p.text)
	}
	return strings.HasSuffix(s.name, p.tail) && MatchGlob(p.text, s.bytes())
}

// parse returns the patterns of a file. Source: gitignore(5), and dir.c of git 2.39 where
// that is silent.
func parse(file []byte) []pattern {
	var patterns []pattern
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(file, []byte("\n")) {
		if p, ok := parseLine(string(bytes.TrimSuffix(line, []byte("\r")))); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// parseLine returns the pattern of a line; ok is false if the line has no pattern, or
// one that can match nothing.
func parseLine(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line, p.except = strings.CutPrefix(trimSpaces(line), "!")
	line, p.folder = strings.CutSuffix(line, "/")
	p.path = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	switch special := strings.IndexAny(line, `*?[\`); {
	case line == "":
		return p, false
	case special < 0:
		p.kind, p.text = literal, line
		return p, true
	case !p.path && special == 0 && line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`):
		p.kind, p.text = suffix, line[1:]
		return p, true
	case !p.path && special == len(line)-1 && line[special] == '*':
		p.kind, p.text = prefix, line[:special]
		return p, true
	}
	p.kind, p.tail = glob, line[strings.LastIndexAny(line, `*?[]\/`)+1:]
	p.text, ok = translate(line)
	return p, ok
}

// trimSpaces removes the spaces at the end of a line, except for one that is escaped.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// translate returns a pattern of git in the syntax of the library, both as bytes of
// Latin-1. The library has alternatives in braces, which git has not; it lacks classes of
// characters by name and a "]" that begins a class, lets classes match a slash, and matches
// a folder with "folder/**". What git cannot parse matches nothing: ok is false.
func translate(git string) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(git); i++ {
		switch c := git[i]; c {
		case '*':
			begin := i
			for i+1 < len(git) && git[i+1] == '*' {
				i++
			}
			b.WriteByte('*')
			if i > begin && (begin == 0 || git[begin-1] == '/') && (i+1 == len(git) || git[i+1] == '/') {
				b.WriteByte('*') // the whole of a name
			}
		case '?', '/':
			b.WriteByte(c)
		case '[':
			end, class := translateClass(git[i:])
			if end == 0 {
				return "", false
			}
			b.WriteString(class)
			i += end - 1
		case '\\':
			if i++; i == len(git) {
				return "", false
			}
			escape(&b, git[i])
		default:
			escape(&b, c)
		}
	}
	text = b.String()
	if text == "**" || strings.HasSuffix(text, "/**") {
		text += "/*"
	}
	return text, true
}

// translateClass returns the class that a text begins with, and where that ends; 0 if it
// has no end, or names what git does not know.
func translateClass(git string) (end int, class string) {
	var b strings.Builder
	i, open := 1, "["
	if i < len(git) && (git[i] == '!' || git[i] == '^') {
		open = "[^/" // which the library would match
		i++
	}
	for first := true; ; first = false {
		if i >= len(git) {
			return 0, ""
		}
		if git[i] == ']' && !first {
			if open == "[" && b.Len() == 0 {
				return 0, "" // only of what it cannot match
			}
			return i + 1, open + b.String() + "]"
		}
		if strings.HasPrefix(git[i:], "[:") {
			if length := strings.IndexByte(git[i+2:], ']'); length < 0 {
				return 0, ""
			} else if name, ok := strings.CutSuffix(git[i+2:i+2+length], ":"); ok {
				known := named(name)
				if known == "" {
					return 0, ""
				}
				for ; known != ""; known = known[2:] {
					members(&b, known[0], known[1])
				}
				i += 2 + length + 1
				continue
			}
		}
		low, after, ok := member(git, i)
		if !ok {
			return 0, ""
		}
		high := low
		if after+1 < len(git) && git[after] == '-' && git[after+1] != ']' {
			if high, after, ok = member(git, after+1); !ok {
				return 0, ""
			}
		}
		i = after
		members(&b, low, max(low, high)) // git matches the first byte of a range even if it is above the last
	}
}

// members writes a range of bytes without the slash, which a class never matches.
func members(b *strings.Builder, low, high byte) {
	if low <= '/' && '/' <= high {
		if low < '/' {
			members(b, low, '/'-1)
		}
		if '/' < high {
			members(b, '/'+1, high)
		}
		return
	}
	escape(b, low)
	b.WriteByte('-')
	escape(b, high)
}

// member returns the byte that stands at i in a class, and where the next one stands.
func member(git string, i int) (c byte, after int, ok bool) {
	if git[i] == '\\' {
		i++
	}
	if i == len(git) {
		return 0, 0, false
	}
	return git[i], i + 1, true
}

// named returns the members of a class of characters that has a name, as the first and
// the last byte of each range; "" if no class has it.
func named(class string) string {
	switch class {
	case "alnum":
		return "09AZaz"
	case "alpha":
		return "AZaz"
	case "blank":
		return "  \t\t"
	case "cntrl":
		return "\x00\x1f\x7f\x7f"
	case "digit":
		return "09"
	case "graph":
		return "!~"
	case "lower":
		return "az"
	case "print":
		return " ~"
	case "punct":
		return "!/:@[`{~"
	case "space":
		return "\t\r  "
	case "upper":
		return "AZ"
	case "xdigit":
		return "09AFaf"
	}
	return ""
}

// escape writes a byte that stands for itself.
func escape(b *strings.Builder, c byte) {
	if strings.IndexByte(`\*?[]{}!^-,`, c) >= 0 {
		b.WriteByte('\\')
	}
	b.WriteRune(rune(c))
}
