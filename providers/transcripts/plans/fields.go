package plans

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
)

// value is a value of a call's arguments as a transcript shows them: lines of
// "name: value", where a value of several lines stands below its name, indented (package
// render). Text is all of it, without the indentation.
type value struct{ text string }

// member returns a member of an object; ok is false if the object lacks it.
func (v value) member(name string) (value, bool) {
	if j := v.json(); j.IsObject() {
		m := j.Get(name)
		return fromJSON(m), m.Exists()
	}
	found, ok := value{}, false
	v.each(func(key, rest string, below []string) bool {
		if key == name+":" {
			found, ok = valueOf(rest, below), true
		}
		return !ok
	})
	return found, ok
}

// first returns the first member of some names that has a text.
func (v value) first(names ...string) value {
	for _, name := range names {
		if m, ok := v.member(name); ok && strings.TrimSpace(m.text) != "" {
			return m
		}
	}
	return value{}
}

// list returns the entries of a list; ok is false for anything else. A text in which
// every line begins with a dash is a list of texts.
func (v value) list() (entries []value, ok bool) {
	if j := v.json(); j.IsArray() {
		for _, one := range j.Array() {
			entries = append(entries, fromJSON(one))
		}
		return entries, true
	}
	ok = strings.TrimSpace(v.text) != ""
	v.each(func(key, rest string, below []string) bool {
		if ok = key == "-"; ok {
			entries = append(entries, valueOf(rest, below))
		}
		return ok
	})
	return entries, ok
}

// objects is list for entries that have members; ok is false if an entry has no members,
// as in a text that is a list in Markdown.
func (v value) objects(names ...string) (entries []value, ok bool) {
	entries, ok = v.list()
	for _, e := range entries {
		ok = ok && e.first(names...).text != ""
	}
	return entries, ok
}

// json returns the value as JSON, which short lists and objects are written in.
func (v value) json() lazyjson.Value {
	if t := strings.TrimSpace(v.text); t != "" && (t[0] == '{' || t[0] == '[') && lazyjson.Valid([]byte(t)) {
		return lazyjson.ParseString(t)
	}
	return lazyjson.Value{}
}

func fromJSON(j lazyjson.Value) value {
	if j.Type == lazyjson.String {
		return value{j.Str}
	}
	return value{j.Raw}
}

// valueOf returns what stands after a name and in the lines below it.
func valueOf(rest string, below []string) value {
	if rest != "" {
		return value{rest}
	}
	return value{strings.TrimRight(strings.Join(below, "\n"), "\n")}
}

// each calls yield with the members of a value: the name with its colon or the dash, what
// stands beside it, and the lines below it with two columns of indentation less.
func (v value) each(yield func(key, rest string, below []string) bool) {
	key, rest, below, begun := "", "", []string(nil), false
	for line := range strings.Lines(v.text) {
		line = strings.TrimSuffix(line, "\n")
		if in, ok := strings.CutPrefix(line, "  "); ok || line == "" {
			below = append(below, in)
			continue
		}
		if begun && !yield(key, rest, below) {
			return
		}
		key, rest, below, begun = line, "", nil, true
		if after, ok := strings.CutPrefix(line, "-"); ok {
			key, rest = "-", strings.TrimPrefix(after, " ")
		} else if i := strings.IndexByte(line, ':'); i >= 0 {
			key, rest = line[:i+1], strings.TrimPrefix(line[i+1:], " ")
		}
	}
	if begun {
		yield(key, rest, below)
	}
}
