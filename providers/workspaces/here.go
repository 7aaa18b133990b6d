package workspaces

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
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

// facts are what HERE.md is made of.
type facts struct {
	workspace known.Workspace
	home      string
	notes     []notes.Note
	remarks   []fs.Remark
	running   []processes.Process
	look      look
}

// newest returns the time of the newest fact.
func (f *facts) newest() time.Time {
	at := f.workspace.Time
	for _, n := range f.notes {
		at = later(at, n.Time)
	}
	for _, r := range f.remarks {
		at = later(at, r.Time)
	}
	if len(f.look.git.Commits) > 0 {
		at = later(at, f.look.git.Commits[0].Time)
	}
	return at
}

// part is a part of the page: a heading and lines, the most important first.
type part struct {
	title string
	lines []string
	least int // lines that stay as long as the part does
	rank  int // the part of the highest rank is left out first
}

// page returns HERE.md: as many lines of each part as there is room for.
func (f *facts) page() string {
	parts := f.parts()
	for most := 8; ; {
		text := f.text(parts, most)
		if tokens.Count(text) <= maxHere {
			return text
		}
		switch {
		case most > 1:
			most--
		case len(parts) > 0:
			last := 0
			for i, p := range parts {
				if p.rank > parts[last].rank {
					last = i
				}
			}
			parts = slices.Delete(parts, last, last+1)
		default:
			return text
		}
	}
}

func (f *facts) text(parts []part, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", f.workspace.Name, wording.Tilde(f.workspace.Dir, f.home))
	for _, line := range f.gitLines() {
		b.WriteString(line + "\n")
	}
	if !f.look.trusted {
		b.WriteString("not trusted: what its files tell agents is named, not shown; `ctxfs trust` in it changes that\n")
	}
	for _, p := range parts {
		fmt.Fprintf(&b, "\n## %s\n", p.title)
		shown := min(len(p.lines), max(most, p.least))
		for _, line := range p.lines[:shown] {
			b.WriteString("- " + line + "\n")
		}
		if n := len(p.lines) - shown; n > 0 {
			fmt.Fprintf(&b, "- and %d more\n", n)
		}
	}
	b.WriteString(foot)
	return b.String()
}

// foot says where more is.
const foot = "\nBeside this page: git.md, layout.txt, agents.tsv, processes.tsv, system.json, notes/. What holds for a file: ctxfs rules FILE. What was said: ctxfs find \"words\" --in transcripts\n"

// parts returns what there is to say, in the order of the page.
func (f *facts) parts() (all []part) {
	for _, t := range []struct {
		topic       fs.Topic
		title       string
		least, rank int
	}{
		{fs.TopicNotes, "Notes for you (take one: ctxfs note --take NAME)", 1, 1},
		{fs.TopicBuild, "Build and test", 2, 2},
		{fs.TopicFailing, "Failing", 1, 3},
		{fs.TopicTasks, "Open tasks", 1, 4},
		{fs.TopicSessions, "Sessions", 1, 6},
		{fs.TopicRunning, "Running", 1, 7},
		{fs.TopicRules, "Rules", 1, 5},
	} {
		p := part{title: t.title, least: t.least, rank: t.rank}
		switch t.topic {
		case fs.TopicNotes:
			p.lines = f.noteLines()
		case fs.TopicBuild:
			p.lines = f.buildLines()
		case fs.TopicRunning:
			p.lines = f.serverLines()
		}
		for _, r := range f.about(t.topic) {
			line := clean.Cut(clean.Line(r.Text), maxRemark)
			if r.Path != "" {
				line += " — " + path.Join("../..", r.Path)
			}
			if !slices.Contains(p.lines, line) {
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
func (f *facts) about(topic fs.Topic) (some []fs.Remark) {
	for _, r := range f.remarks {
		if r.Topic == topic {
			some = append(some, r)
		}
	}
	slices.SortStableFunc(some, func(a, b fs.Remark) int { return b.Time.Compare(a.Time) })
	return some
}

// noteLines returns a line for each note: quoted, since others have written it. Of a
// project that is not trusted only the names are told: whoever wrote the note may have
// read there what to write.
func (f *facts) noteLines() (lines []string) {
	for _, n := range f.notes {
		if !f.look.trusted {
			lines = append(lines, fmt.Sprintf("%s, %s by %s (not trusted): read it in notes/", n.Name, wording.Minute(n.Time), n.Author))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, %s by %s: %q", n.Name, wording.Minute(n.Time), n.Author, clean.Cut(clean.Line(n.Text), maxRemark)))
	}
	return lines
}

// buildLines returns the commands by which the project is built and tested, one for each
// purpose first.
func (f *facts) buildLines() (lines []string) {
	var others []string
	seen := make(map[build.Purpose]bool)
	for _, c := range f.look.build.Commands {
		if seen[c.Purpose] {
			others = append(others, c.String())
			continue
		}
		seen[c.Purpose] = true
		lines = append(lines, c.String())
	}
	return append(lines, others...)
}
