package skills

import (
	"strconv"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// patience is how long a project's folder may take to answer.
const patience = 2 * time.Second

// shownPath returns a path as a user writes it, in one line: one with characters that are
// not seen as a word of bash and zsh, $'…'.
func (p *Provider) shownPath(path string) string {
	shown := wording.Tilde(path, p.opts.Home)
	if clean.Line(shown) == shown {
		return shown
	}
	quoted := strconv.Quote(path)
	return "$'" + strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "'", `\'`).Replace(quoted[1:len(quoted)-1]) + "'"
}
