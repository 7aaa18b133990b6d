package mask

import "bytes"

const nameBytes = word | dash | dot

// maxBefore and maxGap are the largest number of bytes of a name, and of the gap
// between it and its value.
const (
	maxBefore = 64
	maxGap    = 40
)

// nameAt returns the name around an anchor, without the dashes of a flag.
func nameAt(text []byte, at int) (from, to int) {
	from = at
	for from > 0 && at-from < maxBefore && is(text[from-1], nameBytes) {
		from--
	}
	to, _ = run(text[:min(len(text), at+maxBefore)], at, nameBytes)
	for to > from && (text[to-1] == '.' || text[to-1] == '-') {
		to--
	}
	for from < to && (text[from] == '-' || text[from] == '.') {
		from++
	}
	return from, to
}

// assignment is a name and how a value is given to it.
type assignment struct {
	text     []byte
	from, to int // the name
	kind     kind
	quote    bool // the name is in quotes
	operator byte // '=', ':', '>' of XML, '?' of an optional field
	spaced   bool // blanks before or after an equals sign
	after    int  // where the value begins, including its quote
}

// name finds the secret that belongs to the name around an anchor.
func (f *finder) name(at int) {
	if at < f.named {
		return
	}
	from, to := nameAt(f.text, at)
	if to <= at {
		return
	}
	f.named = to
	a := assignment{text: f.text, from: from, to: to, kind: kindOfName(f.text[from:to])}
	if a.kind == nothing {
		a.kind = a.special()
	}
	if a.kind == nothing {
		return
	}
	f.assigned(a)
}

// assigned finds the value of a secret name.
func (f *finder) assigned(a assignment) {
	if a.operate() {
		if v0, v1 := a.value(); v1 > v0 {
			rule := a.kind.rule()
			if a.quote && a.operator == ':' && isWordOf(f.text[v0:v1], digit|dash|dot) && !isQuote(f.text[v0-1]) { // a number
				rule += a.quotes()
			}
			f.add(span{v0, v1, rule})
			if a.operator == '=' && !a.spaced && isWordOf(f.text[a.from:a.to], word) {
				f.assigns = append(f.assigns, span{v0, v1, rule})
			}
		}
		return
	}
	f.unassigned(a)
}

// quotes returns the quotes of the name, as the name of a rule has them.
func (a *assignment) quotes() string {
	if a.to < len(a.text) && a.text[a.to] == '\\' {
		return inEscaped
	}
	return inQuotes
}

// special returns the kind of names that are secret only in some places.
func (a *assignment) special() kind {
	name := a.text[a.from:a.to]
	before, after := byte(' '), byte(0)
	if a.from > 0 {
		before = a.text[a.from-1]
	}
	if a.to < len(a.text) {
		after = a.text[a.to]
	}
	switch small := string(bytes.ToLower(name)); {
	case small == "_auth" && after == '=':
		return weak
	case (small == "pass" || small == "pw") && (after == '=' && before != '-' || before == '"' && after == '"'):
		return weak
	case (before == '?' || before == '&') && after == '=' && (small == "key" || small == "sig" || small == "code" || small == "auth"):
		return keyLike
	}
	return nothing
}

// operate finds the operator after the name, and where the value begins.
func (a *assignment) operate() bool {
	text, i := a.text, a.to
	i = skipEscapes(text, i)
	if i < len(text) && text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\'') {
		i++
	}
	if i < len(text) && isQuote(text[i]) {
		if a.from == 0 || !isQuote(text[a.from-1]) && !isQuote(text[max(0, a.from-2)]) {
			return false
		}
		a.quote = true
		i++
	}
	if a.quote && i < len(text) && text[i] == ']' {
		i++
	}
	start := i
	i = skipBlanks(text, i)
	if i >= len(text) {
		return false
	}
	a.spaced = i > start
	if a.quote && (text[i] == ',' || hasPrefixFold(text[i:], "value")) {
		return a.member(i)
	}
	for _, t := range []string{"string ", "str ", "String "} { // var token string = "x"
		if a.spaced && bytes.HasPrefix(text[i:], []byte(t)) {
			i = skipBlanks(text, i+len(t))
			break
		}
	}
	if i >= len(text) {
		return false
	}
	rest := text[i:min(len(text), i+4)]
	switch {
	case bytes.HasPrefix(rest, []byte("::=")), bytes.HasPrefix(rest, []byte("??=")), bytes.HasPrefix(rest, []byte("||=")):
		a.operator, a.spaced, i = '=', true, i+3
	case bytes.HasPrefix(rest, []byte(":::=")):
		a.operator, a.spaced, i = '=', true, i+4
	case bytes.HasPrefix(rest, []byte(".=")):
		a.operator, a.spaced, i = '=', true, i+2
	case bytes.HasPrefix(rest, []byte("==")), bytes.HasPrefix(rest, []byte("=~")), bytes.HasPrefix(rest, []byte("::")), bytes.HasPrefix(rest, []byte("://")):
		return false
	case bytes.HasPrefix(rest, []byte("<<<")):
		a.operator, i = '=', i+3
	case bytes.HasPrefix(rest, []byte("=>")), bytes.HasPrefix(rest, []byte(":=")), bytes.HasPrefix(rest, []byte("?=")), bytes.HasPrefix(rest, []byte("+=")):
		a.operator, a.spaced, i = '=', true, i+2
	case bytes.HasPrefix(rest, []byte("?:")), bytes.HasPrefix(rest, []byte("!:")):
		a.operator, i = '?', i+2
	case rest[0] == '=', rest[0] == ':':
		a.operator, i = rest[0], i+1
	case rest[0] == '>' && a.from > 0 && text[a.from-1] == '<' && !a.spaced:
		a.operator, i = '>', i+1
	default:
		return false
	}
	value := skipBlanks(text, i)
	if value > i && a.operator == '=' {
		if !a.spaced && !a.quote && rest[0] == '=' && value < len(text) && !isQuote(text[value]) {
			return false // "NAME= command": an empty value
		}
		a.spaced = true
	}
	if a.operator == ':' && value == i && a.from > 0 && (text[a.from-1] == ':' || bytes.HasSuffix(text[:a.from], []byte("://"))) {
		return false // a part of a URL or a URN
	}
	a.after = skipEscapes(text, value)
	return a.after < len(text)
}

// member finds the operator of {"name": "PASSWORD", "value": "x"}, of
// key="Password" value="x" and of define('PASSWORD', 'x').
func (a *assignment) member(i int) bool {
	text := a.text
	if text[i] == ',' {
		i = skipBlanks(text, i+1)
	}
	start := i
	for i < len(text) && (isQuote(text[i]) || text[i] == '\\') {
		i++
	}
	if hasPrefixFold(text[i:], "value") {
		i += len("value")
		for i < len(text) && (isQuote(text[i]) || text[i] == '\\') {
			i++
		}
		i = skipBlanks(text, i)
		if i < len(text) && (text[i] == ':' || text[i] == '=') {
			a.operator, a.after = ':', skipBlanks(text, i+1)
			return a.after < len(text)
		}
		return false
	}
	// The second argument of a function that sets something.
	open := a.from - 2
	if start < len(text) && isQuote(text[start]) && open > 0 && text[open] == '(' {
		callee := bytes.ToLower(text[max(0, open-16):open])
		for _, sets := range list("callees") {
			if bytes.HasSuffix(callee, []byte(sets)) {
				a.operator, a.after = ':', start
				return true
			}
		}
	}
	if start < len(text) && isQuote(text[start]) && a.kind >= weak && digitsIn(text[start:min(len(text), start+24)]) > 2 { // a default, if it looks random
		a.kind, a.operator, a.after = keyLike, ':', start
		return true
	}
	return false
}

// digitsIn returns the number of digits in a text.
func digitsIn(text []byte) (n int) {
	for _, c := range text {
		if is(c, digit) {
			n++
		}
	}
	return n
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func skipBlanks(text []byte, i int) int {
	for end := min(len(text), i+maxGap); i < end; {
		switch text[i] {
		case ' ', '\t':
			i++
		case 0x1b:
			next := skipEscapes(text, i)
			if next == i {
				return i
			}
			i = next
		default:
			return i
		}
	}
	return i
}

// skipEscapes skips the escape sequences of colours.
func skipEscapes(text []byte, i int) int {
	for i+2 < len(text) && text[i] == 0x1b && text[i+1] == '[' {
		j := i + 2
		for j < len(text) && j-i < 24 && (is(text[j], digit) || text[j] == ';' || text[j] == ':') {
			j++
		}
		if j >= len(text) || !is(text[j], alnum) {
			return i
		}
		i = j + 1
	}
	return i
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}
