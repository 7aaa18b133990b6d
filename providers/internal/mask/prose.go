package mask

import "bytes"

// unassigned finds the secret after a name without an operator: that of a flag,
// of "set NAME VALUE", of SQL, of netrc, or of a sentence.
func (f *finder) unassigned(a assignment) {
	text := f.text
	if a.to >= len(text) || text[a.to] != ' ' && text[a.to] != '\t' {
		return
	}
	start := lineStart(text, a.from)
	before := text[start:a.from]
	if a.isFlag() {
		f.flag(a.from)
		return
	}
	word := bytes.LastIndexAny(before, " \t") + 1
	previous := bytes.TrimRight(before[:word], " \t")
	previous = previous[bytes.LastIndexAny(previous, " \t")+1:]
	if isSetCommand(previous) {
		f.flag(a.from)
		return
	}
	if a.kind == password {
		v := skipBlanks(text, a.to)
		if v < len(text) && isQuote(text[v]) && (containsFold(before, "user") || containsFold(before, "role") || containsFold(before, "with")) {
			if end := quoteEnd(text, v); end > v && !placeholder(text[v+1:end]) {
				f.add(span{v + 1, end, "password"})
			}
			return
		}
		if bytes.Contains(before, []byte("login ")) || bytes.Contains(before, []byte("machine ")) { // netrc
			if end := unquotedEnd(text, v); endsToken(text, end) && end > v && bytes.Contains(before, []byte("machine ")) && !placeholder(text[v:end]) {
				f.add(span{v, end, "password"})
			}
			return
		}
	}
	f.sentence(a)
}

// sentence finds the secret of "the initial password for admin is: X", alone at
// the end of its line.
func (f *finder) sentence(a assignment) {
	const reach = 64
	text := f.text
	if a.kind < weak {
		return
	}
	end := min(len(text), a.to+reach)
	i := a.to
	for i < end && (is(text[i], nameBytes) || text[i] == ' ' || text[i] == '@' || text[i] == '\'') {
		i++
	}
	said := bytes.ToLower(text[a.to:i])
	v := i + 1
	switch {
	case i < end && text[i] == ':':
	case bytes.HasPrefix(said, []byte(" is ")):
		v = a.to + len(" is ")
	default:
		return
	}
	for _, w := range list("happened") {
		if v == i+1 && bytes.Contains(said, []byte(w)) {
			return
		}
	}
	v = skipBlanks(text, v)
	to := v
	for to < len(text) && to-v < maxLead && text[to] > ' ' {
		to++
	}
	for to > v && (isQuote(text[to-1]) || text[to-1] == '.') {
		to--
	}
	if v < to && isQuote(text[v]) {
		v++
	}
	value := text[v:to]
	has := classesOf(value)
	if !endsLine(text, skipQuote(text, to)) || len(value) < 6 || has&digit == 0 || has&(upper|lower) == 0 || placeholder(value) || isPath(value) || isURL(value) || isVersion(value) || isCode(value) || bytes.IndexByte(value, '@') > 0 && bytes.IndexByte(value, '.') > 0 {
		return
	}
	f.add(span{v, to, a.kind.rule()})
}

func skipQuote(text []byte, i int) int {
	for i < len(text) && (isQuote(text[i]) || text[i] == '.') {
		i++
	}
	return i
}

func containsFold(text []byte, small string) bool {
	return bytes.Contains(bytes.ToLower(text), []byte(small))
}

// flag finds the word after the flag or the variable at an offset.
func (f *finder) flag(at int) {
	w, from := split(f.text[at:min(len(f.text), at+maxValue)], 2)
	for _, p := range ofFlag(w, 0, nil) {
		f.add(span{at + from[p.word] + p.from, at + from[p.word] + p.to, p.rule})
	}
}

// command finds the pieces of a command line, whose words may contain further
// programs. It is searched once, however many programs it names.
func (f *finder) command(at int) {
	const reach = 2 << 10
	w, from := split(f.text[at:min(len(f.text), at+reach)], maxWords)
	if len(w) == 0 {
		return
	}
	f.commands = at + from[len(w)-1] + len(w[len(w)-1])
	const most = 8 // programs with passwords in a line
	var found []piece
	for i, n := 0, 0; i < len(w) && n < most; i++ {
		before := len(found)
		found = shifted(ofCommand(w[i:], shifted(found, -i)), i)
		if len(found) > before {
			n++
		}
	}
	for _, p := range found {
		f.add(span{at + from[p.word] + p.from, at + from[p.word] + p.to, p.rule})
	}
}

// program finds the secrets in the arguments of a program whose name begins at
// an offset.
func (f *finder) program(at int) {
	text := f.text
	if at < f.commands && !isQuote(text[at-1]) {
		return
	}
	if at > 0 && (is(text[at-1], word|dash|dot) || text[at-1] == '=' || text[at-1] == '@') && !begins(text, at) {
		return
	}
	end, _ := run(text, at, word|dash|dot)
	if end >= len(text) || text[end] != ' ' && text[end] != '\t' {
		return
	}
	f.command(at)
}

// piped finds what is written into a program that reads a password: the last
// argument of the echo before it.
func (f *finder) piped(at int) {
	text := f.text
	start := lineStart(text, at)
	before := text[start:at]
	pipe := bytes.LastIndexByte(before, '|')
	if pipe < 0 {
		return
	}
	at = max(bytes.LastIndex(before[:pipe], []byte("echo ")), bytes.LastIndex(before[:pipe], []byte("printf ")))
	if at < 0 {
		return
	}
	w, from := split(before[at:pipe], maxWords)
	last := len(w) - 1
	if last < 1 {
		return
	}
	p0, p1 := bare(w[last], 0)
	v := w[last][p0:p1]
	if colon := bytes.IndexByte(v, ':'); colon > 0 && containsFold(text[start+pipe:], "chpasswd") {
		p0, v = p0+colon+1, v[colon+1:]
	}
	v = bytes.TrimSuffix(v, []byte(`\n`))
	if !placeholder(v) && v[0] != '-' {
		f.add(span{start + at + from[last] + p0, start + at + from[last] + p0 + len(v), "password"})
	}
}

// literals finds the value of kubectl's --from-literal=NAME=VALUE.
func (f *finder) literals(at int) {
	text := f.text
	i := at + len("from-literal")
	if i >= len(text) || text[i] != '=' && text[i] != ' ' {
		return
	}
	i++
	if i < len(text) && isQuote(text[i]) {
		i++
	}
	to, _ := run(text, i, nameBytes)
	if to == i || to >= len(text) || text[to] != '=' {
		return
	}
	v0 := to + 1
	v1 := wordEnd(text, v0)
	if v0 < len(text) && isQuote(text[v0]) {
		if end := quoteEnd(text, v0); end > 0 {
			v0, v1 = v0+1, end
		}
	}
	for v1 > v0 && isQuote(text[v1-1]) {
		v1--
	}
	if v1 > v0 && !placeholder(text[v0:v1]) && !isPath(text[v0:v1]) {
		f.add(span{v0, v1, "secret"})
	}
}

// login finds what is typed after the login of a program that is named before it.
func (f *finder) login(at int) {
	if at >= f.commands {
		f.command(max(lineStart(f.text, at), f.commands))
	}
}

// identified finds the password of SQL's IDENTIFIED BY 'X'.
func identified(text []byte, at int) (from, to int) {
	from = skipBlanks(text, at+len("identified by"))
	if hasPrefixFold(text[from:], "password ") {
		from = skipBlanks(text, from+len("password"))
	}
	if from >= len(text) || !isQuote(text[from]) {
		return 0, 0
	}
	if to = quoteEnd(text, from); to < 0 || placeholder(text[from+1:to]) {
		return 0, 0
	}
	return from + 1, to
}

// pgpass finds the last field of a line of .pgpass: host:port:database:user:X.
func pgpass(text []byte, at int) (from, to int) {
	start, end := lineStart(text, at), lineEnd(text, at)
	line := bytes.TrimRight(text[start:end], "\r")
	fields := bytes.SplitN(line, []byte(":"), 5)
	if len(fields) < 5 || bytes.ContainsAny(line, " \t\"'/") || len(fields[0]) == 0 || placeholder(fields[4]) {
		return 0, 0
	}
	return start + len(line) - len(fields[4]), start + len(line)
}
