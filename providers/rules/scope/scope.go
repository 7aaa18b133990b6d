// Package scope knows which rules hold for a file, and in which order, for each agent as
// its makers document it.
//
// A [Place] is a file that one agent reads as rules. [Place.Condition] says when it does:
// always, for files that match globs, if the model thinks so, or if the user names it.
// [Holding] returns which of the places of one agent hold for a path. How each agent
// differs from the others is the table in tools.go, each with its source.
//
// Nothing here touches a disk.
package scope

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/rules/read"
)

// Level is where a file of rules comes from.
type Level int

// The levels, in the order in which nearly all agents read them.
const (
	System  Level = iota // of the machine
	User                 // of the user
	Above                // of a folder above the project
	Project              // of the project's root, or of a folder below it
)

// String returns "system", "user" or "project"; folders above a project count as it.
func (l Level) String() string {
	switch l {
	case System:
		return "system"
	case User:
		return "user"
	}
	return "project"
}

// Place is a file that one agent reads as rules.
type Place struct {
	Agent string // its id
	Level Level
	// Dir is the folder for whose content the file is: the project's root or one above
	// or below it; "" for files of the system and the user.
	Dir string
	// Pattern is that by which it was found, as package agents writes it, and Kind its
	// index among those of the agent.
	Pattern string
	Kind    int
	// Name is its path with slashes below Dir; for files of the system and the user,
	// below the folder that their pattern names.
	Name string
	// Below reports whether it is in a folder below the project's root.
	Below bool
	// Named reports whether the agent's settings name it, so that it is read besides
	// what the agent reads by itself.
	Named bool
	// Out is why its settings leave it out, as a clause; "" if they do not.
	Out string
	// Settings are those of the agent, the same for all of its places.
	Settings Settings
	File     *read.File
}

// Settings are what users set about how an agent reads its rules; the zero value is what
// it does by itself.
type Settings struct {
	// MaxBytes is how many bytes of a project's files are read; 0 is the usual number.
	MaxBytes int64
}

// Applies is when an agent reads a rule.
type Applies string

// The conditions.
const (
	Always Applies = "always"
	Glob   Applies = "glob"   // if a file matches
	Model  Applies = "model"  // if the model decides so, by the rule's description
	Manual Applies = "manual" // if the user names it
	Never  Applies = "never"  // as it is, never
)

// Condition is when an agent reads a rule for a file in the folder that the rule is for.
type Condition struct {
	Applies Applies
	// Globs are those of Glob, relative to the folder that the rule is for or, for
	// rules of the user, to the project. One that begins with "!" excludes.
	Globs []string
	// When is a clause about what else must be so: `in the mode "code"`.
	When string
}

// Condition returns when the agent reads the rule.
func (p Place) Condition() Condition {
	if p.Out != "" {
		return Condition{Applies: Never, When: p.Out}
	}
	if t := toolOf(p.Agent); t.condition != nil {
		return t.condition(p)
	}
	return Condition{Applies: Always}
}

// Shown returns the condition for readers who do not know which folder the rule is for:
// its globs are relative to the root, and a rule for a folder below that has one.
func (p Place) Shown(root string) Condition {
	c := p.Condition()
	rel, err := filepath.Rel(root, p.Dir)
	if p.Dir == "" || p.Level != Project || err != nil || rel == "." || !filepath.IsLocal(rel) {
		return c
	}
	rel = filepath.ToSlash(rel) + "/"
	switch c.Applies {
	case Always:
		c.Applies, c.Globs = Glob, []string{rel + "**"}
	case Glob:
		globs := make([]string, len(c.Globs))
		for i, g := range c.Globs {
			bare, excluded := strings.CutPrefix(g, "!")
			if globs[i] = rel + strings.TrimPrefix(bare, "/"); excluded {
				globs[i] = "!" + globs[i]
			}
		}
		c.Globs = globs
	}
	return c
}

// Read returns which places of one agent it reads at all when it works on a path, in its
// order: of some files it takes only the first that there is. Places for other folders may
// be among those that are given.
func Read(places []Place, path string) []Place {
	if len(places) == 0 {
		return nil
	}
	t := toolOf(places[0].Agent)
	var near []Place
	for _, p := range places {
		if (p.Dir == "" || fs.Within(path, p.Dir)) && p.File.Err == nil && !p.File.IsEmpty() && p.Out == "" {
			near = append(near, p)
		}
	}
	slices.SortStableFunc(near, t.compare)
	seen := make(map[string]bool) // ~/.claude is above a project, too
	near = slices.DeleteFunc(near, func(p Place) bool {
		double := seen[p.File.Path]
		seen[p.File.Path] = true
		return double
	})
	if t.choose != nil {
		near = t.choose(near)
	}
	return near
}

// Chooses reports whether an agent leaves out some of its files because there are others.
func Chooses(agent string) bool { return toolOf(agent).choose != nil }

// Holding returns which places of one agent hold for a path, in the order in which the
// agent reads them, and which may hold besides: those with the conditions [Model] and
// [Manual]. The path and the root of its project are absolute; the path need not exist.
func Holding(places []Place, root, path string) (hold, may []Place) {
	if len(places) == 0 {
		return nil, nil
	}
	t := toolOf(places[0].Agent)
	for _, p := range Read(places, path) {
		switch c := p.Condition(); c.Applies {
		case Always:
			hold = append(hold, p)
		case Glob:
			if p.covers(c, t, root, path) {
				hold = append(hold, p)
			}
		case Model, Manual:
			may = append(may, p)
		}
	}
	if max := places[0].Settings.MaxBytes; max > 0 {
		t.limit = max
	}
	return t.limited(hold), may
}

// Covers reports whether a rule with the condition [Glob] holds for a path in the project
// at root.
func (p Place) Covers(root, path string) bool {
	return (p.Dir == "" || fs.Within(path, p.Dir)) && p.covers(p.Condition(), toolOf(p.Agent), root, path)
}

// covers reports whether the globs of a rule match a path. Those of a rule for a folder
// below the root may be written from either of them: documentation is silent.
func (p Place) covers(c Condition, t tool, root, path string) bool {
	for _, base := range []string{cmp.Or(p.Dir, root), root} {
		rel, err := filepath.Rel(base, path)
		if err == nil && filepath.IsLocal(rel) && t.globs.matches(c.Globs, filepath.ToSlash(rel)) {
			return true
		}
	}
	return false
}

// compare orders places as the tool reads them.
func (t tool) compare(a, b Place) int {
	return cmp.Or(
		cmp.Compare(t.phaseOf(a), t.phaseOf(b)),
		cmp.Compare(t.rank(a.Level), t.rank(b.Level)),
		cmp.Compare(len(a.Dir), len(b.Dir)), // all are on one path
		cmp.Compare(a.Kind, b.Kind),
		strings.Compare(a.Name, b.Name),
	)
}

func (t tool) phaseOf(p Place) int {
	if t.phase == nil {
		return 0
	}
	return t.phase(p)
}

func (t tool) rank(l Level) int {
	if t.userLast && l <= User {
		return int(Project) + 1
	}
	return int(l)
}

// limited leaves out what a tool does not read because what comes before is too long.
func (t tool) limited(hold []Place) []Place {
	if t.limit == 0 {
		return hold
	}
	var length int64
	return slices.DeleteFunc(hold, func(p Place) bool {
		if p.Level != Project {
			return false
		}
		full := length >= t.limit
		length += p.File.Size
		return full
	})
}
