// Package pattern maps paths to commands: "topics/{key}/events.jsonl" stands for a file in
// each folder whose name is a key, and in the words of its command {key} stands for that.
package pattern

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/nearest"
)

// Pattern is a path with placeholders. It is immutable.
type Pattern struct {
	text  string
	parts []part
}

// part is one name on the path.
type part struct {
	text  string         // as it is written
	expr  *regexp.Regexp // nil without placeholders
	names []string       // of the placeholders, each a group of expr
	of    []string       // their regular expressions
	shape string         // expr without these names
}

// Values are the values of placeholders, by their names.
type Values map[string]string

// usual are the regular expressions of placeholders that need not be defined.
func usual() map[string]string {
	return map[string]string{
		"date":   `[0-9]{4}-[0-9]{2}-[0-9]{2}`,
		"hash":   `[0-9a-f]{4,64}`,
		"id":     `[A-Za-z0-9_][A-Za-z0-9_-]{0,127}`,
		"key":    `[A-Za-z0-9_][A-Za-z0-9_.:@+=-]{0,127}`,
		"name":   `[A-Za-z0-9_][A-Za-z0-9_.:@+=-]{0,127}`,
		"number": `[0-9]{1,18}`,
		"uuid":   `[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`,
	}
}

// holder is a placeholder.
var holder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`) })

// Parse reads a pattern: a path with slashes, relative to its folder. Defined are the
// regular expressions of placeholders besides the usual ones, which they replace. The
// empty text stands for the folder itself.
func Parse(text string, defined map[string]string) (*Pattern, error) {
	p := &Pattern{text: text}
	if text == "" {
		return p, nil
	}
	exprs := usual()
	maps.Copy(exprs, defined)
	seen := make(map[string]bool)
	for name := range strings.SplitSeq(text, "/") {
		one, err := parsePart(name, exprs, seen)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, one)
	}
	return p, nil
}

func parsePart(name string, exprs map[string]string, seen map[string]bool) (part, error) {
	one := part{text: name}
	switch {
	case name == "" || name == "." || name == "..":
		return one, fmt.Errorf("the name %q on its path is none of a file", name)
	case strings.HasPrefix(name, "."):
		return one, fmt.Errorf("%q begins with a dot, as names do that programs look for everywhere", name)
	case clearName(name) != nil:
		return one, clearName(name)
	}
	var expr, shape strings.Builder
	end := 0
	for _, at := range holder().FindAllStringSubmatchIndex(name, -1) {
		key := name[at[2]:at[3]]
		between := regexp.QuoteMeta(name[end:at[0]])
		end = at[1]
		body, ok := exprs[key]
		if !ok {
			return one, fmt.Errorf("{%s} has no pattern%s; add one to the folder: placeholders = {%[1]s = \"[a-z0-9]+\"} (these need none: %[3]s)", key, meant(key, slices.Collect(maps.Keys(exprs))), wording.Or(Usual()))
		}
		if seen[key] {
			return one, fmt.Errorf("{%s} occurs twice", key)
		}
		seen[key] = true
		if _, err := regexp.Compile(body); err != nil {
			return one, fmt.Errorf("the pattern of {%s} is wrong: %w", key, err)
		}
		one.names, one.of = append(one.names, key), append(one.of, body)
		fmt.Fprintf(&expr, "%s(?P<%s>%s)", between, key, body)
		fmt.Fprintf(&shape, "%s(%s)", between, body)
	}
	if strings.ContainsAny(holder().ReplaceAllString(name, ""), "{}") {
		return one, fmt.Errorf("%q has a brace that belongs to no placeholder; one is {name}, of small letters, digits and _", name)
	}
	if one.names == nil {
		return one, nil
	}
	rest := regexp.QuoteMeta(name[end:])
	expr.WriteString(rest)
	one.shape = shape.String() + rest
	var err error
	one.expr, err = regexp.Compile(`^(?s:` + expr.String() + `)$`)
	return one, err
}

// meant asks whether another placeholder was meant, or returns "".
func meant(name string, known []string) string {
	slices.Sort(known)
	if near := nearest.Of(name, known); near != "" {
		return fmt.Sprintf(" (did you mean {%s}?)", near)
	}
	return ""
}

// Usual returns the placeholders that need not be defined, sorted.
func Usual() []string { return slices.Sorted(maps.Keys(usual())) }

// clearName reports what keeps a name from being one of a file that people can type.
func clearName(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || len(name) > 255 || !utf8.ValidString(name) || strings.Contains(name, "/"):
		return errors.New("this is no name of a file")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) }):
		return errors.New("it has characters that cannot be seen")
	}
	return nil
}

// String returns the pattern as it is written.
func (p *Pattern) String() string { return p.text }

// Depth is how many names the path has.
func (p *Pattern) Depth() int { return len(p.parts) }

// Placeholders returns the names of all placeholders, in their order.
func (p *Pattern) Placeholders() (all []string) {
	for _, one := range p.parts {
		all = append(all, one.names...)
	}
	return all
}

// Literal returns the name at a place of the path, and reports whether it is one: it has
// no placeholder.
func (p *Pattern) Literal(at int) (name string, ok bool) {
	return p.parts[at].text, p.parts[at].expr == nil
}

// Plain reports whether so many of the first names have no placeholders.
func (p *Pattern) Plain(names int) bool {
	return !slices.ContainsFunc(p.parts[:names], func(one part) bool { return one.expr != nil })
}

func (one *part) match(name string, into Values) bool {
	if one.expr == nil {
		return name == one.text
	}
	if IsProbe(name) || clearName(name) != nil {
		return false
	}
	found := one.expr.FindStringSubmatch(name)
	if found == nil {
		return false
	}
	for i, group := range one.expr.SubexpNames() {
		if !slices.Contains(one.names, group) {
			continue
		}
		if !isValue(found[i]) {
			return false
		}
		into[group] = found[i]
	}
	return true
}

// isValue reports whether a text may be the value of a placeholder, whatever its pattern:
// what begins with "-" would be an option of the command.
func isValue(v string) bool { return v != "" && v[0] != '-' }

// Match matches a whole path.
func (p *Pattern) Match(names []string) (Values, bool) {
	if len(names) != len(p.parts) {
		return nil, false
	}
	return p.MatchPrefix(names)
}

// MatchPrefix matches the beginning of the path: names are those of a folder on it, or of
// all of it.
func (p *Pattern) MatchPrefix(names []string) (Values, bool) {
	if len(names) > len(p.parts) {
		return nil, false
	}
	values := make(Values)
	for i, name := range names {
		if !p.parts[i].match(name, values) {
			return nil, false
		}
	}
	return values, true
}

// Entry returns the name in a folder on the path, that with so many names, which a line of
// its listing stands for: the name itself, or the value of its one placeholder.
func (p *Pattern) Entry(at int, line string) (name string, ok bool) {
	one := &p.parts[at]
	if one.match(line, make(Values)) {
		return line, true
	}
	if len(one.names) != 1 || !isValue(line) {
		return "", false
	}
	name = holder().ReplaceAllLiteralString(one.text, line)
	values := make(Values)
	return name, one.match(name, values) && values[one.names[0]] == line
}

// Fill returns the words of a command with the values in place of their placeholders.
func Fill(words []string, values Values) []string {
	filled := make([]string, len(words))
	for i, word := range words {
		filled[i] = holder().ReplaceAllStringFunc(word, func(h string) string {
			if v, ok := values[h[1:len(h)-1]]; ok {
				return v
			}
			return h
		})
	}
	return filled
}

// Check reports what is wrong with a command for the pattern: a placeholder in it that is
// not one of the path, such as a misspelt one. Braces within braces, as in "{{.Names}}",
// and after @, as in "@{upstream}", are the command's own.
func (p *Pattern) Check(words []string) error {
	if len(words) == 0 || words[0] == "" {
		return errors.New("its command is empty")
	}
	if holder().MatchString(words[0]) {
		return errors.New("its program must not depend on a placeholder")
	}
	known := p.Placeholders()
	for _, word := range words[1:] {
		if strings.ContainsRune(word, 0) {
			return errors.New("its command contains a NUL character")
		}
		for _, at := range holder().FindAllStringSubmatchIndex(word, -1) {
			name := word[at[2]:at[3]]
			own := at[0] > 0 && (word[at[0]-1] == '{' || word[at[0]-1] == '@')
			if !own && !slices.Contains(known, name) {
				return fmt.Errorf("its command has {%s}, but its path does not%s", name, meant(name, known))
			}
		}
	}
	return nil
}

// Explain says of each placeholder what it accepts.
func (p *Pattern) Explain() (all []string) {
	for _, one := range p.parts {
		for i, name := range one.names {
			all = append(all, fmt.Sprintf("{%s} is %s", name, one.of[i]))
		}
	}
	return all
}
