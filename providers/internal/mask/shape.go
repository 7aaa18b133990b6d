package mask

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// derived is the table of gitleaks' shapes; its head names source, version and
// licence.
//
//go:embed shapes.tsv
var derived string

// own is a table of that form for shapes whose secrets end with the match, or have letters
// and digits that no expression asks for.
//
//go:embed own.tsv
var own string

// The most bytes from a literal that an expression may reach.
const (
	shapeBefore = 256
	shapeAfter  = 2 << 10
)

// shape is a line of the table.
type shape struct {
	id      string
	entropy float64
	bounded bool // a word begins with the secret
	exact   bool // what follows it does not belong to it
	needs   []class
	name    func() *regexp.Regexp
	secret  func() *regexp.Regexp
}

// needed are the classes that a secret may have to have one of, by the letters of the table.
func needed(letter rune) class {
	return map[rune]class{'9': digit, 'a': lower, 'A': upper, 'X': upper | digit}[letter]
}

// tableRules returns the rules of a table, one for each literal.
func tableRules(table string) (all []rule) {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		literals, name, secret := c[3], c[4], c[5]
		s := &shape{id: c[0], bounded: strings.HasPrefix(strings.TrimPrefix(secret, "(?i)"), `\b`)}
		form, needs, _ := strings.Cut(c[1], ":")
		s.exact = form == "exact"
		for _, letter := range needs {
			s.needs = append(s.needs, needed(letter))
		}
		s.entropy, _ = strconv.ParseFloat(c[2], 64)
		anchor := `^(?:`
		if form == "line" {
			anchor = `(?:`
		}
		s.secret = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(anchor + secret + `)`) })
		s.name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + name) })
		for literal := range strings.SplitSeq(literals, ",") {
			r := rule{name: s.id, literal: literal, fold: true}
			switch form {
			case "named":
				r.value = s.named
			case "line":
				r.act = s.line
			default:
				r.value = s.prefix
			}
			all = append(all, r)
		}
	}
	return all
}

// prefix finds a secret that begins with the literal.
func (s *shape) prefix(text []byte, at int) (from, to int) {
	if s.bounded && !begins(text, at) {
		return 0, 0
	}
	from, to = s.match(text[at:min(len(text), at+shapeAfter)])
	if to == 0 {
		return 0, 0
	}
	if to += at; !s.exact {
		to, _ = run(text, to, word|dash)
	}
	return at + from, to
}

// match returns the secret at the beginning of a text.
func (s *shape) match(text []byte) (from, to int) {
	m := s.secret().FindSubmatchIndex(text)
	if m == nil {
		return 0, 0
	}
	from, to = group(m)
	has := classesOf(text[from:to])
	if entropy(text[from:to]) < s.entropy || slices.ContainsFunc(s.needs, func(c class) bool { return has&c == 0 }) {
		return 0, 0
	}
	return from, to
}

// group returns the largest group of a match, or the whole if no group has half
// of it.
func group(m []int) (from, to int) {
	from, to = m[0], m[1]
	most := (to - from) / 2
	for i := 2; i+1 < len(m); i += 2 {
		if n := m[i+1] - m[i]; n > most {
			from, to, most = m[i], m[i+1], n
		}
	}
	return from, to
}

// named finds the secret of a name that contains the literal: the shape alone
// would be any number.
func (s *shape) named(text []byte, at int) (from, to int) {
	const reach = 64
	near := text[at:min(len(text), at+reach)]
	i := 0
	for i < len(near) && (is(near[i], nameBytes) || near[i] <= ' ' || isQuote(near[i])) {
		i++
	}
	if i == len(near) || bytes.IndexByte([]byte("=>:|?,"), near[i]) < 0 {
		return 0, 0
	}
	m := s.name().FindIndex(near)
	if m == nil || m[1] > i || i-m[1] > 24 {
		return 0, 0
	}
	switch at += i; {
	case bytes.HasPrefix(text[at:], []byte("=>")), bytes.HasPrefix(text[at:], []byte("||")), bytes.HasPrefix(text[at:], []byte("?=")):
		at += 2
	case text[at] == ':':
		for n := 0; n < 3 && at < len(text) && text[at] == ':'; n++ {
			at++
		}
		if at < len(text) && text[at] == '=' {
			at++
		}
	case text[at] != '|' && text[at] != '?':
		at++
	}
	last := at
	for last-at < 5 && last < len(text) && (text[last] == '=' || text[last] <= ' ' || isQuote(text[last])) {
		last++
	}
	for v := last; v >= at && (v == last || text[v] == '='); v-- { // an equals sign may belong to the secret
		if from, to = s.match(text[v:min(len(text), v+shapeAfter)]); to == 0 || v+to < len(text) && is(text[v+to], word|dash) {
			continue
		}
		if secret := text[v+from : v+to]; classesOf(secret)&digit != 0 && !placeholder(secret) {
			return v + from, v + to
		}
	}
	return 0, 0
}

// line finds the secrets of a line with the literal.
func (s *shape) line(f *finder, at int) {
	if done := f.lines[s]; at < done-shapeBefore {
		return
	}
	start := max(lineStart(f.text, at), at-shapeBefore)
	end := min(lineEnd(f.text, at), at+shapeAfter)
	if f.lines == nil {
		f.lines = make(map[*shape]int)
	}
	f.lines[s] = end
	for _, m := range s.secret().FindAllSubmatchIndex(f.text[start:end], -1) {
		from, to := group(m)
		if entropy(f.text[start+from:start+to]) >= s.entropy {
			f.add(span{start + from, start + to, s.id})
		}
	}
}
