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

// builtinTime is when the text of the built-in skill was last changed: the
// same in every build, so that its modification time is.
var builtinTime = time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)

func newBuiltin() *skill {
	text := builtinText()
	matter, err := frontmatter.Parse(text)
	return &skill{
		own: builtinName, source: "builtin", file: "SKILL.md",
		card: card{err: err, name: clean.Line(matter.String("name")), description: clean.Line(matter.String("description"))},
		node: fs.NewFolder(builtinTime, map[string]fs.Node{"SKILL.md": fs.NewText(builtinTime, text)}),
	}
}
