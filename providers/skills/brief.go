package skills

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/skills/read"
)

// maxRemarks is how many skills a page names.
const maxRemarks = 12

// brief returns the skills of the innermost workspace that has a folder, by name. Of a
// project that is not trusted nothing is told that it says itself.
func (s *snapshot) brief(dir string, trusts func(dir string) bool) (remarks []facts.Remark) {
	var best project
	for _, pr := range s.projects {
		if pr.Has(dir) && len(pr.Dir) > len(best.Dir) {
			best = pr
		}
	}
	if best.Dir == "" {
		return nil
	}
	untrusted, trusted := 0, trusts(best.Dir) // now, whatever it was
	for _, sk := range s.skills {
		switch {
		case !slices.Contains(best.Folders(), sk.Source.Root):
		case !sk.trusted, !trusted:
			untrusted++
		case len(remarks) < maxRemarks:
			text := "`" + strings.ReplaceAll(sk.name, "`", "'") + "`"
			if about := clean.Sentence(sk.about(), aboutLen); about != "" {
				text += ": " + about
			}
			remarks = append(remarks, facts.Remark{Topic: facts.TopicSkills, Text: text, Path: filepath.Join(sk.name, read.SkillFiles()[0]), Time: sk.Card.ModTime()})
		}
	}
	if untrusted > 0 {
		text := wording.Count(untrusted, "skills") + " of this project, which is not trusted (ctxfs trust)"
		remarks = append(remarks, facts.Remark{Topic: facts.TopicSkills, Text: text, Path: indexName})
	}
	return remarks
}
