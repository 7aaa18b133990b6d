// Package check finds what is wrong with files of rules: what is too long, too vague to
// be followed, contradictory in when it holds, or refers to what is not there.
package check

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/rules/read"
	"ctxfs/providers/rules/scope"
)

// Kind is what is wrong.
type Kind string

// The kinds of findings.
const (
	Broken  Kind = "broken"  // it cannot be read as its agent reads it
	Long    Kind = "long"    // models do not follow that much
	Vague   Kind = "vague"   // no one can tell whether it was followed
	Globs   Kind = "globs"   // it holds at other times than it seems to
	Missing Kind = "missing" // it refers to what is not there
)

// Finding is a fault in a file of rules.
type Finding struct {
	File string `json:"file"`
	// Line is where, from 1; 0 if it concerns the whole file.
	Line int    `json:"line,omitempty"`
	Kind Kind   `json:"kind"`
	What string `json:"what"`
	// Fix is what to do.
	Fix string `json:"fix"`
}

// Project is where the rules are.
type Project struct {
	// Root is its folder, without symbolic links.
	Root string
	// Exists reports whether there is something at an absolute path.
	Exists func(path string) bool
	// Files are the paths of its files with slashes, relative to Root; nil if they are
	// too many to be known.
	Files []string
}

const (
	// maxLines is how many lines a rule should have at most: "under 500 lines"
	// (cursor.com/docs/context/rules); Claude Code asks for less than 200.
	maxLines = 500
	// maxWindsurf is how many characters of a file Windsurf reads
	// (docs.windsurf.com/windsurf/cascade/memories).
	maxWindsurf = 12_000
	// maxFindings is how many findings of one kind one file has; the rest is counted.
	maxFindings = 20
)

// Rule returns the findings in one file, which is at all these places.
func (p Project) Rule(places []scope.Place) []Finding {
	c := &checker{project: p, file: places[0].File}
	c.broken()
	if c.file.Err != nil {
		return c.found
	}
	c.long(places)
	c.globs(places)
	c.imports()
	c.text()
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return c.found
}

// checker checks one file.
type checker struct {
	project Project
	file    *read.File
	found   []Finding
	counts  map[Kind]int
	first   int // the line of the file before the first one of its text
}

func (c *checker) add(line int, kind Kind, fix, what string, args ...any) {
	if c.counts == nil {
		c.counts = make(map[Kind]int)
	}
	if c.counts[kind]++; c.counts[kind] > maxFindings {
		return
	}
	c.found = append(c.found, Finding{
		File: clean.Line(c.file.Path), Line: line, Kind: kind,
		What: clean.Cut(clean.Line(fmt.Sprintf(what, args...)), 300), Fix: clean.Cut(clean.Line(fix), 300),
	})
}

// broken finds what cannot be read.
func (c *checker) broken() {
	f := c.file
	switch {
	case errors.Is(f.Err, iofs.ErrPermission):
		c.add(0, Broken, "chmod u+r "+wording.ShellWord(f.Path), "it cannot be read: permission denied")
	case f.IsMissing():
		c.add(0, Missing, "link it again, or remove it", "it is a link to nothing")
	case f.Err != nil:
		c.add(0, Broken, "put the text itself there", "agents of other people cannot read it: it %v", wording.Cause(f.Err))
	case f.MatterErr != nil:
		c.add(1, Broken, "correct the lines between the two lines ---", "%v", f.MatterErr)
	case f.IsEmpty():
		c.add(0, Vague, "write what is to be done, or remove it", "it has no text")
	}
	for _, w := range f.Warnings {
		if filepath.Ext(f.Path) != ".mdc" { // Cursor itself writes globs without quotes
			c.add(1, Broken, "put quotes around the value: strict agents drop the rule, or read it always", "%s", w)
		}
	}
}

// long finds what is too long to be followed, or to be read.
func (c *checker) long(places []scope.Place) {
	switch f := c.file; {
	case f.Lines > maxLines:
		c.add(maxLines+1, Long, "split it by topic, with globs, or move details to files that it names", "it has %d lines; models follow less than %d", f.Lines, maxLines)
	case f.Size > read.MaxBytes:
		c.add(0, Long, "split it by topic, with globs, or move details to files that it names", "it has %s", wording.Size(f.Size))
	}
	for _, p := range places {
		limit := cmp.Or(p.Settings.MaxBytes, scope.CodexBytes)
		if p.Agent == "codex" && p.Level == scope.Project && c.file.Size > limit {
			c.add(0, Long, "split it, or raise project_doc_max_bytes in ~/.codex/config.toml", "it has %s; Codex reads %s", wording.Size(c.file.Size), wording.Size(limit))
		}
	}
	if n := utf8.RuneCountInString(c.file.Raw); n > maxWindsurf && slices.ContainsFunc(places, func(p scope.Place) bool { return p.Agent == "windsurf" && strings.Contains(p.Pattern, "rules/") }) {
		c.add(0, Long, "split it", "it has %d characters; Windsurf reads %d", n, maxWindsurf)
	}
}

// imports finds imports that fail.
func (c *checker) imports() {
	for _, i := range c.file.Imports {
		line := 0
		where := " of " + wording.Tilde(i.From, c.project.Root)
		if i.From == c.file.Path {
			line, where = c.bodyLine()+i.Line, ""
		} else if rel, err := filepath.Rel(c.project.Root, i.From); err == nil {
			where = " of " + rel
		}
		switch {
		case i.Err == nil:
		case errors.Is(i.Err, iofs.ErrNotExist):
			c.add(line, Missing, "correct the path, or write it in backticks if it is no import", "the import @%s%s is not there", i.Name, where)
		default:
			c.add(line, Broken, "import a text file of the project, once", "the import @%s%s is not read: it %v", i.Name, where, wording.Cause(i.Err))
		}
	}
}

// bodyLine returns the number of the line before the text of the file.
func (c *checker) bodyLine() int {
	if c.first == 0 {
		c.first = c.file.Lines - strings.Count(strings.TrimSuffix(c.file.Raw, "\n"), "\n") - 1
	}
	return max(c.first, 0)
}
