package rules

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/rules/read"
)

// card returns the text of a rule's file: the front matter that all rules have, and what
// the rule says.
func (r *rule) card() []byte {
	var b strings.Builder
	c, first := r.condition(), r.first()
	field := func(name string, value any) {
		fmt.Fprintf(&b, "%s: %s\n", name, encoded(value))
	}
	b.WriteString("---\n")
	field("agent", r.agents())
	b.WriteString("scope: " + r.sources[0].places[0].Level.String() + "\n")
	b.WriteString("applies: " + string(c.Applies) + "\n")
	field("globs", c.Globs)
	var paths []string
	for _, s := range r.sources {
		paths = append(paths, clean.Line(s.file.Path))
	}
	field("source", paths)
	if c.When != "" {
		field("when", c.When)
	}
	if also := r.also(); len(also) > 0 {
		field("also", also)
	}
	if about, _ := first.Matter["description"].(string); strings.TrimSpace(about) != "" {
		field("description", first.About())
	}
	if !r.trusted {
		b.WriteString("trusted: no\n")
	}
	if problem := problem(first); problem != "" {
		field("problem", problem)
	}
	b.WriteString("---\n\n")
	b.WriteString(body(first))
	return []byte(b.String())
}

// body returns the text of a rule, which ends with a line end.
func body(f *read.File) string {
	text := strings.TrimLeft(f.Text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if f.Cut {
		text += "\n[cut here: the whole is in " + clean.Line(f.Path) + "]\n"
	}
	return text
}

// encoded returns a value as YAML that is JSON, too.
func encoded(value any) string {
	if list, ok := value.([]string); ok {
		parts := make([]string, len(list))
		for i, s := range list {
			parts[i] = encoded(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if s, ok := value.(string); ok {
		value = clean.Line(s)
	}
	line, err := jsonscan.Line(value)
	if err != nil {
		return `""`
	}
	return strings.TrimSpace(string(line))
}

// problem returns what is wrong with a file, as one sentence; "" if nothing is.
func problem(f *read.File) string {
	switch {
	case errors.Is(f.Err, iofs.ErrPermission):
		return "it cannot be read: permission denied; fix: chmod u+r " + wording.ShellWord(clean.Line(f.Path))
	case f.IsMissing():
		return "it is a link to nothing, or into a mount of ctxfs"
	case f.Err != nil:
		return "it is not read: it " + strings.TrimPrefix(clean.Cut(clean.Line(wording.Cause(f.Err).Error()), 200), "it ")
	case f.MatterErr != nil:
		return clean.Cut(clean.Line(f.MatterErr.Error()), 200)
	case f.Cut:
		return "it is longer than " + wording.Size(read.MaxBytes) + ", and cut here"
	}
	for _, i := range f.Imports {
		if i.Err != nil {
			return clean.Cut(clean.Line(fmt.Sprintf("line %d: the import %s %v", i.Line, i.Name, importFault(i.Err))), 300)
		}
	}
	if len(f.Warnings) > 0 && filepath.Ext(f.Path) != ".mdc" { // Cursor itself writes globs without quotes
		return clean.Cut(clean.Line(f.Warnings[0]), 200)
	}
	return ""
}

// importFault returns why an import failed, as a clause that follows its name.
func importFault(err error) string {
	if errors.Is(err, iofs.ErrNotExist) {
		return "is not there"
	}
	if errors.Is(err, iofs.ErrPermission) {
		return "cannot be read: permission denied"
	}
	return clean.Line(wording.Cause(err).Error())
}
