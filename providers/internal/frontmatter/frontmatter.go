// Package frontmatter reads the YAML at the beginning of Markdown files of
// agents: skills, rules, memories.
//
// Those files are written by hand and by models, and every agent reads them with
// another parser, so everything that can be understood is accepted, with a warning
// for what is wrong (agentskills/agentskills, "lenient loading").
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"ctxfs/providers/internal/syntax"
)

// MaxBytes is the length of the longest front matter that is read, fences
// included.
const MaxBytes = 64 << 10

// The errors of a file's front matter.
var (
	// ErrNone reports that the file does not begin with a line "---".
	ErrNone = errors.New("no front matter: the file does not begin with a line ---")
	// ErrOpen reports that no second line "---" ends the front matter.
	ErrOpen = errors.New("the front matter is not closed by a line ---")
	// ErrTooLarge reports that the front matter is longer than MaxBytes.
	ErrTooLarge = fmt.Errorf("the front matter is longer than %d KiB", MaxBytes>>10)
	// ErrSyntax reports that the front matter is not a YAML mapping.
	ErrSyntax = errors.New("the front matter cannot be read as YAML")
)

// Matter is the front matter of one file.
type Matter struct {
	// Fields are the values by key: a string, []any or map[string]any of the
	// same. Scalars are strings as they are written: what YAML would guess of
	// them (a version 1.10 that becomes 1.1) is wrong here. They are foreign
	// text, not cleaned.
	Fields map[string]any
	// Body is the offset of what follows the front matter.
	Body int
	// Warnings are sentences about faults that did not prevent reading.
	Warnings []string
}

// String returns the field's text, trimmed; "" if it is missing or not a
// scalar.
func (m Matter) String(key string) string {
	s, _ := m.Fields[key].(string)
	return strings.TrimSpace(s)
}

// Parse parses the front matter at the beginning of a file; the first MaxBytes
// suffice. It accepts a byte order mark and Windows line ends; a fence is a line
// that is exactly "---". If the YAML is invalid, Parse tries again with quotes
// around plain values that YAML takes for something else, such as a description
// with ": " in it.
//
// The error is ErrNone, ErrOpen, ErrTooLarge or wraps ErrSyntax; Body is valid with
// ErrNone and ErrSyntax too.
func Parse(file []byte) (Matter, error) {
	yaml, body, err := split(file)
	m := Matter{Body: body}
	if err != nil {
		return m, err
	}
	text := strings.ToValidUTF8(string(yaml), "\ufffd")
	if len(text) != len(yaml) || !bytes.Equal([]byte(text), yaml) {
		m.Warnings = append(m.Warnings, "the front matter is not valid UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")

	fields, warnings, err := decode(text)
	if err != nil {
		quoted := quoteValues(text)
		if quoted == text {
			return m, err
		}
		var again error
		if fields, warnings, again = decode(quoted); again != nil {
			return m, err
		}
		m.Warnings = append(m.Warnings, "a value in the front matter must be quoted to be YAML")
	}
	m.Fields = fields
	m.Warnings = append(m.Warnings, warnings...)
	return m, nil
}

// split returns the YAML between the fences and the offset of the body.
func split(file []byte) (yaml []byte, body int, err error) {
	start := 0
	if bytes.HasPrefix(file, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	line, next := lineAt(file, start)
	if !isFence(line) {
		return nil, 0, ErrNone
	}
	begin := next
	for at := begin; at < len(file) && at < MaxBytes; at = next {
		line, next = lineAt(file, at)
		if isFence(line) && next <= MaxBytes {
			return file[begin:at], next, nil
		}
	}
	if len(file) >= MaxBytes {
		return nil, 0, ErrTooLarge
	}
	return nil, 0, ErrOpen
}

// lineAt returns the line at an offset, without its end, and the offset of the
// next.
func lineAt(file []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(file[at:], '\n'); i >= 0 {
		return bytes.TrimSuffix(file[at:at+i], []byte("\r")), at + i + 1
	}
	return file[at:], len(file)
}

func isFence(line []byte) bool { return string(line) == "---" }

// decode decodes a YAML mapping. Errors wrap ErrSyntax.
func decode(text string) (fields map[string]any, warnings []string, err error) {
	doc, warnings, err := YAML(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w%s", ErrSyntax, strings.TrimPrefix(err.Error(), ErrYAML.Error()))
	}
	return goValue(doc).(map[string]any), warnings, nil
}

// goValue returns a value in the types of Fields: a string, []any or
// map[string]any.
func goValue(v syntax.Value) any {
	switch v.Kind {
	case syntax.Object:
		fields := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			fields[m.Name] = goValue(m.Value)
		}
		return fields
	case syntax.Array:
		list := make([]any, 0, len(v.Items))
		for _, item := range v.Items {
			list = append(list, goValue(item))
		}
		return list
	case syntax.Null:
		return ""
	}
	return v.Text
}
