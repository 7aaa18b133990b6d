package workspaces

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/build"
	"ctxfs/providers/workspaces/notes"
	"ctxfs/providers/workspaces/processes"
)

const (
	// maxHere is the most tokens of HERE.md.
	maxHere = 500
	// maxRemark is the longest line about one thing, in bytes.
	maxRemark = 240
)

// herePage is what HERE.md is made of.
type herePage struct {
	workspace known.Workspace
	home      string
	notes     []notes.Note
	remarks   []facts.Remark
	running   []processes.Process
	look      look
}

// newest returns the time of the newest fact.
func (f *herePage) newest() time.Time {
	at := f.workspace.Time
	for _, n := range f.notes {
		at = wording.Later(at, n.Time)
	}
	for _, r := range f.remarks {
		at = wording.Later(at, r.Time)
	}
	if len(f.look.git.Commits) > 0 {
		at = wording.Later(at, f.look.git.Commits[0].Time)
	}
	return at
}

// part is a part of the page: a heading and lines, the most important first.
type part struct {
	title string
	lines []string
	least int // lines that stand before further ones of any part
	rank  int // the part of the lowest rank gets its lines first
	shown int // lines that there is room for
}

// mostLines is how many lines a part has.
const mostLines = 8

// page returns HERE.md: as many lines of each part as there is room for. Each part has
// one, then its least, then further ones, in the order of their ranks.
func (f *herePage) page() string {
	parts := f.parts()
	byRank := slices.Clone(parts)
	slices.SortFunc(byRank, func(a, b *part) int { return cmp.Compare(a.rank, b.rank) })
	page := f.text(parts)
	grow := func(p *part, limit int) {
		if p.shown >= min(limit, len(p.lines)) {
			return
		}
		p.shown++
		if longer := f.text(parts); tokens.Count(longer) <= maxHere {
			page = longer
		} else {
			p.shown--
		}
	}
	for _, p := range byRank {
		grow(p, 1)
	}
	for n := 2; n <= mostLines; n++ {
		for _, p := range byRank {
			grow(p, min(n, p.least))
		}
	}
	for n := 2; n <= mostLines; n++ {
		for _, p := range byRank {
			grow(p, n)
		}
	}
	return page
}

// text returns the page with so many lines of each part as are to be shown.
func (f *herePage) text(parts []*part) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", f.workspace.Name, wording.Tilde(f.workspace.Dir, f.home))
	for _, line := range f.gitLines() {
		b.WriteString(line + "\n")
	}
	if !f.look.trusted {
		b.WriteString(notTrusted)
	}
	for _, p := range parts {
		if p.shown == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", p.title)
		for _, line := range p.lines[:p.shown] {
			b.WriteString("- " + line + "\n")
		}
		if n := len(p.lines) - p.shown; n > 0 {
			fmt.Fprintf(&b, "- and %d more\n", n)
		}
	}
	b.WriteString(foot)
	return b.String()
}

// foot says where more is.
const foot = "\nBeside this page: git.md, layout.txt, agents.tsv, changes.tsv, processes.tsv, system.json, notes/. What holds for a file: ctxfs rules FILE. What was said: ctxfs find \"words\" --in transcripts\n"

// topicEnvironment is the topic on which only system.json has something to say.
const topicEnvironment facts.Topic = "environment"

// parts returns what there is to say, in the order of the page.
func (f *herePage) parts() (all []*part) {
	for _, t := range []struct {
		topic       facts.Topic
		title       string
		least, rank int
	}{
		{facts.TopicNotes, "Notes for you (take one: ctxfs note --take NAME)", 2, 1},
		{facts.TopicBuild, "Build and test", 5, 2},
		{topicEnvironment, "Environment (whole: system.json)", 2, 4},
		{facts.TopicFailing, "Failing", 2, 3},
		{facts.TopicTasks, "Open tasks (whole: ../../plans/)", 2, 4},
		{facts.TopicSessions, "Sessions", 2, 7},
		{facts.TopicRunning, "Running", 2, 8},
		{facts.TopicMemory, "Remembered", 2, 5},
		{facts.TopicRules, "Rules", 3, 6},
		{facts.TopicSkills, "Skills", 1, 9},
	} {
		p := &part{title: t.title, least: t.least, rank: t.rank}
		switch t.topic {
		case facts.TopicNotes:
			p.lines = f.noteLines()
		case facts.TopicBuild:
			p.lines = f.buildLines()
		case topicEnvironment:
			p.lines = f.look.system.lacks
		case facts.TopicRunning:
			p.lines = f.serverLines()
		}
		for _, r := range f.about(t.topic) {
			line := clean.Cut(clean.Line(r.Text), maxRemark)
			if r.Path != "" && t.topic != facts.TopicRules && t.topic != facts.TopicTasks { // rules lie in the project itself
				line += " — " + path.Join("../..", r.Path)
			}
			if !slices.Contains(p.lines, line) && !f.isTold(r) {
				p.lines = append(p.lines, line)
			}
		}
		if len(p.lines) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// about returns the remarks on a topic: those of each provider in its order, the newest
// first where they have times.
func (f *herePage) about(topic facts.Topic) (some []facts.Remark) {
	for _, r := range f.remarks {
		if r.Topic == topic {
			some = append(some, r)
		}
	}
	slices.SortStableFunc(some, func(a, b facts.Remark) int { return b.Time.Compare(a.Time) })
	return some
}

// notTrusted is the line of a page that says no more than names of what a project tells
// agents.
const notTrusted = "not trusted: what its files tell agents is named, not shown; `ctxfs trust` in it changes that\n"

// noteLines returns a line for each note: quoted, since others have written it. Of a
// project that is not trusted only the number of notes is shown: their author may have
// copied them from the project, and a note's name is made of its words.
func (f *herePage) noteLines() (lines []string) {
	if n := len(f.notes); n > 0 && !f.look.trusted {
		last := slices.MaxFunc(f.notes, func(a, b notes.Note) int { return a.Time.Compare(b.Time) })
		return []string{fmt.Sprintf("%s in notes/, the last one %s by %s (not trusted)", wording.Count(n, "notes"), wording.Minute(last.Time), last.Author)}
	}
	for _, n := range f.notes {
		lines = append(lines, fmt.Sprintf("%s, %s by %s: %q", n.Name, wording.Minute(n.Time), n.Author, clean.Cut(clean.Line(n.Text), maxRemark)))
	}
	return lines
}

// buildLines returns the commands by which the project is built and tested: one for each
// purpose, what worked lately, then the others.
func (f *herePage) buildLines() (lines []string) {
	var others []string
	seen := make(map[build.Purpose]bool)
	for _, c := range newcomer(f.look.build) {
		if !f.look.trusted {
			c.Comment = "" // a text that was written for readers
		}
		line := c.String()
		for _, r := range f.about(facts.TopicBuild) {
			if worked, ok := strings.CutPrefix(r.Text, "`"+c.Line+"` "); ok && c.Dir == "" {
				line += ", " + worked
			}
		}
		if seen[c.Purpose] {
			others = append(others, line)
			continue
		}
		seen[c.Purpose] = true
		lines = append(lines, line)
	}
	for _, r := range f.about(facts.TopicBuild) {
		if line := clean.Cut(clean.Line(r.Text), maxRemark); !f.isTold(r) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return append(lines, others...)
}

// newcomer returns commands in the order in which a newcomer needs them to a project
// that is installed already.
func newcomer(all []build.Command) []build.Command {
	order := []build.Purpose{build.Test, build.Build, build.Lint, build.Run, build.Install}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b build.Command) int {
		return cmp.Compare(slices.Index(order, a.Purpose), slices.Index(order, b.Purpose))
	})
	return all
}

// isTold reports whether another line says what a remark does: that of the command that
// has worked, or that of the server which a terminal runs.
func (f *herePage) isTold(r facts.Remark) bool {
	switch r.Topic {
	case facts.TopicBuild:
		return slices.ContainsFunc(f.look.build, func(c build.Command) bool {
			return c.Dir == "" && strings.HasPrefix(r.Text, "`"+c.Line+"` ")
		})
	case facts.TopicRunning:
		return slices.ContainsFunc(f.running, func(one processes.Process) bool {
			return one.Terminal != "" && len(one.Listens) > 0 && strings.Contains(r.Text, " in terminal "+one.Terminal+" ")
		})
	}
	return false
}
