package plans

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/shelf"
)

// The pages in the root.
const (
	indexName = "INDEX.md"
	openName  = "OPEN.md"
)

// snapshot is all that is shown at one moment. It is immutable once it is published.
type snapshot struct {
	projects []*project
	notes    []string // about what could not be read
	left     int      // how many plans are not shown
	pages    []shelf.Page
	modTime  time.Time
	complete bool // everything was looked at, and all sessions were read
}

type maker struct {
	provider *Provider
	sessions map[string]facts.Part[facts.Plan] // by agent and id
	entries  []*entry
	projects []*project
	notes    []string
	left     int
}

func (m *maker) tilde(path string) string {
	return clean.Line(wording.Tilde(path, m.provider.opts.Home))
}

// snapshot returns what was collected. Complete reports whether everything was looked at.
func (m *maker) snapshot(complete bool) *snapshot {
	m.group()
	s := &snapshot{projects: m.projects, left: m.left, complete: complete}
	for _, p := range s.projects {
		p.open = openTasks(p.entries)
		for _, t := range p.open {
			if t.entry.open == nil {
				t.entry.open = make(map[string]bool)
			}
			t.entry.open[t.Text] = true
		}
		for _, e := range p.entries {
			e.text = m.card(e)
			s.pages = append(s.pages, shelf.Page{Path: e.place(), Body: e.text, Time: e.time})
			s.modTime = wording.Later(s.modTime, e.time)
		}
	}
	slices.SortFunc(s.projects, func(a, b *project) int {
		return cmp.Or(b.entries[0].time.Compare(a.entries[0].time), strings.Compare(a.name, b.name))
	})
	slices.Sort(m.notes)
	s.notes = slices.Compact(m.notes)
	s.modTime = cmp.Or(s.modTime, m.provider.opts.Env.Built)
	s.pages = append(s.pages, shelf.Page{Path: indexName, Body: s.index(m), Time: s.modTime}, shelf.Page{Path: openName, Body: s.open(m), Time: s.modTime})
	return s
}

const (
	// maxOpen is how many open tasks OPEN.md has of one project, and maxOpenAll of all;
	// maxLines is how many plans INDEX.md has of one project.
	maxOpen    = 100
	maxOpenAll = 1000
	maxLines   = 200
)

// open writes OPEN.md: the open tasks of each project.
func (s *snapshot) open(m *maker) []byte {
	var b strings.Builder
	b.WriteString("# Open tasks\n\nWhat is on the lists of agents and not done, over all sessions, the newest first. A task\nthat a later session has done is not here. Lists and plans whole: INDEX.md; of one\nproject: `ctxfs plans --in DIR`.\n")
	listed, left, in := 0, 0, 0
	for _, p := range s.projects {
		if len(p.open) == 0 {
			continue
		}
		if listed >= maxOpenAll {
			left, in = left+len(p.open), in+1
			continue
		}
		fmt.Fprintf(&b, "\n## %s: %s\n\n", p.title(m), wording.Count(len(p.open), "open tasks"))
		n := min(len(p.open), maxOpen, maxOpenAll-listed)
		for _, t := range p.open[:n] {
			b.WriteString("- " + t.line() + "\n")
		}
		listed += n
		if n < len(p.open) {
			fmt.Fprintf(&b, "- and %d older ones: ctxfs plans --in %s\n", len(p.open)-n, wording.ShellWord(m.tilde(p.root)))
		}
	}
	switch {
	case left > 0:
		fmt.Fprintf(&b, "\n%s in %s are left out: ctxfs plans --in DIR.\n", wording.Count(left, "open tasks"), wording.Count(in, "other projects"))
	case listed == 0 && s.complete:
		b.WriteString("\nThere are none.\n")
	}
	s.foot(&b)
	return []byte(b.String())
}

// title returns how a page names a project.
func (p *project) title(m *maker) string {
	if p.root == "" {
		return p.name + ": of no known project"
	}
	return p.name + ": " + m.tilde(p.root)
}

// line is an open task as one line: what, of whom, and where the list is.
func (t openTask) line() string {
	line := box(t.Task) + " " + t.Text + " — " + t.entry.agent
	if !t.entry.time.IsZero() {
		line += ", " + wording.Minute(t.entry.time)
	}
	line += " — " + t.entry.place()
	if !t.entry.trusted {
		line += " (not trusted)"
	}
	return line
}

// foot says what is missing.
func (s *snapshot) foot(b *strings.Builder) {
	for _, note := range s.notes[:min(len(s.notes), maxNotes)] {
		b.WriteString("\nnote: " + note + "\n")
	}
	if n := len(s.notes) - maxNotes; n > 0 {
		fmt.Fprintf(b, "\nand %s that cannot be read\n", wording.Count(n, "other files"))
	}
	if !s.complete {
		b.WriteString("\nSessions are being read.\n")
	}
}

// maxNotes is how many files that cannot be read are named.
const maxNotes = 10

// index writes INDEX.md: a line for each plan and list.
func (s *snapshot) index(m *maker) []byte {
	var b strings.Builder
	b.WriteString("# Plans\n\nThe lists of tasks of agents, and plans that they proposed, a file for each, the newest\nfirst. What is still to be done: OPEN.md.\n")
	if slices.ContainsFunc(s.projects, func(p *project) bool { return strings.Contains(p.name, "~") }) {
		b.WriteString("\nA name that ends in ~2, ~3 and so on is of another project that is called the same: its\nfolder is in the heading.\n")
	}
	for _, p := range s.projects {
		fmt.Fprintf(&b, "\n## %s\n\n", p.title(m))
		for i, e := range p.entries {
			if i == maxLines {
				fmt.Fprintf(&b, "- and %d older ones: ls plans/%s\n", len(p.entries)-i, p.name)
				break
			}
			b.WriteString("- " + e.line() + "\n")
		}
	}
	if s.left > 0 {
		fmt.Fprintf(&b, "\n%s are older than these and left out; they are in their transcripts.\n", wording.Count(s.left, "plans"))
	}
	if len(s.projects) == 0 && s.complete {
		b.WriteString("\nThere are none: agents make them with TodoWrite, update_plan and the like, and in their\nplan modes.\n")
	}
	s.foot(&b)
	return []byte(b.String())
}

// line is an entry in INDEX.md: where it is, what became of it, what it is about.
func (e *entry) line() string {
	line := e.place() + " — " + e.state()
	if !e.time.IsZero() {
		line += ", " + wording.Minute(e.time)
	}
	if !e.trusted {
		return line + " (not trusted)"
	}
	return line + ": " + clean.Cut(clean.Line(e.title), 120)
}

// state returns how far an entry is, in a few words.
func (e *entry) state() string {
	open, all := 0, 0
	for _, t := range e.plan.Tasks {
		if !t.Dropped {
			all++
		}
		if t.IsOpen() {
			open++
		}
	}
	text := "plan " + string(e.plan.State)
	if e.plan.Kind == facts.TaskList {
		text = "tasks"
	}
	switch {
	case all == 0 && len(e.plan.Tasks) > 0:
		return text + ", none on the list any more"
	case all == 0:
		return text
	case open == 0:
		return fmt.Sprintf("%s, all %d done", text, all)
	}
	return fmt.Sprintf("%s, %d of %d open", text, open, all)
}

// statusOf returns the status. Following reports whether everything is about to be looked
// at, if it was not.
func (s *snapshot) statusOf(following bool) fs.Status {
	st := fs.Status{State: "ready", Since: s.modTime}
	plans, open := 0, 0
	for _, p := range s.projects {
		plans += len(p.entries)
		open += len(p.open)
	}
	switch {
	case !s.complete && following:
		st.State, st.Since = "starting", time.Time{}
	case plans == 0:
		st.State, st.Since = "empty", time.Time{}
	}
	st.Summary = wording.Count(open, "open tasks") + ", " + wording.Count(plans, "lists and plans")
	return st
}

// bodyLen is how much of a plan can be found by a search, in bytes.
const bodyLen = 4 << 10

// documents yields a document for every plan and list.
func (s *snapshot) documents() iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, p := range s.projects {
			for _, e := range p.entries {
				_, body, _ := bytes.Cut(e.text, []byte("\n---\n"))
				about := e.state()
				if !e.trusted {
					about = "[not trusted] " + about
				}
				doc := fs.Document{
					Path: e.place(), Title: clean.Line(e.title), Kind: "plan", Place: p.root, Time: e.time,
					Fields: map[string]string{"name": clean.Line(e.title), "description": about, "body": clean.Prefix(string(body), bodyLen)},
				}
				if !yield(doc) {
					return
				}
			}
		}
	}
}

const (
	// taskAge is how old a list may be whose tasks a page tells, and maxRemarks how many
	// it is told.
	taskAge    = 7 * 24 * time.Hour
	maxRemarks = 8
)

// brief returns the open tasks of lists at and below a folder, or of the project that has
// it. Of files of a project that is not trusted, now, nothing is told but that they are
// there.
func (s *snapshot) brief(dir string, now time.Time, trusts func(dir string) bool) (remarks []facts.Remark) {
	told := make(map[*entry]bool)
	for _, p := range s.projects {
		for _, t := range p.open {
			e := t.entry
			if len(remarks) == maxRemarks || e.dir == "" || !fs.Within(e.dir, dir) && !fs.Within(p.root, dir) || now.Sub(e.time) >= taskAge {
				continue
			}
			about := e.agent + ", " + wording.Minute(e.time)
			if !e.trusted || e.within != "" && !trusts(e.within) {
				if !told[e] {
					told[e] = true
					remarks = append(remarks, facts.Remark{Topic: facts.TopicTasks, Time: e.time, Path: e.place(), Text: "a list in the project (" + about + ", not trusted)"})
				}
				continue
			}
			if t.State == facts.TaskBegun {
				about = "begun, " + about
			}
			remarks = append(remarks, facts.Remark{Topic: facts.TopicTasks, Time: e.time, Path: e.place(), Text: fmt.Sprintf("%s (%s)", clean.Cut(t.Text, 100), about)})
		}
	}
	return remarks
}
