package prompt

import (
	"cmp"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// aboutLen is the length of the longest description, in bytes, and earlyLen of one that
// is part of a page of names.
const (
	aboutLen = 160
	earlyLen = 80
)

// plan is everything that a page could say, in the order of adding it while there
// is room.
type plan struct {
	sections []*section
	steps    []step
	names    int // how many steps a page of names has; they are the first
}

// section is a folder of the page.
type section struct {
	text
	folder string
	empty  bool
	items  []item
	// How much of it is shown.
	shown   int  // items
	abouts  int  // descriptions of items
	spelled bool // has a line for each item
}

// item is an item of a provider.
type item struct {
	name   string // with its count and state
	about  string
	things []Thing
	// How much of it is shown.
	shown  int // things
	abouts int // descriptions of things
}

// step shows one more name or description.
type step struct {
	section *section
	item    *item // nil: of the section's items
	about   bool  // a description rather than a name
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

// newPlan orders the steps:
//
//  1. names of items, one of each folder in turn, so that thousands of one kind do
//     not crowd out another;
//  2. the descriptions of items that are worth it (text.early);
//  3. names of things, the smallest items first, so that most are complete;
//  4. descriptions, in the same order.
func newPlan(folders []Folder) *plan {
	p := &plan{}
	for _, f := range folders {
		p.sections = append(p.sections, newSection(f))
	}
	slices.SortStableFunc(p.sections, func(a, b *section) int { return cmp.Compare(a.order, b.order) })
	for i, more := 0, true; more; i++ {
		more = false
		for _, s := range p.sections {
			if i < len(s.items) {
				p.steps = append(p.steps, step{section: s})
				more = true
			}
		}
	}
	var things, abouts []step
	for _, s := range p.sections {
		told := slices.ContainsFunc(s.items, func(it item) bool { return it.about != "" })
		for range s.items {
			switch one := (step{section: s, about: true}); {
			case !told:
			case s.early:
				p.steps = append(p.steps, one)
			case s.sentences:
				abouts = append(abouts, one)
			}
		}
	}
	p.names = len(p.steps)
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
		if s.early {
			it.about = clean.Sentence(i.About, earlyLen)
		}
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

// naturally compares names, and numbers by their value: terminals are numbered.
func naturally(a, b string) int {
	if digits(a) && digits(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

func digits(s string) bool {
	return s != "" && !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < '0' || c > '9' })
}

// serverRemark returns what follows the name of an MCP server: how many tools it
// has, and its state only if that lasts until the user acts. Whether the server
// runs, starts or has failed changes without the user, and its tools stay known.
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
