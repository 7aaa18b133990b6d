package mcp

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// snapshot is a catalogue as it is shown. It never changes.
type snapshot struct {
	// catalogue is without its lists: their text is in the sections.
	catalogue
	changed [kinds]time.Time

	tools, resources, prompts section
}

// section is one of the folders of definitions of a server.
type section struct {
	changed time.Time
	items   []item
}

// item is one file of a section.
type item struct {
	name    string // the original
	file    string // without ".json"
	summary string
	since   time.Time
	body    []byte
}

// summaryLength is the longest summary in an index, in bytes.
const summaryLength = 160

// show renders a catalogue. Definitions that cannot be rendered cannot be
// there: lists take objects only.
func show(cat *catalogue) *snapshot {
	s := &snapshot{catalogue: *cat}
	s.Lists = [kinds]list{}
	for k, l := range cat.Lists {
		s.changed[k] = l.Changed
	}
	s.tools = newSection(toolShape, cat.Lists[tools])
	s.resources = newSection(resourceShape, cat.Lists[resources], cat.Lists[templates])
	s.prompts = newSection(promptShape, cat.Lists[prompts])
	return s
}

func newSection(shape shape, lists ...list) section {
	var s section
	type defined struct {
		item
		uri string
	}
	var all []defined
	for _, l := range lists {
		if l.Changed.After(s.changed) {
			s.changed = l.Changed
		}
		for _, d := range l.Items {
			o, err := parseObject(d.Raw)
			if err != nil {
				continue
			}
			body, err := shape.render(o)
			if err != nil {
				continue
			}
			uri := cmp.Or(o.text("uri"), o.text("uriTemplate"))
			all = append(all, defined{uri: uri, item: item{
				name:    cmp.Or(o.text("name"), uri),
				summary: clean.Sentence(cmp.Or(o.text("description"), o.text("title")), summaryLength),
				since:   d.Since,
				body:    body,
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b defined) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)),
			cmp.Compare(a.name, b.name),
			cmp.Compare(a.uri, b.uri),
		)
	})
	foreign := make([]string, len(all))
	for i, d := range all {
		foreign[i] = d.name
	}
	for i, file := range names.Assign(foreign) {
		all[i].file = file
		s.items = append(s.items, all[i].item)
	}
	return s
}

// nodes are the files of the section.
func (s section) nodes() map[string]fs.Node {
	nodes := make(map[string]fs.Node, len(s.items))
	for _, i := range s.items {
		nodes[i.file+".json"] = fs.NewText(i.since, i.body)
	}
	return nodes
}

// about is one sentence on the server, in its own words.
func (s *snapshot) about() string {
	if s == nil {
		return ""
	}
	return clean.Sentence(cmp.Or(s.Instructions, s.Server.Title), summaryLength)
}
