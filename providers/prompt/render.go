package prompt

import (
	"fmt"
	"strings"
)

// render returns the page after n steps.
func (p *plan) render(n int) string {
	for _, s := range p.sections {
		s.shown, s.abouts, s.spelled = 0, 0, false
		for i := range s.items {
			s.items[i].shown, s.items[i].abouts = 0, 0
		}
	}
	for _, s := range p.steps[:n] {
		s.add()
	}
	var b strings.Builder
	b.WriteString(head)
	for _, s := range p.sections {
		s.render(&b)
	}
	b.WriteString(foot)
	return b.String()
}

func (s *section) render(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s/", s.folder)
	if s.empty && s.none != "" {
		fmt.Fprintf(b, ": %s\n", s.none)
		return
	}
	if s.title != "" {
		b.WriteString(": " + s.title)
	}
	b.WriteByte('\n')
	b.WriteString(s.how)
	if s.silent {
		return
	}
	b.WriteByte('\n')
	switch {
	case len(s.items) == 0:
		b.WriteString(s.lead + "none\n")
	case s.spelled:
		s.list(b)
	default:
		b.WriteString(s.lead)
		s.line(b)
	}
}

// line writes the names of the items on one line.
func (s *section) line(b *strings.Builder) {
	for i := range s.shown {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.items[i].name)
	}
	if left := len(s.items) - s.shown; left > 0 {
		if s.shown > 0 {
			b.WriteString(", and ")
		}
		fmt.Fprintf(b, "%d more: %s", left, s.more)
	}
	b.WriteByte('\n')
}

// list writes a line for each item with more than a name, and one line with the
// names of the others. All items are shown then.
func (s *section) list(b *strings.Builder) {
	b.WriteString(strings.TrimRight(s.lead, " ") + "\n")
	var named []string
	for i := range s.items {
		it := &s.items[i]
		described := i < s.abouts && it.about != ""
		if !described && it.shown == 0 {
			named = append(named, it.name)
			continue
		}
		b.WriteString("- " + it.name)
		if described {
			b.WriteString(" — " + it.about)
		}
		it.render(b)
		b.WriteByte('\n')
	}
	if len(named) > 0 {
		b.WriteString("- " + strings.Join(named, ", ") + "\n")
	}
}

// render writes a line for each thing with a description, and one line with the
// names of the others.
func (it *item) render(b *strings.Builder) {
	for _, t := range it.things[:it.abouts] {
		b.WriteString("\n  - " + t.Name)
		if t.About != "" {
			b.WriteString(" — " + t.About)
		}
	}
	named := it.things[it.abouts:it.shown]
	if len(named) == 0 {
		return
	}
	if it.abouts > 0 {
		b.WriteString("\n  - ")
	} else {
		b.WriteString(": ")
	}
	for i, t := range named {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.Name)
	}
	if left := len(it.things) - it.shown; left > 0 {
		fmt.Fprintf(b, ", and %d more", left)
	}
}
