package rules

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
	"ctxfs/providers/rules/locate"
	"ctxfs/providers/rules/scope"
)

// The names in the root that no workspace has.
const (
	userName  = "user"
	forName   = "for"
	indexName = "INDEX.md"
)

// snapshot is all that is shown at one moment. It is immutable once it is published.
type snapshot struct {
	sections []*section
	pages    []shelf.Page
	modTime  time.Time
	complete bool // workspaces were looked at
}

// section is a folder of rules: the user's, or those of a workspace.
type section struct {
	name    string
	work    workspaces.Workspace // zero for the user's
	trusted bool
	rules   []*rule
	notes   []string // about what could not be looked into
}

type maker struct {
	provider *Provider
	home     string
	sections []*section
	faults   map[string][]string // of workspaces, by folder
}

// user adds the section of the user.
func (m *maker) user(places []scope.Place, faults []locate.Fault) {
	s := &section{name: userName, trusted: true, rules: group(places, func(scope.Place) string { return "" })}
	for _, r := range s.rules {
		r.trusted = true
	}
	s.assignNames(func(r *rule) string { return relative(m.home, r.first().Path) })
	s.notes = m.notes(faults)
	m.sections = append(m.sections, s)
}

// fault records that a workspace could not be looked into.
func (m *maker) fault(w workspaces.Workspace, dir string, err error) {
	if m.faults == nil {
		m.faults = make(map[string][]string)
	}
	m.faults[w.Dir] = append(m.faults[w.Dir], m.tilde(dir)+" "+faultText(err))
}

// workspace adds the section of a workspace, from the trees found in its folder and in
// its worktrees.
func (m *maker) workspace(w workspaces.Workspace, trees []*locate.Tree) {
	s := &section{name: w.Name, work: w, trusted: m.provider.opts.Trust.Trusts(w.Dir), notes: m.faults[w.Dir]}
	if slices.Contains([]string{userName, forName}, names.Fold(w.Name)) {
		s.name += "~workspace"
	}
	var places []scope.Place
	for _, t := range trees {
		if t == nil {
			continue
		}
		places = append(places, t.Places...)
		s.notes = append(s.notes, m.notes(t.Faults)...)
		if t.Stopped != "" {
			s.notes = append(s.notes, clean.Line(t.Stopped))
		}
		for _, dir := range t.Repositories {
			s.notes = append(s.notes, m.tilde(dir)+" is a repository of its own, and not searched")
		}
	}
	s.rules = group(places, func(p scope.Place) string { return rootOf(w, p) })
	for _, r := range s.rules {
		r.trusted = s.trusted
	}
	s.assignNames(func(r *rule) string { return relativeTo(w, r.first().Path) })
	m.sections = append(m.sections, s)
}

// rootOf returns the root that a place belongs to: the workspace or one of its worktrees.
func rootOf(w workspaces.Workspace, p scope.Place) string {
	for _, dir := range w.Worktrees {
		if relative(dir, p.File.Path) != p.File.Path {
			return dir
		}
	}
	return w.Dir
}

// relativeTo returns a path below a workspace, or below the parent of one of its
// worktrees.
func relativeTo(w workspaces.Workspace, path string) string {
	for _, dir := range w.Worktrees {
		if relative(dir, path) != path {
			return relative(filepath.Dir(dir), path)
		}
	}
	return relative(w.Dir, path)
}

// relative returns a path below a folder, or the path itself if it is not there.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// assignNames names rules by their paths: .cursor/rules/api.mdc is cursor-rules-api.md.
func (s *section) assignNames(path func(*rule) string) {
	hidden := func(r *rule) int { return min(1, strings.Count(path(r)[:1], ".")) } // AGENTS.md comes before .cursorrules
	slices.SortStableFunc(s.rules, func(a, b *rule) int {
		return cmp.Or(cmp.Compare(hidden(a), hidden(b)), strings.Compare(path(a), path(b)))
	})
	foreign := make([]string, len(s.rules))
	for i, r := range s.rules {
		name := path(r)
		base := filepath.Base(name)
		if ext := filepath.Ext(base); ext != base && (ext == ".md" || ext == ".mdc" || ext == ".txt") {
			name = strings.TrimSuffix(name, ext)
		}
		name = strings.TrimLeft(strings.ReplaceAll(strings.TrimLeft(name, "/."), "/.", "/"), "/")
		foreign[i] = strings.ReplaceAll(name, "/", "-")
	}
	for i, name := range names.Assign(foreign) {
		s.rules[i].folder, s.rules[i].name = s.name, name+".md"
		s.rules[i].text = s.rules[i].card()
	}
}

func (m *maker) tilde(path string) string { return clean.Line(wording.Tilde(path, m.home)) }

// notes returns what could not be looked into, as sentences.
func (m *maker) notes(faults []locate.Fault) (all []string) {
	for _, f := range faults {
		all = append(all, m.tilde(f.Path)+" "+faultText(f.Err))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func faultText(err error) string { return importFault(err) }

// modTime returns when one of its files was last written.
func (r *rule) modTime() (t time.Time) {
	for _, s := range r.sources {
		t = wording.Later(t, s.file.ModTime)
	}
	return t
}

// snapshot returns what was made. Complete reports whether workspaces were looked at.
func (m *maker) snapshot(complete bool) *snapshot {
	s := &snapshot{sections: m.sections, complete: complete}
	for _, sec := range s.sections {
		for _, r := range sec.rules {
			t := cmp.Or(r.modTime(), m.provider.opts.Env.Built)
			s.pages = append(s.pages, shelf.Page{Path: r.path(), Body: r.text, Time: t})
			s.modTime = wording.Later(s.modTime, t)
		}
	}
	s.modTime = cmp.Or(s.modTime, m.provider.opts.Env.Built)
	s.pages = append(s.pages, shelf.Page{Path: indexName, Body: s.index(m), Time: s.modTime})
	return s
}

// maxLines is how many rules INDEX.md has of one section.
const maxLines = 1000

// index writes INDEX.md: a line for each rule.
func (s *snapshot) index(m *maker) []byte {
	var b strings.Builder
	b.WriteString("# Rules\n\nWhat users and projects tell agents to do, a file for each. Which of them hold for one\nfile, in order: cat for/ABSOLUTE/PATH, or `ctxfs rules PATH`.\n")
	none := true
	for _, sec := range s.sections {
		if len(sec.rules) == 0 && len(sec.notes) == 0 {
			continue
		}
		none = false
		title := "the user"
		if sec.work.Dir != "" {
			title = m.tilde(sec.work.Dir)
		}
		fmt.Fprintf(&b, "\n## %s: %s%s\n\n", sec.name, title, sec.mark(m))
		for i, r := range sec.rules {
			if i == maxLines {
				fmt.Fprintf(&b, "- and %d more\n", len(sec.rules)-i)
				break
			}
			b.WriteString("- " + r.line() + "\n")
		}
		for _, note := range sec.notes {
			b.WriteString("- note: " + note + "\n")
		}
	}
	switch {
	case !s.complete:
		b.WriteString("\nRules of workspaces are being looked for.\n")
	case none:
		b.WriteString("\nThere are none. Write them into ~/.claude/CLAUDE.md, ~/.codex/AGENTS.md and the like, or\ninto AGENTS.md in a project; a project is known once an agent has worked in it.\n")
	}
	return []byte(b.String())
}

// mark returns the note on a workspace that is not trusted.
func (sec *section) mark(m *maker) string {
	if sec.trusted {
		return ""
	}
	return " (not trusted: ctxfs trust " + wording.ShellWord(m.tilde(sec.work.Dir)) + ")"
}

// line is a rule in INDEX.md: where it is, when it is read, by whom, what it is about.
func (r *rule) line() string {
	line := r.path() + " — " + clean.Line(conditionText(r.condition())) + "; " + r.readers()
	if about := r.first().About(); about != "" {
		line += ": " + about
	}
	if p := problem(r.first()); p != "" {
		line += " [" + p + "]"
	}
	return line
}

// statusOf returns the status. Following reports whether workspaces are about to be looked
// at, if they were not.
func (s *snapshot) statusOf(following bool) fs.Status {
	st := fs.Status{State: "ready"}
	count, workspaces := 0, 0
	for _, sec := range s.sections {
		count += len(sec.rules)
		if sec.work.Dir != "" && len(sec.rules) > 0 {
			workspaces++
		}
		if len(sec.rules) > 0 {
			item := fs.Item{Name: sec.name, Count: len(sec.rules), Unit: "rules"}
			if !sec.trusted {
				item.State, item.About = "untrusted", "not trusted"
			}
			st.Items = append(st.Items, item)
		}
	}
	switch {
	case !s.complete && following:
		st.State = "starting"
	case count == 0:
		st.State = "empty"
	default:
		st.Since = s.modTime
	}
	st.Summary = wording.Count(count, "rules") + " of the user"
	if s.complete {
		st.Summary += " and " + wording.Count(workspaces, "workspaces")
	}
	return st
}
