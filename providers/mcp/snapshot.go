package mcp

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/policy"
)

// snapshot is a catalogue as it is shown. It never changes.
type snapshot struct {
	about
	sections [sections]section
	left     []policy.ToolNames // tools that the configuration leaves out
	idle     []string           // patterns of the configuration that are of no tool
}

// The folders of definitions of a server.
const (
	toolFolder = iota
	resourceFolder
	promptFolder
	sections
)

// folders says how each of them is made: its name, and the kinds that are in it.
var folders = [sections]struct {
	name  string
	shape shape
	kinds []kind
}{
	toolFolder:     {"tools", toolShape, []kind{tools}},
	resourceFolder: {"resources", resourceShape, []kind{resources, templates}},
	promptFolder:   {"prompts", promptShape, []kind{prompts}},
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
	sum     rawjson.Fingerprint // of a tool's definition
}

// summaryLength is the longest summary in an index, in bytes.
const summaryLength = 160

// show renders a catalogue. Definitions that cannot be rendered cannot be
// there: lists take objects only.
func show(cat *catalogue) *snapshot {
	s := &snapshot{about: cat.about}
	for i, f := range folders {
		var lists []list
		for _, k := range f.kinds {
			lists = append(lists, cat.Lists[k])
		}
		s.sections[i] = newSection(f.shape, lists...)
	}
	for i := range s.sections[toolFolder].items {
		tool := &s.sections[toolFolder].items[i]
		tool.sum = rawjson.FingerprintOf(tool.definition())
	}
	return s
}

// only is the snapshot with those tools only that the filter shows.
func (s *snapshot) only(f policy.Filter) *snapshot {
	if s == nil || f.IsEmpty() {
		return s
	}
	part := *s
	tools := &part.sections[toolFolder]
	tools.items, part.left = nil, nil
	for _, i := range s.sections[toolFolder].items {
		if f.Shows(i.name, i.file) {
			tools.items = append(tools.items, i)
		} else {
			part.left = append(part.left, policy.ToolNames{Own: i.name, File: i.file})
		}
	}
	if all := s.toolNames(); len(all) > 0 {
		part.idle = f.Unmatched(all)
	}
	return &part
}

// toolNames are those of all tools, those that are left out too.
func (s *snapshot) toolNames() []policy.ToolNames {
	all := slices.Clone(s.left)
	for _, i := range s.sections[toolFolder].items {
		all = append(all, policy.ToolNames{Own: i.name, File: i.file})
	}
	return all
}

// share takes over the sections of a snapshot that hold the same, so that
// their texts are in memory once.
func (s *snapshot) share(before *snapshot) {
	if before == nil {
		return
	}
	for i := range s.sections {
		if s.sections[i].equal(before.sections[i]) {
			s.sections[i] = before.sections[i]
		}
	}
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
			o, err := rawjson.ParseObject(d.Raw)
			if err != nil {
				continue
			}
			body, err := shape.render(o)
			if err != nil {
				continue
			}
			uri := cmp.Or(o.Text("uri"), o.Text("uriTemplate"))
			all = append(all, defined{uri: uri, item: item{
				name:    cmp.Or(o.Text("name"), uri),
				summary: clean.Sentence(cmp.Or(o.Text("description"), o.Text("title")), summaryLength),
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

// sentence is one on the server, in its own words.
func (s *snapshot) sentence() string {
	if s == nil {
		return ""
	}
	return clean.Sentence(cmp.Or(s.Instructions, s.Server.Title), summaryLength)
}
