package plans

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/plans/files"
)

// entry is a list or a plan that is shown as one file.
type entry struct {
	agent, session string
	path           string // of the session in the tree, or ""
	dir            string // the folder that the session worked in
	title          string
	file           string // on disk, or ""
	trusted        bool
	within         string // the project in whose files its words are, or ""
	plan           facts.Plan
	loose          bool // its boxes may stay open when a task is done
	time           time.Time

	project *project
	name    string          // of its file
	open    map[string]bool // the texts of its tasks that are still to be done
	text    []byte
}

// place is its path in the tree, relative to the provider's root.
func (e *entry) place() string { return e.project.name + "/" + e.name }

// project is a folder in which sessions worked.
type project struct {
	name    string // in the tree
	root    string // "" for what is of no known project
	trusted bool
	entries []*entry
	open    []openTask
}

// elsewhere is the name of the folder with what is of no known project.
const elsewhere = "elsewhere"

// maxPlans is how many files there are: the newest.
const maxPlans = 2000

// collect makes the entries of what sessions and files have, the newest first.
func (m *maker) collect(found []files.Found) {
	lists := make(map[string]*entry) // of sessions, by agent and id
	var proposals []*entry
	m.sessions = make(map[string]facts.Part[facts.Plan])
	for _, p := range m.provider.book.Parts() {
		m.sessions[p.Agent+"\x00"+p.Session] = p
		for _, plan := range p.Facts {
			e := &entry{agent: p.Agent, session: p.Session, path: p.Path, dir: p.Dir, title: cmp.Or(plan.Title, p.Title), trusted: true, plan: plan, time: cmp.Or(plan.Time, p.Time)}
			m.entries = append(m.entries, e)
			if plan.Kind == facts.TaskList {
				lists[p.Agent+"\x00"+p.Session] = e
			} else {
				proposals = append(proposals, e)
			}
		}
	}
	m.dropAnswered(proposals)
	proposals = slices.DeleteFunc(slices.Clone(m.entries), func(e *entry) bool { return e.plan.Kind != facts.Proposal })
	slices.SortStableFunc(proposals, func(a, b *entry) int { return b.time.Compare(a.time) })
	for _, f := range found {
		m.addFile(f, lists, proposals)
	}
	slices.SortStableFunc(m.entries, func(a, b *entry) int {
		return cmp.Or(b.time.Compare(a.time), strings.Compare(a.session, b.session), strings.Compare(a.file, b.file))
	})
	m.left = max(0, len(m.entries)-maxPlans)
	m.entries = m.entries[:len(m.entries)-m.left]
}

// dropAnswered drops plans that were not accepted where they were proposed, but were in
// another session: Claude Code carries plans out in sessions of their own.
func (m *maker) dropAnswered(proposals []*entry) {
	key := func(e *entry) string { return e.agent + "\x00" + e.dir + "\x00" + strings.TrimSpace(e.plan.Text) }
	accepted := make(map[string]time.Time)
	for _, e := range proposals {
		if e.plan.State == facts.PlanAccepted && e.plan.Text != "" && !e.time.Before(accepted[key(e)]) {
			accepted[key(e)] = e.time
		}
	}
	m.entries = slices.DeleteFunc(m.entries, func(e *entry) bool {
		at, ok := accepted[key(e)]
		return ok && e.plan.Kind == facts.Proposal && e.plan.State != facts.PlanAccepted && !e.time.After(at)
	})
}

// addFile adds what a file has, to the session that it is of if that is known.
func (m *maker) addFile(f files.Found, lists map[string]*entry, proposals []*entry) {
	if f.Err != nil {
		m.notes = append(m.notes, m.tilde(f.Path)+" "+f.Fault())
		return
	}
	e := &entry{agent: f.Agent, file: f.Path, dir: f.Root, within: f.Root, trusted: f.Root == "" || m.provider.trusts(f.Root), plan: f.Plan, loose: f.Loose, title: f.Plan.Title, time: f.ModTime}
	for _, name := range f.Names {
		if p, ok := m.sessions[f.Agent+"\x00"+name]; ok && p.Subagent {
			return // a subagent's list is its own
		} else if ok {
			e.session, e.path, e.dir = p.Session, p.Path, cmp.Or(e.dir, p.Dir)
			e.title = cmp.Or(e.title, p.Title)
			break
		}
	}
	if list := lists[e.agent+"\x00"+e.session]; list != nil && e.session != "" && e.plan.Kind == facts.TaskList {
		list.file = cmp.Or(list.file, e.file)
		list.merge(e)
		return
	}
	for _, p := range proposals {
		if p.agent != e.agent || e.plan.Kind != facts.Proposal {
			continue
		}
		if p.plan.Text == "" && p.session == e.session && e.trusted { // the agent said no more than where it is
			p.plan.Text, p.plan.Cut, p.title, p.within = e.plan.Text, e.plan.Cut, e.title, e.within
		}
		if sameText(p.plan, e.plan) {
			p.file, p.loose = cmp.Or(p.file, e.file), p.loose || e.loose
			p.merge(e)
			return
		}
	}
	if e.title == "" {
		e.title = strings.Join(f.Names, " ")
	}
	m.entries = append(m.entries, e)
}

// sameText reports whether two plans are one; both may be cut.
func sameText(a, b facts.Plan) bool {
	x, y := strings.TrimSpace(a.Text), strings.TrimSpace(b.Text)
	if n := min(len(x), len(y)); a.Cut || b.Cut {
		x, y = x[:n], y[:n]
	}
	return x != "" && x == y
}

// merge takes the tasks that are newer in another copy of a list, or of a plan. Of a copy
// that is not trusted it takes no words, only how far the tasks are.
func (e *entry) merge(other *entry) {
	e.plan.Tasks = slices.Clone(e.plan.Tasks)
	for _, t := range other.plan.Tasks {
		i := slices.IndexFunc(e.plan.Tasks, func(o facts.Task) bool { return o.Text == t.Text })
		switch {
		case i < 0 && !other.trusted:
			continue
		case i < 0:
			e.plan.Tasks = append(e.plan.Tasks, t)
			e.within = cmp.Or(e.within, other.within)
		case e.plan.Tasks[i].State != t.State && t.Time.After(e.plan.Tasks[i].Time.Add(time.Second)):
			e.plan.Tasks[i].State, e.plan.Tasks[i].Time = t.State, t.Time
		default:
			continue
		}
		if t.Time.After(e.time) {
			e.time, e.plan.Time = t.Time, t.Time
		}
	}
	if e.plan.Kind == facts.Proposal { // what became of it is known from the session
		return
	}
	e.plan.State = facts.PlanDone
	if slices.ContainsFunc(e.plan.Tasks, facts.Task.IsOpen) {
		e.plan.State = facts.PlanOpen
	}
}

// group puts the entries into projects and names both.
func (m *maker) group() {
	byRoot, roots := make(map[string]*project), make(map[string]string)
	for _, e := range m.entries {
		root, ok := roots[e.dir]
		if !ok {
			root = m.provider.rootOf(e.dir)
			roots[e.dir] = root
		}
		p := byRoot[root]
		if p == nil {
			p = &project{root: root, trusted: root == "" || m.provider.trusts(root)}
			byRoot[root] = p
			m.projects = append(m.projects, p)
		}
		e.project = p
		p.entries = append(p.entries, e)
	}
	m.nameProjects()
	for _, p := range m.projects {
		oldest := slices.Clone(p.entries)
		slices.Reverse(oldest) // so that a new one changes no name
		foreign := make([]string, len(oldest))
		for i, e := range oldest {
			foreign[i] = e.agent + "-" + cmp.Or(slug(e.title), "tasks")
		}
		for i, name := range names.Assign(foreign) {
			oldest[i].name = name + ".md"
		}
	}
}

// maxSlug is how long the part of a file's name is that comes from its title, in bytes.
const maxSlug = 60

// slug returns the words of a title, without punctuation, as many as fit.
func slug(title string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.NewReplacer("'", "", "’", "").Replace(title), func(r rune) bool {
		return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		word = strings.Trim(word, "-")
		switch {
		case word == "":
		case b.Len() == 0:
			b.WriteString(clean.Prefix(word, maxSlug))
		case b.Len()+1+len(word) > maxSlug:
			return b.String()
		default:
			b.WriteString("_" + word)
		}
	}
	return b.String()
}

// nameProjects names projects as their workspaces, and others by their folders.
func (m *maker) nameProjects() {
	taken := map[string]bool{names.Fold(elsewhere): true}
	var rest []*project
	for _, p := range m.projects {
		if w, ok := m.provider.opts.Workspaces.Of(p.root); ok && w.Dir == p.root && !taken[names.Fold(w.Name)] {
			p.name = w.Name
			taken[names.Fold(w.Name)] = true
		} else {
			rest = append(rest, p)
		}
	}
	slices.SortFunc(rest, func(a, b *project) int { return strings.Compare(a.root, b.root) })
	foreign := slices.Sorted(maps.Keys(taken))
	known := len(foreign)
	for _, p := range rest {
		foreign = append(foreign, cmp.Or(filepath.Base(p.root), "root"))
	}
	assigned := names.Assign(foreign)
	for i, p := range rest {
		if p.name = assigned[known+i]; p.root == "" {
			p.name = elsewhere
		}
	}
}

// rootOf returns the root of the project in which a folder lies: that of its workspace, or
// the folder itself; "" for "".
func (p *Provider) rootOf(dir string) string {
	if dir == "" || !filepath.IsAbs(dir) {
		return ""
	}
	dir = filepath.Clean(dir)
	if w, ok := p.opts.Workspaces.Of(dir); ok {
		return w.Dir
	}
	p.rooting.Lock()
	known, ok := p.roots[dir]
	p.rooting.Unlock()
	if ok {
		return known
	}
	root, err := fs.Probe(p.prober, dir, func() (string, error) { return p.opts.Workspaces.RootAt(dir), nil })
	if err != nil || root == "" {
		return dir // it is looked at again: it may be there later
	}
	p.rooting.Lock()
	defer p.rooting.Unlock()
	p.roots[dir] = root
	return root
}

// trusts reports whether the user trusts a project, or the repository whose worktree
// it is. What lies in the home folder itself is the user's own.
func (p *Provider) trusts(root string) bool {
	if root == p.opts.Home || p.opts.Trust.Trusts(root) {
		return true
	}
	w, ok := p.opts.Workspaces.Of(root)
	return ok && slices.Contains(w.Worktrees, root) && p.opts.Trust.Trusts(w.Dir)
}
