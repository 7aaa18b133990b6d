package shape

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/regexps"
)

const (
	// maxElements is how many elements of a list are looked at, and maxMembers how many
	// members of an object are told apart.
	maxElements = 200
	maxMembers  = 40
	// maxDepth is how deep values are looked into, maxPaths how many members are listed.
	maxDepth = 5
	maxPaths = 40
	// keyLength and valueLength are how much is shown of a name and of a value, in bytes.
	keyLength   = 60
	valueLength = 60
)

// branch is what is known of the values at one place of a text: those of one member in all
// elements of a list.
type branch struct {
	kinds    map[string]int // how many values there are of each type
	members  map[string]*branch
	order    []string // of members
	more     int      // members that are not told apart
	elements *branch  // of lists, or nil
	length   int      // of all lists together
	only     string   // the value, where it is one number, text or truth value
	seen     int      // values
}

func newBranch() *branch {
	return &branch{kinds: make(map[string]int), members: make(map[string]*branch)}
}

func (b *branch) add(v lazyjson.Value, depth int) {
	b.seen++
	kind := kindOf(v)
	b.kinds[kind]++
	switch kind {
	case "object":
		if depth >= maxDepth {
			return
		}
		for key, value := range lazyjson.All(v) {
			m := b.members[key.Str]
			if m == nil {
				if len(b.order) == maxMembers {
					b.more++
					continue
				}
				m = newBranch()
				b.members[strings.Clone(key.Str)] = m
				b.order = append(b.order, strings.Clone(key.Str))
			}
			m.add(value, depth+1)
		}
	case "list":
		if b.elements == nil {
			b.elements = newBranch()
		}
		n := 0
		for _, value := range lazyjson.All(v) {
			if n++; n <= maxElements && depth < maxDepth {
				b.elements.add(value, depth+1)
			}
		}
		b.length += n
	default:
		if b.only = ""; b.seen == 1 {
			b.only = clean.Cut(clean.Line(v.Raw[:min(len(v.Raw), 4*valueLength)]), valueLength)
		}
	}
}

func kindOf(v lazyjson.Value) string {
	switch v.Type {
	case lazyjson.String:
		return "text"
	case lazyjson.Number:
		return "number"
	case lazyjson.True, lazyjson.False:
		return "bool"
	case lazyjson.JSON:
		if v.IsArray() {
			return "list"
		}
		return "object"
	}
	return "null"
}

// types names the types of the values, the most common first.
func (b *branch) types() string {
	all := slices.SortedFunc(maps.Keys(b.kinds), func(x, y string) int { return cmp.Or(b.kinds[y]-b.kinds[x], strings.Compare(x, y)) })
	return strings.Join(all, " or ")
}

// writer writes members, a line each, as long as there is room.
type writer struct {
	out   strings.Builder
	lines int
	left  int // members that are not listed
}

func (w *writer) text() string {
	if w.left > 0 {
		return w.out.String() + fmt.Sprintf("… and %s\n", wording.Count(w.left, "more members"))
	}
	return w.out.String()
}

// branch lists what is below a place. Path is how jq names it; "" for the whole text. The
// lines of a place stand together, outer places before inner ones.
func (w *writer) branch(path string, b *branch) {
	var deeper []func()
	later := func(path string, b *branch) { deeper = append(deeper, func() { w.branch(path, b) }) }
	if b.elements != nil && len(b.members) == 0 {
		later(path+"[]", b.elements)
	}
	for _, key := range b.order {
		m := b.members[key]
		at := path + member(key)
		if w.lines == maxPaths {
			w.left++
			continue
		}
		w.lines++
		maybe := ""
		if n := b.kinds["object"]; m.seen < n {
			maybe = fmt.Sprintf(" (in %d of %d)", m.seen, n)
		}
		fmt.Fprintf(&w.out, "%s: %s%s\n", at, m.describe(), maybe)
		if m.elements != nil {
			later(at+"[]", m.elements)
		}
		if len(m.members) > 0 {
			later(at, m)
		}
	}
	w.left += b.more
	for _, list := range deeper {
		list()
	}
}

// describe says what a value is.
func (b *branch) describe() string {
	is := b.types()
	switch {
	case b.elements != nil:
		what := b.elements.types()
		if b.length == 0 {
			return strings.Replace(is, "list", "list, empty", 1)
		}
		n := fmt.Sprintf("list of %d", b.length)
		if b.kinds["list"] > 1 {
			n = "list"
		}
		if what != "" {
			n += " (" + what + ")"
		}
		return strings.Replace(is, "list", n, 1)
	case b.only != "":
		return is + " (" + b.only + ")"
	}
	return is
}

var plainKey = regexps.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// member returns how jq names a member.
func member(key string) string {
	if plainKey().MatchString(key) && len(key) <= keyLength {
		return "." + key
	}
	quoted, err := json.Marshal(clean.Cut(clean.Line(key), keyLength))
	if err != nil {
		return "[…]"
	}
	return "[" + string(quoted) + "]"
}

// ofJSON describes one value.
func ofJSON(v lazyjson.Value) Shape {
	b := newBranch()
	b.add(v, 0)
	var w writer
	w.branch("", b)
	s := Shape{Kind: JSON, Filter: "."}
	whole := b.describe() + "\n"
	if b.elements == nil {
		whole = fmt.Sprintf("object of %s\n", wording.Count(len(b.order)+b.more, "members"))
	}
	s.Lines = whole + w.text()
	if path, list := b.longest(""); list != nil {
		s.Filter = path + "[0]"
		if path == "" {
			s.Filter = ".[0]"
		}
		if first := v.Get(dotted(path, "0")); first.Exists() {
			s.Lines += s.Filter + " is " + example(first.Raw[:min(len(first.Raw), 4*exampleLength)]) + "\n"
		}
	} else if len(b.order) > 0 {
		s.Filter = "keys"
	}
	return s
}

// longest returns the list with most elements that names without marks lead to: itself, or
// one in its members.
func (b *branch) longest(path string) (string, *branch) {
	if b.elements != nil && b.length > 0 {
		return path, b
	}
	at, best := "", (*branch)(nil)
	for _, key := range b.order {
		if !plainKey().MatchString(key) {
			continue
		}
		if p, list := b.members[key].longest(path + "." + key); list != nil && (best == nil || list.length > best.length) {
			at, best = p, list
		}
	}
	return at, best
}

// dotted returns a path as lazyjson takes it.
func dotted(path, last string) string { return strings.TrimPrefix(path+"."+last, ".") }
