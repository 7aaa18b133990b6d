package call

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ctxfs/fs/form"
)

// plain returns a text of a server as one line without control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// heading describes a field in one line, "Name (required): Your full name", and its choices,
// numbered, in one each.
func heading(f form.Field) string {
	var out strings.Builder
	out.WriteString(cmp.Or(f.Title, plain(f.Name)))
	switch {
	case f.Format != "" && f.Required:
		out.WriteString(" (" + f.Format + ", required)")
	case f.Required:
		out.WriteString(" (required)")
	case f.Format != "":
		out.WriteString(" (" + f.Format + ")")
	}
	if f.Description != "" {
		out.WriteString(": " + f.Description)
	}
	width := len(strconv.Itoa(len(f.Choices)))
	for i, c := range f.Choices {
		shown := plain(c.Value)
		if c.Title != "" && c.Title != c.Value {
			shown = c.Title + " (" + shown + ")"
		}
		fmt.Fprintf(&out, "\n  %*d  %s", width, i+1, shown)
	}
	return out.String()
}

// prompt returns what stands before the cursor. Standing is the value that the field
// keeps if the user types none, or nil.
func prompt(f form.Field, standing json.RawMessage) string {
	how := map[string]string{"boolean": ", y or n", "integer": ", a whole number", "number": ", a number", "": ", JSON"}[f.Type]
	switch {
	case len(f.Choices) > 0 && f.Several:
		how = ", numbers separated by commas"
	case len(f.Choices) > 0:
		how = fmt.Sprintf(", 1 to %d", len(f.Choices))
	case f.Several:
		how = ", separated by commas"
	}
	if f.Secret {
		how += ", not shown"
	}
	switch {
	case standing == nil:
	case f.Secret && !bytes.Equal(standing, f.Default):
		how += " [as before]"
	default:
		how += " [" + plain(f.Typed(standing)) + "]"
	}
	return plain(f.Name) + how + ": "
}
