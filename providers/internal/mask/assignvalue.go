package mask

import "bytes"

// value returns where the secret is; an empty range if the value is not a
// secret.
func (a *assignment) value() (from, to int) {
	text, i := a.text, a.after
	name := text[a.from:a.to]
	if a.operator == '>' {
		end := bytes.IndexByte(text[i:min(len(text), i+512)], '<')
		for end > 0 && text[i] <= ' ' {
			i, end = i+1, end-1
		}
		for end > 0 && text[i+end-1] <= ' ' {
			end--
		}
		if end <= 0 || bytes.IndexByte(text[i:i+end], '\n') >= 0 || !isSecretValue(name, text[i:i+end], max(a.kind, strong), inString) {
			return 0, 0
		}
		return i, i + end
	}
	if bytes.HasPrefix(text[i:], []byte("base64:")) { // Laravel's
		i += len("base64:")
	}
	q := i
	for q < len(text) && q-i < 2 && is(text[q], alnum) { // b"", f"", $''
		q++
	}
	if q < len(text) && text[q] == '$' && q+1 < len(text) && text[q+1] == '\'' {
		q++
	}
	if q < len(text) && (isQuote(text[q]) || text[q] == '\\' && q+1 < len(text) && isQuote(text[q+1])) {
		return a.quoted(name, q)
	}
	if a.to > 0 && bytes.EqualFold(name, []byte("authorization")) {
		return 0, 0 // a header's rule finds it
	}
	return a.unquoted(name, i)
}

// quoted returns the value in the quote at q.
func (a *assignment) quoted(name []byte, q int) (from, to int) {
	text := a.text
	if a.operator == '=' && !a.quote && a.from > 0 && text[a.from-1] == text[q] {
		return 0, 0 // the end of a string "NAME="
	}
	end := -1
	if text[q] == '\\' {
		from = q + 2
		for i, last := from, lineEnd(text, from)-1; i < last && end < 0; i++ {
			switch {
			case text[i] == '\\' && text[i+1] == '\\':
				i += 3 // an inner quote, escaped twice
			case text[i] == '\\' && text[i+1] == text[q+1]:
				end = i
			case text[i] == '\\':
				i++
			}
		}
	} else {
		from = q + 1
		end = quoteEnd(text, q)
	}
	if text[q] == '`' && a.operator == '=' && !a.spaced {
		return 0, 0 // a command
	}
	if end < 0 { // the line is cut, or the quote ends on another one
		end = from
		for end < len(text) && end-from < maxValue && text[end] > ' ' && !isQuote(text[end]) {
			end++
		}
	}
	how := inString
	if a.operator == '=' && !a.spaced && isUpper(name) || a.isFlag() {
		how = inAssignment
	}
	v := text[from:end]
	if q > 0 && text[q-1] == 'f' && bytes.IndexByte(v, '{') >= 0 || !isSecretValue(name, v, a.kind, how) {
		return 0, 0
	}
	return from, end
}

// unquoted returns the value at i without quotes.
func (a *assignment) unquoted(name []byte, i int) (from, to int) {
	text := a.text
	to = unquotedEnd(text, i)
	starts := startsLine(text, a.from)
	if starts && a.operator == '=' && !a.spaced && isUpper(name) {
		for to < len(text) && bytes.IndexByte([]byte("&;|<>)]},"), text[to]) >= 0 && to+1 < len(text) && text[to+1] > ' ' && !isQuote(text[to+1]) {
			to = unquotedEnd(text, to+1) // of a listing, not of a command line
		}
	}
	if to < len(text) && i < to && (text[i] == '[' && text[to] == ']' || text[i] == '(' && text[to] == ')' || text[i] == '{' && text[to] == '}') {
		to++
	}
	v := text[i:to]
	if equals := skipBlanks(text, to); a.operator == ':' && isType(v) && equals+1 < len(text) && text[equals] == '=' && text[equals+1] == ' ' {
		a.operator, a.spaced, a.after = '=', true, skipBlanks(text, equals+1)
		return a.value()
	}
	if a.operator == '?' || a.operator == ':' && to < len(text) && text[to] == ';' && endsLine(text, to+1) && isWordOf(v, word) && is(v[0], upper|under) {
		return 0, 0 // the type of a field
	}
	switch how := a.syntaxOf(name, v, to, starts); {
	case !isSecretValue(name, v, a.kind, how), isPattern(v):
		return 0, 0
	}
	return i, to
}

// syntaxOf returns how an unquoted value is written.
func (a *assignment) syntaxOf(name, v []byte, end int, starts bool) syntax {
	text := a.text
	before := byte(' ')
	if a.from > 0 {
		before = text[a.from-1]
	}
	ends := endsLine(text, end)
	switch {
	case a.operator == '=' && !a.spaced && (isUpper(name) || before == '?' || before == '&'):
		return inAssignment
	case a.operator == '=' && a.isFlag():
		if isUpperName(v) {
			return inText
		}
		return inAssignment
	case a.operator == ':' && bytes.IndexByte(name, '-') > 0 && is(name[0], upper|lower) && ends && (a.after > a.to+1 || starts):
		if has := classesOf(v); has&digit != 0 {
			return inHeader
		}
		return inText
	case starts && ends && (a.operator == ':' || !a.spaced):
		return onOwnLine
	case a.operator == '=' && !a.spaced && a.kind == password && !isCode(v) && classesOf(v)&^(upper|lower|dash) == 0 && !inCall(text, a.from):
		return onOwnLine
	}
	return inText
}

// isFlag reports whether the name is that of a flag.
func (a *assignment) isFlag() bool {
	return a.from > 0 && a.text[a.from-1] == '-' && (a.from < 2 || a.text[a.from-2] <= ' ' || a.text[a.from-2] == '-' || isQuote(a.text[a.from-2]))
}

// isPattern reports whether a value is a regular expression, or has nothing
// readable.
func isPattern(v []byte) bool {
	has := classesOf(v)
	return bytes.Contains(v, []byte(".*")) || bytes.Contains(v, []byte(".+")) || bytes.Contains(v, []byte("[^")) || has&alnum == 0
}

func isUpper(name []byte) bool {
	has := classesOf(name)
	return has&upper != 0 && has&lower == 0
}

// unquotedEnd returns where a value without quotes ends.
func unquotedEnd(text []byte, i int) int {
	text = text[:min(len(text), i+maxValue)]
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || isQuote(c):
			return i
		case c == '\\':
			if i+1 < len(text) && bytes.IndexByte([]byte(`nrt"'\`), text[i+1]) >= 0 {
				return i
			}
			i++
		case bytes.IndexByte([]byte(",;&|<>)]}"), c) >= 0:
			return i
		case c == '$' && i+1 < len(text) && (text[i+1] == '{' || text[i+1] == '('):
			if end := bytes.IndexAny(text[i:min(len(text), i+64)], "})"); end > 0 {
				i += end
			}
		}
	}
	return min(i, len(text))
}

// maxValue and maxLead are the largest number of bytes that are examined of a
// value, and of what precedes a name on its line: the cost must stay linear in the
// length of the text.
const (
	maxValue = 4 << 10
	maxLead  = 512
)

// lineEnd returns where the line of an offset ends, or how far it is examined.
func lineEnd(text []byte, i int) int {
	end := min(len(text), i+maxValue)
	if n := bytes.IndexByte(text[i:end], '\n'); n >= 0 {
		return i + n
	}
	return end
}

// lineStart returns where the line of an offset begins, or how far back it is
// examined.
func lineStart(text []byte, i int) int {
	start := max(0, i-maxLead)
	return start + bytes.LastIndexByte(text[start:i], '\n') + 1
}

// startsLine reports whether only blanks and marks of lists and diffs precede an
// offset on its line.
func startsLine(text []byte, i int) bool {
	for least := max(0, i-maxLead); i > least; i-- {
		switch text[i-1] {
		case ' ', '\t', '-', '+', '>', '*', '#', '"', '\'':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// endsLine reports whether nothing but a comment follows an offset on its line.
func endsLine(text []byte, i int) bool {
	start := i
	i = skipBlanks(text, i)
	return i >= len(text) || text[i] == '\n' || text[i] == '\r' || text[i] == '#' && i > start
}

// inCall reports whether an offset lies within parentheses of its line.
func inCall(text []byte, i int) bool {
	open := 0
	for least := max(0, i-maxLead); i > least && text[i-1] != '\n'; i-- {
		switch text[i-1] {
		case '(':
			if open--; open < 0 {
				return true
			}
		case ')':
			open++
		}
	}
	return false
}
