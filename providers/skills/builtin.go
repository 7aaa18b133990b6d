package skills

import (
	_ "embed"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// builtinName is the name of the skill that explains the mount.
const builtinName = "agentctx"

//go:embed builtin/agentctx/SKILL.md
var builtinSkill string

func builtinText() []byte { return []byte(builtinSkill) }

// newBuiltin is the skill that explains the mount, as old as the program.
func newBuiltin(built time.Time) *skill {
	text := builtinText()
	matter, err := frontmatter.Parse(text)
	return &skill{
		own: builtinName, source: "builtin", file: "SKILL.md",
		card: card{err: err, name: clean.Line(matter.String("name")), description: clean.Line(matter.String("description"))},
		node: fs.NewFolder(built, map[string]fs.Node{"SKILL.md": fs.NewText(built, text)}),
	}
}
