package prompt

import (
	"cmp"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// aboutLen is how long a sentence on something may be, in bytes.
const aboutLen = 160

// plan is what can be told, and in which order it is added as there is room.
type plan struct {
	sections []*section
	steps    []step
	names    int // how many steps, the first, are names of items
}

// section is a folder of the page.
type section struct {
	text
	folder string
	empty  bool
	items  []item
	// How much of it is shown.
	shown   int // items
	abouts  int // those of them with a sentence
	spelled bool
}

// item is something that a provider holds.
type item struct {
	name   string // with its count and state
	about  string
	things []Thing
	// How much of it is shown.
	shown  int // things
	abouts int // those of them with a sentence
}

// step shows one more of something.
type step struct {
	section *section
	item    *item // nil: of the section's items
	about   bool  // a sentence rather than a name
}

func (s step) add() {
	n := &s.section.shown
	switch {
	case s.item != nil && s.about:
		n = &s.item.abouts
	case s.item != nil:
		n = &s.item.shown
	case s.about:
		n = &s.section.abouts
	}
	s.section.spelled = s.section.spelled || s.item != nil || s.about
	*n++
}

// newPlan orders the steps: names of items, one of each folder in turn, so that
// thousands of one kind do not crowd out the other; names of things, the smallest
// items first, so that most are told of whole; then sentences in the same order.
func newPlan(folders []Folder) *plan {
	p := &plan{}
	for _, f := range folders {
		p.sections = append(p.sections, newSection(f))
	}
	slices.SortStableFunc(p.sections, func(a, b *section) int { return cmp.Compare(a.place, b.place) })
	for i, more := 0, true; more; i++ {
		more = false
		for _, s := range p.sections {
			if i < len(s.items) {
				p.steps = append(p.steps, step{section: s})
				more = true
			}
		}
	}
	p.names = len(p.steps)
	var things, abouts []step
	for _, s := range p.sections {
		for range s.items {
			if s.sentences {
				abouts = append(abouts, step{section: s, about: true})
			}
		}
	}
	for _, s := range p.sections {
		bySize := make([]*item, len(s.items))
		for i := range s.items {
			bySize[i] = &s.items[i]
		}
		slices.SortStableFunc(bySize, func(a, b *item) int { return cmp.Compare(len(a.things), len(b.things)) })
		for _, it := range bySize {
			for range it.things {
				things = append(things, step{section: s, item: it})
				abouts = append(abouts, step{section: s, item: it, about: true})
			}
		}
	}
	p.steps = slices.Concat(p.steps, things, abouts)
	return p
}

func newSection(f Folder) *section {
	s := &section{text: textOf(f.Name), folder: f.Name, empty: f.State == "empty"}
	if s.silent {
		return s
	}
	for _, i := range f.Items {
		it := item{name: clean.Line(i.Name) + s.remark(i), about: clean.Sentence(i.About, aboutLen)}
		for _, t := range f.Inside[i.Name] {
			it.things = append(it.things, Thing{clean.Line(t.Name), clean.Sentence(t.About, aboutLen)})
		}
		s.items = append(s.items, it)
	}
	if !s.sorted {
		return s
	}
	slices.SortStableFunc(s.items, func(a, b item) int { return naturally(a.name, b.name) })
	return s
}

// naturally orders numbers by their value: terminals are numbered.
func naturally(a, b string) int {
	if digits(a) && digits(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

func digits(s string) bool {
	return s != "" && !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < '0' || c > '9' })
}

// serverRemark is what is told of an MCP server besides its name: how many tools
// it has, and a state only if it lasts until somebody does something. Whether it
// runs, starts or has failed comes and goes, and its tools stay known.
func serverRemark(i fs.Item) string {
	switch i.State {
	case "ready", "cached", "":
	case "needs-auth", "untrusted", "disabled", "unresolved-variable":
		if i.Count <= 0 {
			return " (" + i.State + ")"
		}
		return " (" + count(i) + ", " + i.State + ")"
	default:
		if i.Count <= 0 {
			return " (not ready)"
		}
	}
	return " (" + count(i) + ")"
}
