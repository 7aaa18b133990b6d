package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/policy"
)

// Snapshot is a catalogue as it is shown: the texts of its files. It is
// immutable.
type Snapshot struct {
	About
	Sections  [NumFolders]Section
	LeftOut   []policy.ToolNames // tools that the filter hides
	Unmatched []string           // patterns of the filter that match no tool
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

// folders describes each folder: its name, the shape of its files, and the kinds of
// definitions in it.
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

// Section is the content of one folder.
type Section struct {
	Changed time.Time
	Items   []Item
}

// Item is one file of a section: a definition as it is shown.
type Item struct {
	Name    string `json:"name"` // as the server calls it
	File    string `json:"file"` // the name of the file, without ".json"
	Summary string `json:"summary,omitempty"`
	// Parameters are what a tool or prompt takes, in short, and Flags those that it
	// needs, as its command has them: see [arguments.Signature].
	Parameters string `json:"parameters,omitempty"`
	Flags      string `json:"flags,omitempty"`
	// Template is the URI of a template of resources, cleaned.
	Template string              `json:"template,omitempty"`
	Since    time.Time           `json:"since"`
	Body     []byte              `json:"-"`            // of the file, behind its Head
	Sum      rawjson.Fingerprint `json:"sum,omitzero"` // of a tool's definition
}

// SummaryLength is the length of the longest summary in an index, in bytes.
const SummaryLength = 160

// NewSnapshot renders a catalogue. Every definition can be rendered: lists only
// hold objects.
func NewSnapshot(cat *Catalogue) *Snapshot {
	s := &Snapshot{About: cat.About}
	for i, f := range folders {
		var lists []List
		for _, k := range f.kinds {
			lists = append(lists, cat.Lists[k])
		}
		s.Sections[i] = newSection(f.shape, lists...)
	}
	return s
}

// Filtered returns the snapshot with only those tools that the filter shows. A
// nil snapshot stays nil.
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

// ToolNames returns the names of all tools, hidden ones included.
func (s *Snapshot) ToolNames() []policy.ToolNames {
	all := slices.Clone(s.LeftOut)
	for _, i := range s.Sections[ToolFolder].Items {
		all = append(all, policy.ToolNames{Own: i.Name, File: i.File})
	}
	return all
}

// Tools returns the items of the tool folder.
func (s *Snapshot) Tools() []Item { return s.Sections[ToolFolder].Items }

// Share replaces sections by those of the snapshot before where they are equal,
// so that their texts are in memory once.
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

// ShareTools replaces tools by those of another snapshot where their files are equal,
// so that their texts are in memory once.
func (s *Snapshot) ShareTools(with *Snapshot) {
	known := make(map[string]*Item)
	for i := range with.Tools() {
		known[with.Tools()[i].File] = &with.Tools()[i]
	}
	same := len(s.Tools()) == len(with.Tools())
	for i := range s.Tools() {
		is := &s.Tools()[i]
		if o := known[is.File]; o != nil && o.Name == is.Name && bytes.Equal(o.Body, is.Body) {
			*is = *o
		} else {
			same = false
		}
	}
	if same {
		s.Sections[ToolFolder].Items = with.Sections[ToolFolder].Items
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
		s.Changed = wording.Later(s.Changed, l.Changed)
		for _, d := range l.Items {
			o, err := d.object()
			if err != nil {
				continue
			}
			shown := shape.arrange(o)
			body, err := text(shown)
			if err != nil {
				continue
			}
			var sum rawjson.Fingerprint
			if shape.pinned {
				sum = shape.fingerprint(shown)
			}
			uri := cmp.Or(o.Text("uri"), o.Text("uriTemplate"))
			item := Item{
				Name:     cmp.Or(o.Text("name"), uri),
				Summary:  clean.Sentence(cmp.Or(o.Text("description"), o.Text("title")), SummaryLength),
				Template: clean.Line(o.Text("uriTemplate")),
				Since:    d.Since,
				Body:     body,
				Sum:      sum,
			}
			item.Parameters, item.Flags = shape.signature(o)
			all = append(all, defined{uri: uri, Item: item})
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

// Nodes returns the files of the section, which is a folder of a server, by name.
func (s Section) Nodes(server string, f Folder) map[string]fs.Node {
	nodes := make(map[string]fs.Node, len(s.Items))
	for i := range s.Items {
		item := &s.Items[i]
		nodes[item.File+".json"] = fs.NewText(item.Since, item.Head(server, f), item.Body[1:])
	}
	return nodes
}

// Summary returns one sentence about the server, in its own words, or "".
func (s *Snapshot) Summary() string {
	if s == nil {
		return ""
	}
	return clean.Sentence(cmp.Or(s.Instructions, s.Server.Title), SummaryLength)
}

// URI returns the URI of a resource; a template has no URI.
func (i Item) URI() string {
	var shown struct{ URI string }
	_ = json.Unmarshal(i.Body, &shown) // it was rendered here
	return shown.URI
}

// Equal reports whether two sections have the same files.
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

// Definition returns the definition of a tool under the protocol's names, derived
// from what is shown: a JSON object without spaces.
func (i Item) Definition() json.RawMessage {
	o, err := rawjson.ParseObject(i.Body)
	if err != nil {
		return json.RawMessage("{}") // impossible: the body was rendered here
	}
	definition, err := toolShape.protocolNames(o).Append(nil)
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, definition) != nil {
		return json.RawMessage("{}")
	}
	return compact.Bytes()
}

// ItemOf renders the definition of a tool. Only the Body of the item is set.
func ItemOf(definition json.RawMessage) (i Item) {
	o, err := rawjson.ParseObject(definition)
	if err == nil {
		i.Body, err = text(toolShape.arrange(o))
	}
	if err != nil {
		i.Body = []byte("{}\n")
	}
	return i
}

// ShownAs returns the name under which a member of a tool's definition is shown.
func ShownAs(name string) string {
	for _, n := range toolShape.first {
		if n.is == name {
			return n.shown
		}
	}
	return name
}
