package skills

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// indexLen is the most of a description in the index, in bytes.
const indexLen = 250

// writePages writes the pages of a snapshot.
func (p *Provider) writePages(next, old *snapshot) {
	p.setPage(next, old, indexName, p.index(next))
	p.setPage(next, old, recordName, p.record(next))
}

// index writes INDEX.md: a line for each skill, then the problems.
func (p *Provider) index(s *snapshot) []byte {
	var b strings.Builder
	b.WriteString("# Skills\n\nEach folder here is a skill. Read its SKILL.md before you do what it is for.\n\n")
	for _, sk := range s.skills {
		b.WriteString(sk.name + " — ")
		if about := sk.about(); about == "" {
			b.WriteString("(no description, see Problems)")
		} else {
			b.WriteString(clean.Cut(about, indexLen))
		}
		b.WriteString(p.marks(sk) + "\n")
	}
	if len(s.skills) == 1 && s.skills[0].isBuiltin() {
		b.WriteString("\nThere is only the built-in skill. To add one, make a folder with a SKILL.md in one of:\n\n")
		for _, src := range p.own {
			if src.Kind == read.Skill && src.Scope == locate.User {
				b.WriteString("- " + p.shownPath(src.Dir) + "\n")
			}
		}
	}
	if len(s.faults) > 0 {
		b.WriteString("\n## Problems\n\n")
		for _, f := range s.faults {
			b.WriteString("- " + f.Sentence() + "; fix: " + f.Fix + "\n")
		}
	}
	return []byte(b.String())
}

// marks returns what is said of a skill after its description.
func (p *Provider) marks(s *skill) string {
	var all []string
	if !s.trusted {
		all = append(all, "not trusted: ctxfs trust "+wording.ShellWord(p.shownPath(p.dirOf(s))))
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, "; ") + ")"
}

// dirOf returns the folder of the project that has a skill.
func (p *Provider) dirOf(s *skill) string {
	for _, pr := range p.projects {
		if slices.Contains(pr.Folders(), s.Source.Root) {
			return pr.Dir
		}
	}
	return s.Source.Root
}

// record writes INDEX.tsv: where each skill comes from, who sees it, and what it costs.
func (p *Provider) record(s *snapshot) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join([]string{
		"name", "kind", "called", "agent", "scope", "plugin", "project", "trusted", "seen_by", "hidden_for", "problems", "path",
	}, "\t") + "\n")
	for _, sk := range s.skills {
		seen := make([]string, 0, len(sk.Source.Readers))
		for _, r := range sk.Source.Readers {
			seen = append(seen, r.Agent)
		}
		called, trusted, project := sk.Card.Name, "yes", ""
		if !sk.Is(read.Skill) || called == "" {
			called = clean.Line(sk.Found.Name)
		}
		if !sk.trusted {
			trusted = "no"
		}
		if sk.Source.Root != "" {
			project = p.shownPath(sk.Source.Root)
		}
		path := p.shownPath(sk.Shown)
		if sk.isBuiltin() {
			path = ""
		}
		b.WriteString(strings.Join([]string{
			sk.name, string(sk.Source.Kind), called, sk.Source.Agent, string(sk.Source.Scope), sk.Source.Plugin, project, trusted,
			strings.Join(slices.Compact(seen), ","), strings.Join(slices.Compact(sk.hidden), ","), fmt.Sprint(len(sk.faults)), path,
		}, "\t") + "\n")
	}
	return b.Bytes()
}
