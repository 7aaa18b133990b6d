package skills

import (
	"iter"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// bodyLen is how much of a skill's instructions can be found, in bytes.
const bodyLen = 4 << 10

// documents yields one for every SKILL.md, by name. The instructions are read
// as they are asked for.
func documents(skills []*skill) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range skills {
			if s.file == "" {
				continue
			}
			head := builtinText()
			if s.path != "" {
				head, _, _ = readHead(s.target, frontmatter.MaxBytes+bodyLen)
			}
			// Without front matter all of it is body.
			matter, _ := frontmatter.Parse(head)
			doc := fs.Document{
				Path: filepath.Join(s.name, filepath.Base(s.file)), Title: s.name,
				Fields: map[string]string{
					"name": s.card.name, "description": s.card.description,
					"body": clean.Text(clean.Prefix(string(head[matter.Body:]), bodyLen)),
				},
			}
			if !yield(doc) {
				return
			}
		}
	}
}
