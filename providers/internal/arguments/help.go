package arguments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
)

// Flag describes a property of a tool's arguments as a flag. All texts are clean
// and of one line.
type Flag struct {
	Name        string // without the dashes, as the schema has it
	Type        string // string, number, integer, boolean, object, array or value (unknown); "string|number"; of a list, its items' type
	Enum        []string
	Titles      []string // of Enum's values, "" for those without; nil if no value has a title
	Bounds      []string // "format: email", "18 to 120", "at most 3 items"
	Members     []string // of an object, or of the objects in a list: --name.member
	Default     string   // as it would be written, or ""
	Required    bool
	Repeatable  bool // a list: the flag may be given several times
	Description string
}

// Flags returns the properties that the schema lists, required ones first, each
// group in the order of the schema. It reads the schema once for each.
func (s *Schema) Flags() []Flag {
	var flags []Flag
	for _, f := range inOrder(s.fields.list) {
		flags = append(flags, s.flag(&f))
	}
	return flags
}

func (s *Schema) flag(f *field) Flag {
	const longest = 200 // bytes of a description
	of := f.shape
	out := Flag{Name: clean.Line(f.name), Required: f.required}
	if of.kinds.has(array) {
		items := s.shapeOf(of.items)
		out.Repeatable = true
		if of.kinds.only(array | null) {
			of.kinds, of.enum = items.kinds, items.enum
		}
	}
	for _, v := range of.enum {
		out.Enum = append(out.Enum, bare(v))
	}
	out.Titles, out.Bounds = s.titles(f, of.enum), s.bounds(f)
	out.Type = strings.Join(slices.DeleteFunc(of.kinds.names(), func(s string) bool { return s == "null" && of.kinds != null }), "|")
	out.Type = cmp.Or(out.Type, "value")
	for _, p := range f.places {
		if v, ok := p.child("default"); ok && v.node != nil && out.Default == "" {
			out.Default = bare(v.node)
		}
	}
	for _, name := range s.members(f) {
		out.Members = append(out.Members, clean.Line(name))
	}
	text := s.annotation(f, "description")
	if title := s.annotation(f, "title"); text == "" && plainName(title) != plainName(f.name) { // pydantic's titles are the names
		text = title
	}
	out.Description = clean.Sentence(text, longest)
	return out
}

// members returns the names of the members of a field's objects.
func (s *Schema) members(f *field) []string {
	of := f.shape
	if of.kinds.has(array) {
		of = s.shapeOf(of.items)
	}
	inner := s.fieldsOf(of)
	return inner.names()
}

// Help returns the flags for a tool's --help: one or more lines for each, required
// ones first, at most 80 columns wide. It ends with a newline, or is "" if there are
// no flags.
func (s *Schema) Help() string {
	const (
		width  = 80
		column = 30 // the widest flag with its text on the same line
	)
	flags := s.Flags()
	heads := make([]string, len(flags))
	indent := 0
	for i, f := range flags {
		heads[i] = "  " + f.head()
		if n := utf8.RuneCountInString(heads[i]) + 2; n <= column {
			indent = max(indent, n)
		}
	}
	indent = cmp.Or(indent, column)
	var out strings.Builder
	for i, f := range flags {
		if i == 0 && f.Required {
			out.WriteString("Required:\n")
		} else if !f.Required && (i == 0 || flags[i-1].Required) {
			if i > 0 {
				out.WriteString("\n")
			}
			out.WriteString("Optional:\n")
		}
		lines := wrap(f.text(), width-indent)
		head := heads[i]
		if utf8.RuneCountInString(head)+2 > indent && len(lines) > 0 {
			out.WriteString(head + "\n")
			head = ""
		}
		if len(lines) == 0 {
			lines = []string{""}
		}
		for _, line := range lines {
			pad := strings.Repeat(" ", max(0, indent-utf8.RuneCountInString(head)))
			out.WriteString(strings.TrimRight(head+pad+line, " ") + "\n")
			head = ""
		}
	}
	return out.String()
}

// head returns the flag as it is written.
func (f Flag) head() string {
	if f.Type == "boolean" && !f.Repeatable {
		return "--" + f.Name
	}
	if f.Repeatable {
		return "--" + f.Name + " " + f.Type + "..."
	}
	return "--" + f.Name + " " + f.Type
}

// text returns the description of the flag.
func (f Flag) text() string {
	var parts []string
	if f.Description != "" {
		parts = append(parts, f.Description)
		if last := f.Description[len(f.Description)-1]; (len(f.Enum) > 0 || len(f.Members) > 0) && last != '.' && last != '!' && last != '?' {
			parts[0] += "."
		}
	}
	if len(f.Members) > 0 {
		parts = append(parts, "Members: "+listed(f.Members, func(s string) string { return s })+".")
	}
	if len(f.Enum) > 0 {
		parts = append(parts, "One of: "+listed(f.choices(), func(s string) string { return s })+".")
	}
	for _, bound := range f.Bounds {
		parts = append(parts, "["+bound+"]")
	}
	if f.Default != "" {
		parts = append(parts, fmt.Sprintf("[default: %s]", f.Default))
	}
	return strings.Join(parts, " ")
}

// choices returns the values of the enumeration with their titles.
func (f Flag) choices() []string {
	all := slices.Clone(f.Enum)
	for i, title := range f.Titles {
		if title != "" {
			all[i] += " (" + title + ")"
		}
	}
	return all
}

// wrap breaks a text into lines at spaces. Words are never broken.
func wrap(text string, width int) []string {
	var lines []string
	line, n := "", 0
	for _, word := range strings.Fields(text) {
		w := utf8.RuneCountInString(word)
		if n > 0 && n+1+w > width {
			lines = append(lines, line)
			line, n = "", 0
		}
		if n > 0 {
			line, n = line+" ", n+1
		}
		line, n = line+word, n+w
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}

// example returns a placeholder for a value.
func (s *shape) example() string {
	if names := s.kinds.names(); len(names) > 0 {
		return "<" + names[len(names)-1] + ">"
	}
	return "<value>"
}

// Has reports whether the schema lists a property that a flag with that name means.
func (s *Schema) Has(flag string) bool { return len(s.fields.find(flag)) > 0 }
