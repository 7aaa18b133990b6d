package skills

import (
	"strings"

	"ctxfs/providers/internal/clean"
)

// indexLen is the length in bytes of a description in the index.
const indexLen = 250

// renderIndex writes INDEX.md: a line for each skill, then what is wrong.
func (p *Provider) renderIndex(skills []*skill, faults []fault) []byte {
	var b strings.Builder
	b.WriteString("# Skills\n\nEach folder here is a skill. Read its SKILL.md before you do what it is for.\n\n")
	for _, s := range skills {
		b.WriteString(s.name + " — ")
		if s.card.description == "" {
			b.WriteString("(no description, see Problems)\n")
		} else {
			b.WriteString(clean.Cut(s.card.description, indexLen) + "\n")
		}
	}
	if len(skills) == 1 && skills[0].source == p.builtin.source {
		b.WriteString("\nOnly the built-in skill is here. A skill of yours is a folder with a SKILL.md in one of:\n\n")
		for _, src := range p.sources {
			b.WriteString("- " + shown(p.opts.Home, src.dir) + "\n")
		}
	}
	if len(faults) > 0 {
		b.WriteString("\n## Problems\n\n")
		for _, f := range faults {
			b.WriteString("- " + f.sentence() + "; to mend: " + f.mend + "\n")
		}
	}
	return []byte(b.String())
}
