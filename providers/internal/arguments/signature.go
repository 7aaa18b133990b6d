package arguments

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// Signature says in short what arguments a tool takes. Both texts are clean and of
// one line.
type Signature struct {
	// Parameters lists them, required ones first, each group in the order of the
	// schema: "owner, state=open|closed, page?:number, labels?[], filter?{since,
	// author?}". A name without a mark is text; "?" marks what may be left out, "[]"
	// a list, "{}" an object with its members, if they are few. A long list ends
	// with "…".
	Parameters string
	// Flags are the required ones as a shell is given them: "--owner … --page N". In
	// place of "…" goes a text, of N a number; '{…}' and '[{…}]' are JSON. Where a
	// flag cannot be written so, it is "'{…}'": one JSON object.
	Flags string
}

// The most that a Signature says.
const (
	maxParameters  = 12
	maxMembers     = 8  // of an object
	maxNested      = 90 // bytes, of an object's members
	maxChoices     = 44 // bytes, of an enumeration
	maxNameInShort = 48 // bytes
)

// SignatureOf returns the signature of a tool's input schema. Of one that cannot be
// read, or says nothing, it is "…".
func SignatureOf(raw json.RawMessage) Signature {
	s, ok := outline(raw)
	if !ok || len(s.fields.list) == 0 && !s.Empty() {
		return Signature{Parameters: "…"}
	}
	all := inOrder(s.fields.list)
	var shown []string
	for i := range all {
		if i == maxParameters {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, s.short(&all[i], true))
	}
	return Signature{Parameters: strings.Join(shown, ", "), Flags: s.requiredFlags(all)}
}

// inOrder returns fields with the required ones first.
func inOrder(list []field) []field {
	required := slices.DeleteFunc(slices.Clone(list), func(f field) bool { return !f.required })
	optional := slices.DeleteFunc(slices.Clone(list), func(f field) bool { return f.required })
	return append(required, optional...)
}

// short returns a field as it is in [Signature.Parameters]; if deep is set, with the
// members of objects.
func (s *Schema) short(f *field, deep bool) string {
	name := shortName(f.name)
	if !f.required {
		name += "?"
	}
	of := f.shape
	list := of.kinds.only(array | null)
	if list {
		name += "[]"
		of = s.shapeOf(of.items)
	}
	switch {
	case of.kinds.only(object|null) || of.kinds == 0 && len(of.objects) > 0:
		inner := "{}"
		if deep {
			inner = s.membersInShort(of)
		}
		return name + inner
	case list && of.kinds.has(array):
		return name + "[]"
	}
	if choices := choicesInShort(of.enum); choices != "" {
		return name + "=" + choices
	}
	switch {
	case of.kinds.only(number | integer | null):
		return name + ":number"
	case of.kinds.only(boolean | null):
		return name + ":bool"
	}
	return name
}

// membersInShort returns the members of an object in braces, if they are few.
func (s *Schema) membersInShort(of shape) string {
	inner := inOrder(s.fieldsOf(of).list)
	if len(inner) > maxMembers {
		return "{}"
	}
	var names []string
	for i := range inner {
		names = append(names, s.short(&inner[i], false))
	}
	text := "{" + strings.Join(names, ", ") + "}"
	if len(text) > maxNested {
		return "{}"
	}
	return text
}

// choicesInShort returns the values of an enumeration, or "" if they are long or odd.
func choicesInShort(enum []any) string {
	var words []string
	for _, v := range enum {
		switch word := bare(v); {
		case v == nil:
		case len(word) > maxChoices:
			return ""
		default:
			words = append(words, shortName(word))
		}
	}
	text := strings.Join(words, "|")
	if len(text) > maxChoices {
		return ""
	}
	return text
}

// shortName returns a foreign name or value as one word. What looks like a part of
// the notation is in quotes.
func shortName(name string) string {
	is := clean.Cut(clean.Line(name), maxNameInShort)
	if is == "" || strings.ContainsFunc(is, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,=?|(){}[]"'`, r) }) {
		return strconv.Quote(is)
	}
	return is
}

// requiredFlags returns [Signature.Flags].
func (s *Schema) requiredFlags(all []field) string {
	const object1 = `'{…}'`
	var flags []string
	for i := range all {
		f := &all[i]
		if !f.required {
			break
		}
		if i == maxParameters || f.name == "" || len(f.name) > maxNameInShort || clean.Line(f.name) != f.name {
			return object1
		}
		flags = append(flags, s.flagInShort(f))
	}
	return strings.Join(flags, " ")
}

func (s *Schema) flagInShort(f *field) string {
	flag := wording.ShellWord("--" + f.name)
	of := f.shape
	if of.kinds.only(array|null) && of.kinds.has(array) {
		switch items := s.shapeOf(of.items); {
		case items.kinds.only(object|null) || items.kinds == 0 && len(items.objects) > 0:
			return flag + ` '[{…}]'`
		case items.kinds.has(array):
			return flag + ` '[[…]]'`
		case items.kinds.only(number | integer | null):
			return flag + " N"
		}
		return flag + " …"
	}
	switch {
	case of.kinds.only(object|null) || of.kinds == 0 && len(of.objects) > 0:
		return flag + ` '{…}'`
	case of.kinds.only(boolean | null):
		return flag + " true"
	case of.kinds.only(number|integer|null) && of.enum == nil:
		return flag + " N"
	}
	return flag + " …"
}
