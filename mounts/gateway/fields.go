package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/fs/form"
)

// maxFields is the most bytes that are said of the fields of a form.
const maxFields = 600

// fieldsText returns the fields of a form in short: `owner: string, labels?: string[]`.
// Those that must be given come first, otherwise they are in the order of the form. A
// default that is short is shown, since it is sent.
func fieldsText(fields []form.Field) string {
	if len(fields) == 0 {
		return "none"
	}
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b form.Field) int { return cmp.Compare(optional(a), optional(b)) })
	const more = ", …"
	var b strings.Builder
	for i, f := range fields {
		text := f.Name + optional(f) + ": " + typeName(f)
		var value bytes.Buffer
		if f.Default != nil && json.Compact(&value, f.Default) == nil && value.Len() <= maxDefault {
			text += " = " + value.String()
		}
		if i > 0 {
			text = ", " + text
		}
		if b.Len()+len(text) > maxFields-len(more) {
			b.WriteString(more)
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

// optional marks a field that need not be given.
func optional(f form.Field) string {
	if f.Required {
		return ""
	}
	return "?"
}

// The lengths in bytes of the longest default and the longest list of choices that are
// shown.
const (
	maxDefault = 40
	maxChoices = 80
)

// typeName returns the type of a field in one word.
func typeName(f form.Field) string {
	name := cmp.Or(f.Type, "any")
	var words []string
	for _, c := range f.Choices {
		word := c.Value
		if f.Type == "string" {
			quoted, _ := json.Marshal(word) // a string always encodes
			word = string(quoted)
		}
		words = append(words, word)
	}
	if all := strings.Join(words, "|"); all != "" && len(all) <= maxChoices {
		name = all
	}
	if f.Several && len(words) > 1 && name != f.Type {
		name = "(" + name + ")"
	}
	if f.Several {
		name += "[]"
	}
	return name
}
