package memory

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/page"
	"ctxfs/providers/memory/proposed"
	"ctxfs/providers/memory/read"
)

// snapshot is all that is shown at one moment. It is immutable once it is published.
type snapshot struct {
	sections  []*section // the user's first, then those of projects, worked in last first
	byPath    map[string]*entry
	pages     []shelf.Page
	gist      []byte // the text of SUMMARY.md
	proposals []*proposed.Proposal
	modTime   time.Time
	status    fs.Status
}

// section is the memories of the user, or of a project.
type section struct {
	page.Section
	scope   string               // of its memories
	dir     string               // of the project; "" if it is not known, and for the user's
	work    workspaces.Workspace // or zero
	entries []*entry
	modTime time.Time
}

// entry is a memory as it is shown: equal ones of several agents are one.
type entry struct {
	page.Entry
	members []*fact.Memory // our own first, then the newest
	file    string
	body    []byte
	line    string // in the index
	differs []string
}

// maker makes snapshots. It keeps what the next one may need.
type maker struct {
	provider *Provider
	pages    *page.Writer
	comparer *fact.Comparer
	placed   map[*fact.Memory]*fact.Memory // in the folder of their workspace
}

func newMaker(p *Provider) *maker {
	return &maker{provider: p, pages: page.NewWriter(), comparer: fact.NewComparer()}
}

// snapshot returns what is to be shown of these memories.
func (m *maker) snapshot(own []*fact.Memory, foreign read.Found, problems []fs.Problem) *snapshot {
	old := m.provider.current.Load()
	s := &snapshot{byPath: make(map[string]*entry, len(own)+len(foreign.Memories))}
	placed := make(map[*fact.Memory]*fact.Memory)
	byScope := make(map[string][]*fact.Memory)
	for _, all := range [][]*fact.Memory{own, foreign.Memories} {
		for _, memory := range all {
			memory = m.place(memory, placed)
			byScope[memory.Scope] = append(byScope[memory.Scope], memory)
		}
	}
	m.placed = placed
	s.sections = m.arrange(byScope)
	var first []*fact.Memory
	of := make(map[*fact.Memory]*entry, len(own)+len(foreign.Memories))
	for _, sec := range s.sections {
		sec.entries = m.unite(byScope[sec.scope], sec)
		for _, e := range sec.entries {
			first = append(first, e.members[0])
			of[e.members[0]] = e
		}
	}
	differing, more := m.comparer.Differences(first)
	for memory, others := range differing {
		e := of[memory]
		for _, other := range others {
			e.Differs = append(e.Differs, &of[other].Entry)
		}
	}
	notes := foreign.Notes
	if more > 0 {
		notes = append(slices.Clip(notes), wording.Count(more, "further pairs")+" of memories that seem to contradict each other")
	}
	for _, sec := range s.sections {
		for i, e := range sec.entries {
			e.line = e.Line()
			for _, d := range e.Differs {
				e.differs = append(e.differs, e.Beside(d))
			}
			if before := old.byPath[e.Path]; before.equal(e) {
				sec.entries[i], e = before, before
			} else {
				e.body = e.card(m.provider.opts)
			}
			s.byPath[e.Path] = e
			s.pages = append(s.pages, shelf.Page{Path: e.Path, Body: e.body, Time: e.Modified})
			sec.Entries = append(sec.Entries, &e.Entry)
			sec.modTime = wording.Later(sec.modTime, e.Modified)
		}
		sec.Pushed = page.Pushed(sec.Entries)
		s.modTime = wording.Later(s.modTime, sec.modTime)
	}
	m.write(s, notes)
	m.propose(s)
	s.status = s.statusOf(problems)
	return s
}

// place returns a memory with the folder of the workspace that it is about as its scope.
func (m *maker) place(memory *fact.Memory, placed map[*fact.Memory]*fact.Memory) *fact.Memory {
	scope := memory.Scope
	switch {
	case scope == fact.User:
		return memory
	case filepath.IsAbs(scope):
		if w, ok := m.provider.opts.Workspaces.Of(scope); ok {
			scope = w.Dir
		}
	default:
		for _, w := range m.provider.opts.Workspaces.All() {
			if w.Name == scope {
				scope = w.Dir
			}
		}
	}
	if scope == memory.Scope {
		return memory
	}
	in := m.placed[memory]
	if in == nil || in.Scope != scope {
		moved := *memory
		moved.Scope, in = scope, &moved
	}
	placed[memory] = in
	return in
}

// arrange returns a section for each scope: the user's, then projects, those with the
// latest work first.
func (m *maker) arrange(byScope map[string][]*fact.Memory) (all []*section) {
	var projects []*section
	for scope, memories := range byScope {
		sec := &section{scope: scope}
		if scope == fact.User {
			sec.Name, sec.Title = userName, "the user"
			all = append(all, sec)
			continue
		}
		if filepath.IsAbs(scope) {
			sec.dir = scope
			sec.Title = clean.Line(wording.Tilde(scope, m.provider.opts.Home))
			sec.Name = filepath.Base(scope)
			if w, ok := m.provider.opts.Workspaces.Of(scope); ok && w.Dir == scope {
				sec.work, sec.Name = w, w.Name
			} else if memories[0].Project != "" {
				sec.Name = memories[0].Project
			}
		} else {
			sec.Name, sec.Title = scope, clean.Line(scope)+", whose folder is not known"
		}
		projects = append(projects, sec)
	}
	slices.SortFunc(projects, func(a, b *section) int { return cmp.Or(strings.Compare(a.dir, b.dir), strings.Compare(a.Name, b.Name)) })
	foreign := []string{userName, inboxName, proposedName, "INDEX", "SUMMARY"}
	reserved := len(foreign)
	for _, sec := range projects {
		foreign = append(foreign, sec.Name)
	}
	for i, name := range names.Assign(foreign)[reserved:] {
		projects[i].Name = name
	}
	slices.SortStableFunc(projects, func(a, b *section) int { return b.work.Time.Compare(a.work.Time) })
	return append(all, projects...)
}

// unite returns an entry for each memory of a section, equal ones together, the newest
// first.
func (m *maker) unite(memories []*fact.Memory, sec *section) []*entry {
	byKey := make(map[uint64]*entry, len(memories))
	entries := make([]*entry, 0, len(memories))
	block := make([]entry, len(memories))
	for i, memory := range memories {
		key := memory.Key()
		e := byKey[key]
		if e == nil {
			e = &block[i]
			entries = append(entries, e)
			byKey[key] = e
		}
		e.members = append(e.members, memory)
	}
	trusts := make(map[string]bool)
	for _, e := range entries {
		slices.SortStableFunc(e.members, func(a, b *fact.Memory) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
		})
		e.Untrusted = !e.isTrusted(func(dir string) bool {
			if _, ok := trusts[dir]; !ok {
				trusts[dir] = m.provider.opts.Trust.Trusts(dir)
			}
			return trusts[dir]
		})
		is := e.members[0]
		e.Description, e.Type = is.Description, is.Type
		for _, memory := range e.members {
			e.Modified = wording.Later(e.Modified, memory.Modified)
			if !slices.Contains(e.Agents, memory.Agent) {
				e.Agents = append(e.Agents, memory.Agent)
			}
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		x, y := a.members[0], b.members[0]
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x.Name, y.Name), strings.Compare(x.Agent, y.Agent), strings.Compare(x.Path, y.Path), strings.Compare(x.Part, y.Part))
	})
	foreign := make([]string, 0, len(entries)+1)
	foreign = append(foreign, "SUMMARY")
	for _, e := range entries {
		name := e.members[0].Name
		if name == "" {
			name = fact.NameOf(e.Description)
		}
		foreign = append(foreign, name)
	}
	for i, name := range names.Assign(foreign)[1:] {
		entries[i].file = name + fact.Extension
		entries[i].Path = sec.Name + "/" + entries[i].file
	}
	slices.SortStableFunc(entries, func(a, b *entry) int { return b.Modified.Compare(a.Modified) })
	return entries
}

// rank puts our own memories before those of agents, and these before what lies in the
// files of a project.
func rank(m *fact.Memory) int {
	switch {
	case m.Within != "":
		return 2
	case !m.Own():
		return 1
	}
	return 0
}

// equal reports whether an entry is shown as another one is; e may be nil.
func (e *entry) equal(other *entry) bool {
	return e != nil && e.line == other.line && slices.Equal(e.differs, other.differs) && e.Untrusted == other.Untrusted && slices.Equal(e.members, other.members)
}

// write writes the pages.
func (m *maker) write(s *snapshot, notes []string) {
	var shown []page.Section
	var user page.Section
	for _, sec := range s.sections {
		shown = append(shown, sec.Section)
		if sec.Name == userName {
			user = sec.Section
		}
	}
	index := page.Index(shown, func(section, i int) string { return s.sections[section].entries[i].line }, notes)
	for _, sec := range s.sections {
		both := []page.Section{sec.Section}
		if sec.Name != userName {
			both = append(both, user)
		}
		s.pages = append(s.pages, shelf.Page{Path: sec.Name + "/" + summaryName, Body: m.pages.Summary(both), Time: sec.modTime})
	}
	if len(shown) > 1 && user.Name != "" { // the project with the latest work comes first
		shown[0], shown[1] = shown[1], shown[0]
	}
	s.gist = m.pages.Summary(shown)
	s.pages = append(s.pages,
		shelf.Page{Path: indexName, Body: index, Time: s.modTime}, shelf.Page{Path: summaryName, Body: s.gist, Time: s.modTime},
		shelf.Page{Path: inboxName, Node: m.provider.inbox})
}

func (s *snapshot) statusOf(problems []fs.Problem) fs.Status {
	st := fs.Status{State: "ready", Problems: problems, Since: s.modTime}
	differ, projects := 0, 0
	for _, sec := range s.sections {
		if sec.Name != userName {
			projects++
		}
		st.Items = append(st.Items, fs.Item{Name: sec.Name, Count: len(sec.entries), Unit: "memories", Since: sec.modTime})
		for _, e := range sec.entries {
			if len(e.Differs) > 0 {
				differ++
			}
		}
	}
	st.Summary = wording.Count(len(s.byPath), "memories") + " of the user and " + wording.Count(projects, "projects")
	if differ > 0 {
		st.Summary += fmt.Sprintf(", %d that contradict others", differ)
	}
	switch {
	case len(problems) > 0:
		st.State = "degraded"
	case len(s.byPath) == 0:
		st.State, st.Summary = "empty", "nothing is remembered yet"
	}
	if n := len(s.proposals); n > 0 {
		st.Summary += fmt.Sprintf(", %d proposed", n)
	}
	return st
}
