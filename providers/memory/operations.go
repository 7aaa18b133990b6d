package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/page"
	"ctxfs/providers/memory/store"
)

// RememberQuery is something to be remembered.
type RememberQuery struct {
	// Text is Markdown, with or without front matter.
	Text string `json:"text"`
	// Type is one of package fact; "" leaves it to the text.
	Type string `json:"type,omitempty"`
	// Project names where the project is that it is about; without Dir it is about
	// none, and kept for the user.
	Project fs.Standpoint `json:"project"`
	// Agent and Session say who says it, as far as it is known.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

// Check reports what is wrong with the text and the type, as far as that can be told
// without the folder of memories. It wraps fs.ErrInvalid or fs.ErrTooLarge.
func (q RememberQuery) Check() error {
	return store.Check(store.Draft{Text: q.Text, Type: fact.Type(q.Type)})
}

// Remembered is what became of it.
type Remembered struct {
	Item
	// Known reports that it was known already: nothing has changed.
	Known bool `json:"known"`
	// Masked reports that a secret in it was hidden.
	Masked bool `json:"masked,omitempty"`
}

// Item is a memory as commands see it.
type Item struct {
	// Path is that of its file in the folder of memories, such as "user/tabs.md".
	Path        string    `json:"path"`
	Description string    `json:"description"`
	Type        string    `json:"type"`
	Scope       string    `json:"scope"` // "user", or the folder of a project
	Sources     []string  `json:"sources"`
	Modified    time.Time `json:"modified,omitzero"`
	Trusted     bool      `json:"trusted"`
	// Own reports that it is in our own folder, and can be forgotten.
	Own bool `json:"own"`
	// Differs are the paths of those that seem to contradict it.
	Differs []string `json:"differs,omitempty"`
	// Files are the files that have it, the first one first.
	Files []string `json:"files"`
	Text  string   `json:"text"`
}

// ListQuery asks for memories.
type ListQuery struct {
	// At is where the project is whose memories, with the user's, are wanted; without
	// Dir it is all of them.
	At fs.Standpoint `json:"at"`
	// Name is the name of one, or the end of its path; "" is all.
	Name string `json:"name,omitempty"`
}

// Listed are memories.
type Listed struct {
	// Project is the folder of the project that was asked for, or "".
	Project  string `json:"project,omitempty"`
	Memories []Item `json:"memories"`
	// Summary is the page to be put before an agent.
	Summary string `json:"summary"`
	// Dir is the folder of our own memories.
	Dir string `json:"dir"`
	// Proposed is how many proposals there are, of all projects.
	Proposed int `json:"proposed"`
}

// ForgetQuery names memories to be forgotten.
type ForgetQuery struct {
	Names []string `json:"names"`
}

// Forgotten is a memory that was forgotten.
type Forgotten struct {
	Path string `json:"path"`
	// File is where it was, Trash where it is now.
	File  string `json:"file"`
	Trash string `json:"trash"`
	// Left are files of others that still say it.
	Left []string `json:"left,omitempty"`
}

// The operations.
var (
	OpRemember = fs.Op[RememberQuery, Remembered]{Name: "memory-add"}
	OpMemories = fs.Op[ListQuery, Listed]{Name: "memory-list", Effect: fs.Reads}
	OpForget   = fs.Op[ForgetQuery, []Forgotten]{Name: "memory-forget"}
)

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpRemember.Handle(p.remember), OpMemories.Handle(p.list), OpForget.Handle(p.forget),
		OpProposed.Handle(p.proposed), OpDecide.Handle(p.decide),
	}
}

// fault is an error with the command that fixes it.
type fault struct{ what, fix string }

func (f *fault) Error() string { return f.what }

// Fix says what to do.
func (f *fault) Fix() string { return f.fix }

func (p *Provider) remember(ctx context.Context, q RememberQuery) (Remembered, error) {
	guess := fact.User
	d := store.Draft{Text: q.Text, Type: fact.Type(q.Type), Source: fact.Source(cmp.Or(q.Agent, "the user"), q.Session)}
	if q.Project.Dir != "" || q.Project.Unknown != "" {
		root := p.projectAt(q.Project)
		if root == "" {
			return Remembered{}, &fault{
				what: fmt.Sprintf("%s is in no project: the home folder, what is above it and the tree of ctxfs itself are none", cmp.Or(clean.Line(wording.Tilde(q.Project.Dir, p.opts.Home)), "where you stand")),
				fix:  "name its folder: ctxfs remember --project=DIR TEXT, or leave --project out to remember it for yourself",
			}
		}
		guess, d.Scope = root, root
	}
	ours := p.ours()
	read, err := ours.Read(d, guess)
	if err != nil {
		return Remembered{}, err
	}
	return p.add(ctx, ours, read)
}

// add adds a memory to the store, and shows it.
func (p *Provider) add(ctx context.Context, ours *store.Store, read store.Added) (Remembered, error) {
	added, err := ours.Add(ctx, read)
	if err != nil {
		return Remembered{}, err
	}
	p.Look()
	r := Remembered{Known: added.Known, Masked: added.Masked}
	for _, e := range p.current.Load().byPath {
		if slices.ContainsFunc(e.members, func(m *fact.Memory) bool { return m.Path == added.Memory.Path && m.Key() == added.Memory.Key() }) {
			r.Item = p.item(e)
			return r, nil
		}
	}
	return Remembered{}, errors.New("it was written to " + added.Memory.Path + ", but cannot be read there")
}

// item returns a memory as commands see it.
func (p *Provider) item(e *entry) Item {
	is := e.members[0]
	i := Item{
		Path: e.Path, Description: e.Description, Type: string(e.Type), Scope: is.Scope, Modified: e.Modified,
		Trusted: !e.Untrusted, Own: is.Own(), Text: is.Text, Sources: []string{},
	}
	for _, m := range e.members {
		i.Files = append(i.Files, m.Path)
		for _, s := range m.Sources {
			if !slices.Contains(i.Sources, s) {
				i.Sources = append(i.Sources, s)
			}
		}
		if len(m.Sources) == 0 && m.Agent != "" {
			i.Sources = append(i.Sources, m.Agent)
		}
	}
	for _, d := range e.Differs {
		i.Differs = append(i.Differs, d.Path)
	}
	return i
}

// list lists memories.
func (p *Provider) list(_ context.Context, q ListQuery) (Listed, error) {
	s := p.lately()
	l := Listed{Memories: []Item{}, Dir: p.ours().Dir(), Proposed: len(s.proposals), Summary: string(s.gist)}
	sections := s.sections
	if q.At.Dir != "" {
		l.Project = p.projectAt(q.At)
		sections = s.forProject(cmp.Or(l.Project, q.At.Dir))
		l.Summary = p.summaryOf(sections)
	}
	for _, sec := range sections {
		for _, e := range sec.entries {
			if q.Name == "" || e.named(q.Name) {
				l.Memories = append(l.Memories, p.item(e))
			}
		}
	}
	if q.Name != "" && len(l.Memories) == 0 {
		return Listed{}, noSuch(q.Name)
	}
	return l, nil
}

// lately returns what is shown, with what was written a moment ago.
func (p *Provider) lately() *snapshot {
	p.shown()
	if p.opts.Watch {
		p.Look()
	}
	return p.current.Load()
}

// noSuch is the error for a name that no memory has.
func noSuch(name string) error {
	return &fault{what: fmt.Sprintf("no memory is called %q", clean.Cut(clean.Line(name), 100)), fix: "list them: ctxfs memory"}
}

// named reports whether a name names a memory: that of its file, its path, or the path
// of a file on disk.
func (e *entry) named(name string) bool {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "memory/"), fact.Extension)
	path := strings.TrimSuffix(e.Path, fact.Extension)
	return path == name || strings.HasSuffix(path, "/"+name) ||
		slices.ContainsFunc(e.members, func(m *fact.Memory) bool { return filepath.IsAbs(name) && m.Path == name+fact.Extension })
}

// forProject returns the sections of the project that has a folder, and of the user.
func (s *snapshot) forProject(dir string) (some []*section) {
	if sec := s.of(dir); sec != nil {
		some = append(some, sec)
	}
	for _, sec := range s.sections {
		if sec.Name == userName {
			some = append(some, sec)
		}
	}
	return some
}

// summaryOf writes the summary of some sections.
func (p *Provider) summaryOf(sections []*section) string {
	var pages []page.Section
	for _, sec := range sections {
		pages = append(pages, sec.Section)
	}
	return string(page.NewWriter().Summary(pages))
}

// forget moves memories of our own into the trash: all that are named, or none.
func (p *Provider) forget(ctx context.Context, q ForgetQuery) ([]Forgotten, error) {
	s := p.lately()
	var chosen []*entry
	for _, name := range q.Names {
		e, err := s.one(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(chosen, e) {
			chosen = append(chosen, e)
		}
	}
	for _, e := range chosen {
		if err := s.undivided(e, chosen); err != nil {
			return nil, err
		}
	}
	ours := p.ours()
	forgotten := []Forgotten{}
	for _, e := range chosen {
		f := Forgotten{Path: e.Path}
		for _, m := range e.members {
			if !m.Own() {
				f.Left = append(f.Left, m.Path)
				continue
			}
			trash, err := ours.Forget(ctx, m)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return forgotten, err
			}
			f.File, f.Trash = m.Path, trash
		}
		forgotten = append(forgotten, f)
	}
	p.Look()
	return forgotten, nil
}

// undivided returns an error if the file of an entry has another memory, too, which is not
// to be forgotten with it: the other side of a merge.
func (s *snapshot) undivided(e *entry, chosen []*entry) error {
	for _, m := range e.members {
		if !m.Own() || m.Part == "" {
			continue
		}
		in := func(o *fact.Memory) bool { return o.Path == m.Path }
		for _, other := range s.byPath {
			if slices.ContainsFunc(other.members, in) && !slices.Contains(chosen, other) {
				return &fault{
					what: fmt.Sprintf("%s and %s are two versions in one file with the marks of a merge, %s", e.Path, other.Path, clean.Line(m.Path)),
					fix:  "edit the file: remove the marks, and the version that does not hold",
				}
			}
		}
	}
	return nil
}

// one returns the one memory of ours that a name means.
func (s *snapshot) one(name string) (*entry, error) {
	var found []*entry
	var paths []string
	for _, sec := range s.sections {
		for _, e := range sec.entries {
			if e.named(name) {
				found = append(found, e)
				paths = append(paths, e.Path)
			}
		}
	}
	switch {
	case len(found) == 0:
		return nil, noSuch(name)
	case len(found) > 1:
		return nil, &fault{
			what: fmt.Sprintf("%s are called %q: %s", wording.Count(len(found), "memories"), clean.Line(name), wording.List(paths, 5)),
			fix:  "name one by its path: ctxfs forget " + wording.ShellWord(strings.TrimSuffix(paths[0], fact.Extension)),
		}
	}
	if m := found[0].members[0]; !m.Own() {
		return nil, &fault{
			what: fmt.Sprintf("%s is a memory of %s, which ctxfs only reads", found[0].Path, m.Agent),
			fix:  "remove it from its file: " + wording.ShellWord(m.Path),
		}
	}
	return found[0], nil
}
