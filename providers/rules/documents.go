package rules

import (
	"iter"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/rules/scope"
)

// bodyLen is how much of a rule can be found by a search, in bytes.
const bodyLen = 4 << 10

// documents yields a document for every rule.
func (s *snapshot) documents() iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, sec := range s.sections {
			for _, r := range sec.rules {
				f := r.first()
				whose := "of the project"
				if sec.work.Dir == "" {
					whose = "of the user"
				}
				doc := fs.Document{
					Path: r.path(), Title: strings.TrimSuffix(r.name, ".md"), Kind: "rule", Place: sec.work.Dir, Time: f.ModTime,
					Fields: map[string]string{"description": f.About(), "server": sec.name, "details": "coding rules and instructions " + whose + " that agents follow", "body": clean.Prefix(f.Raw, bodyLen)},
				}
				if !r.trusted {
					doc.Fields["description"] = "[not trusted] " + doc.Fields["description"]
				}
				if !yield(doc) {
					return
				}
			}
		}
	}
}

const (
	// maxRemarks is how many rules a page names.
	maxRemarks = 12
	// maxName is how much of the path of a rule is told, in bytes.
	maxName = 100
)

// brief returns the rules of the innermost workspace that has a folder, by name. Of one
// that is not trusted, now, nothing is told that it says itself.
func (s *snapshot) brief(dir string, trusts func(dir string) bool) (remarks []facts.Remark) {
	var best *section
	for _, sec := range s.sections {
		if sec.work.Dir != "" && sec.work.Has(dir) && (best == nil || len(sec.work.Dir) > len(best.work.Dir)) {
			best = sec
		}
	}
	if best == nil {
		return nil
	}
	trusted := trusts(best.work.Dir)
	for _, r := range best.rules {
		if r.condition().Applies == scope.Never || len(remarks) == maxRemarks {
			continue
		}
		name := strings.ReplaceAll(clean.Line(relativeTo(best.work, r.first().Path)), "`", "'")
		text := "`" + clean.Cut(name, maxName) + "`"
		if !trusted {
			text += " (not trusted)"
		} else {
			if c := r.condition(); c.Applies != scope.Always {
				text += " (" + clean.Line(conditionText(c)) + ")"
			}
			if about := r.first().Gist(); about != "" {
				text += ": " + about
			}
		}
		remarks = append(remarks, facts.Remark{Topic: facts.TopicRules, Text: text, Path: r.path(), Time: r.first().ModTime})
	}
	return remarks
}
