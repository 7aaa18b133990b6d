package skills

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// indexLen is the most of a description in the index, in bytes.
const indexLen = 250

func (p *Provider) writePages(next *snapshot) {
	for name, write := range map[string]func(*snapshot) []byte{indexName: p.index, recordName: p.record, needsName: p.needsPage, securityName: p.securityPage} {
		if text := write(next); len(text) > 0 {
			next.pages = append(next.pages, shelf.Page{Path: name, Body: text, Time: next.modTime})
		}
	}
}

// index writes INDEX.md: a line for each skill, then the problems.
func (p *Provider) index(s *snapshot) []byte {
	var b strings.Builder
	b.WriteString("# Skills\n\nEach folder here is a skill. Read its SKILL.md before you do what it is for.\n")
	if slices.ContainsFunc(s.skills, func(sk *skill) bool { return sk.study != nil }) {
		b.WriteString("In brackets: the tokens of its name and description, of its instructions, and of its other files.\n")
	}
	b.WriteByte('\n')
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

// marks returns the notes that follow a skill's description.
func (p *Provider) marks(s *skill) string {
	text := ""
	if !s.trusted {
		text = " (not trusted: ctxfs trust " + wording.ShellWord(p.shownPath(p.dirOf(s))) + ")"
	}
	if s.study == nil {
		return text
	}
	about := ""
	if s.study.Estimated {
		about = "~"
	}
	marks := []string{fmt.Sprintf("%d + %d + %s%d", s.study.Card, s.study.Body, about, s.study.Rest)}
	if missing := p.missing(s); len(missing) > 0 {
		marks = append(marks, "not here: "+clean.Cut(strings.Join(missing, ", "), 80)+", see "+needsName)
	}
	if len(s.study.Suspects) > 0 {
		marks = append(marks, "suspicious, see "+securityName)
	}
	return text + " [" + strings.Join(marks, "; ") + "]"
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
		"name", "kind", "called", "agent", "scope", "plugin", "project", "trusted", "seen_by", "hidden_for", "problems", "suspicious", "not_here",
		"card_tokens", "body_tokens", "rest_tokens", "files", "bytes", "path",
	}, "\t") + "\n")
	for _, sk := range s.skills {
		trusted, project := "yes", ""
		if !sk.trusted {
			trusted = "no"
		}
		if sk.Source.Root != "" {
			project = p.shownPath(sk.Source.Root)
		}
		b.WriteString(strings.Join([]string{
			sk.name, string(sk.Source.Kind), sk.called(), sk.Source.Agent, string(sk.Source.Scope), sk.Source.Plugin, project, trusted,
			strings.Join(sk.readers(), ","), strings.Join(slices.Compact(sk.hidden), ","), fmt.Sprint(len(sk.faults)),
			p.studyCells(sk), p.shownPath(sk.Shown),
		}, "\t") + "\n")
	}
	return b.Bytes()
}

// studyCells returns the cells of what was learned of a skill; empty ones before.
func (p *Provider) studyCells(s *skill) string {
	r := s.study
	if r == nil {
		return strings.Repeat("\t", 6)
	}
	return fmt.Sprintf("%d\t%s\t%d\t%d\t%d\t%d\t%d", len(r.Suspects), strings.Join(p.missing(s), ","), r.Card, r.Body, r.Rest, r.Files, r.Bytes)
}
