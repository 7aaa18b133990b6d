package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/policy"
)

// Snapshot is a catalogue as it is shown. It never changes.
type Snapshot struct {
	About
	Sections  [NumFolders]Section
	LeftOut   []policy.ToolNames // tools that the configuration leaves out
	Unmatched []string           // patterns of the configuration that are of no tool
}

// Folder is one of the folders of definitions of a server.
type Folder int

// The folders of definitions.
const (
	ToolFolder Folder = iota
	ResourceFolder
	PromptFolder
	NumFolders
)

// folders says how each is made: its name, the shape of its files, and the kinds
// of definitions that are in it.
var folders = [NumFolders]struct {
	name  string
	shape shape
	kinds []Kind
}{
	ToolFolder:     {"tools", toolShape, []Kind{Tools}},
	ResourceFolder: {"resources", resourceShape, []Kind{Resources, Templates}},
	PromptFolder:   {"prompts", promptShape, []Kind{Prompts}},
}

// Name returns the name of the folder.
func (f Folder) Name() string { return folders[f].name }

// Section is one of the folders of definitions of a server.
type Section struct {
	Changed time.Time
	Items   []Item
}

// Item is one file of a section.
type Item struct {
	Name    string // the original
	File    string // without ".json"
	Summary string
	Since   time.Time
	Body    []byte
	Sum     rawjson.Fingerprint // of a tool's definition
}

// SummaryLength is the longest summary in an index, in bytes.
const SummaryLength = 160

// NewSnapshot renders a catalogue. Definitions that cannot be rendered cannot be
// there: lists take objects only.
func NewSnapshot(cat *Catalogue) *Snapshot {
	s := &Snapshot{About: cat.About}
	for i, f := range folders {
		var lists []List
		for _, k := range f.kinds {
			lists = append(lists, cat.Lists[k])
		}
		s.Sections[i] = newSection(f.shape, lists...)
	}
	for i := range s.Sections[ToolFolder].Items {
		tool := &s.Sections[ToolFolder].Items[i]
		tool.Sum = rawjson.FingerprintOf(tool.Definition())
	}
	return s
}

// Filtered is the snapshot with those tools only that the filter shows.
func (s *Snapshot) Filtered(f policy.Filter) *Snapshot {
	if s == nil || f.IsEmpty() {
		return s
	}
	part := *s
	tools := &part.Sections[ToolFolder]
	tools.Items, part.LeftOut = nil, nil
	for _, i := range s.Sections[ToolFolder].Items {
		if f.Shows(i.Name, i.File) {
			tools.Items = append(tools.Items, i)
		} else {
			part.LeftOut = append(part.LeftOut, policy.ToolNames{Own: i.Name, File: i.File})
		}
	}
	if all := s.ToolNames(); len(all) > 0 {
		part.Unmatched = f.Unmatched(all)
	}
	return &part
}

// ToolNames are those of all tools, those that are left out too.
func (s *Snapshot) ToolNames() []policy.ToolNames {
	all := slices.Clone(s.LeftOut)
	for _, i := range s.Sections[ToolFolder].Items {
		all = append(all, policy.ToolNames{Own: i.Name, File: i.File})
	}
	return all
}

// Tools are the items of the tool folder.
func (s *Snapshot) Tools() []Item { return s.Sections[ToolFolder].Items }

// Share takes over the sections of a snapshot that hold the same, so that
// their texts are in memory once.
func (s *Snapshot) Share(before *Snapshot) {
	if before == nil {
		return
	}
	for i := range s.Sections {
		if s.Sections[i].Equal(before.Sections[i]) {
			s.Sections[i] = before.Sections[i]
		}
	}
}

func newSection(shape shape, lists ...List) Section {
	var s Section
	type defined struct {
		Item
		uri string
	}
	var all []defined
	for _, l := range lists {
		if l.Changed.After(s.Changed) {
			s.Changed = l.Changed
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
			all = append(all, defined{uri: uri, Item: Item{
				Name:    cmp.Or(o.Text("name"), uri),
				Summary: clean.Sentence(cmp.Or(o.Text("description"), o.Text("title")), SummaryLength),
				Since:   d.Since,
				Body:    body,
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b defined) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.uri, b.uri),
		)
	})
	foreign := make([]string, len(all))
	for i, d := range all {
		foreign[i] = d.Name
	}
	for i, file := range names.Assign(foreign) {
		all[i].File = file
		s.Items = append(s.Items, all[i].Item)
	}
	return s
}

// Nodes are the files of the section.
func (s Section) Nodes() map[string]fs.Node {
	nodes := make(map[string]fs.Node, len(s.Items))
	for _, i := range s.Items {
		nodes[i.File+".json"] = fs.NewText(i.Since, i.Body)
	}
	return nodes
}

// Summary is one on the server, in its own words.
func (s *Snapshot) Summary() string {
	if s == nil {
		return ""
	}
	return clean.Sentence(cmp.Or(s.Instructions, s.Server.Title), SummaryLength)
}

// URI is that of a resource; a template has none.
func (i Item) URI() string {
	var shown struct{ URI string }
	_ = json.Unmarshal(i.Body, &shown) // it was made here
	return shown.URI
}

// Equal tells whether two sections are the same files.
func (s Section) Equal(o Section) bool {
	if len(s.Items) != len(o.Items) || !s.Changed.Equal(o.Changed) {
		return false
	}
	for i := range s.Items {
		if a, b := &s.Items[i], &o.Items[i]; a.File != b.File || !bytes.Equal(a.Body, b.Body) {
			return false
		}
	}
	return true
}

// Definition is the tool as its server defined it, of what is shown of it: an
// object of the protocol's names, without spaces.
func (i Item) Definition() json.RawMessage {
	o, err := rawjson.ParseObject(i.Body)
	if err != nil {
		return json.RawMessage("{}") // it cannot be: the body was made here
	}
	for j := range o {
		for _, n := range toolShape.first {
			if o[j].Name == n.shown {
				o[j].Name = n.is
				break
			}
		}
	}
	text, err := o.Append(nil)
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, text) != nil {
		return json.RawMessage("{}")
	}
	return compact.Bytes()
}

// ItemOf is the item of a definition that was pinned, as it would be shown now.
func ItemOf(definition json.RawMessage) (i Item) {
	o, err := rawjson.ParseObject(definition)
	if err == nil {
		i.Body, err = toolShape.render(o)
	}
	if err != nil {
		i.Body = []byte("{}\n")
	}
	return i
}

// ShownAs is the name under which a member of a tool's definition is shown.
func ShownAs(name string) string {
	for _, n := range toolShape.first {
		if n.is == name {
			return n.shown
		}
	}
	return name
}
