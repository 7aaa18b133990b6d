package workspaces

import (
	"cmp"
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/changes"
)

const (
	changesName   = "changes.tsv"
	changesFolder = "changes"
	diffSuffix    = ".diff"

	// changesAge is how old a change may be to be listed.
	changesAge = 7 * 24 * time.Hour
	// maxDiffs is how much of the differences of a session is shown, in bytes.
	maxDiffs = 256 << 10
)

// changesPage returns changes.tsv of a workspace. It looks at files there.
func (p *Provider) changesPage(w known.Workspace, l *look) string {
	var all []changes.Line
	for _, dir := range w.Folders() {
		o := changes.Options{Dir: dir, Since: p.opts.Env.Now().Add(-changesAge)}
		o.Edits = p.opts.Edits(dir, o.Since)
		state, err := l.git, l.gitErr
		for _, one := range l.worktrees {
			if one.dir == dir {
				state, err = one.git, one.err
			}
		}
		o.Walk = err != nil
		for _, c := range state.Uncommitted.Paths {
			o.Uncommitted = append(o.Uncommitted, changes.Uncommitted{
				Path: c.Path, Created: c.Code == "??" || strings.HasPrefix(c.Code, "A"), Deleted: strings.Contains(c.Code, "D"),
			})
		}
		lines := changes.List(o)
		if dir != w.Dir {
			for i := range lines {
				lines[i].Path = filepath.Join(dir, lines[i].Path)
			}
		}
		all = append(all, lines...)
	}
	slices.SortStableFunc(all, func(a, b changes.Line) int { return b.Time.Compare(a.Time) })
	return changes.TSV(all)
}

// diffs is the folder changes of a workspace: for a session, what has changed since it
// last saw each file. It lists only what explains it.
type diffs struct{ w *place }

var _ fs.Computed = (*diffs)(nil)

// Computed implements fs.Computed: a lookup reads a session's log and files on disk.
func (d *diffs) Computed() {}

// Attr implements fs.Node. The folder is live: what is in it changes without notice.
func (d *diffs) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := d.w.folder.Attr(ctx)
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: a.ModTime, Live: true}, err
}

// List implements fs.Dir.
func (d *diffs) List(context.Context) ([]fs.Entry, error) { return []fs.Entry{{Name: readmeName}}, nil }

const (
	readmeName   = "README.md"
	changesIntro = `# What has changed since a session saw it

<session-id>.diff in this folder, which is not listed, is made when it is read: what has
changed in each file of this workspace since that session last read or wrote it. The ids
are in ../changes.tsv and ../agents.tsv; the beginning of one is enough. ` + "`ctxfs stale --diff`" + `
prints the same for the session in which it is run.
`
)

// Lookup implements fs.Dir.
func (d *diffs) Lookup(ctx context.Context, name string) (fs.Node, error) {
	a, err := d.w.folder.Attr(ctx)
	if err != nil {
		return nil, err
	}
	if name == readmeName {
		return fs.NewText(d.w.p.opts.Env.Built, []byte(changesIntro)), nil
	}
	id, ok := strings.CutSuffix(name, diffSuffix)
	if !ok || id == "" {
		return nil, fs.ErrNotExist
	}
	text, err := d.diff(ctx, id)
	if err != nil {
		return nil, err
	}
	return fs.NewText(a.ModTime, []byte(text)), nil
}

// diff returns what has changed in the workspace since a session saw it.
func (d *diffs) diff(ctx context.Context, session string) (string, error) {
	is := d.w.workspace()
	if !d.w.p.answers(is.Dir) {
		return "", fs.ErrNoAnswer
	}
	var b strings.Builder
	compared, left := 0, 0
	for _, dir := range is.Folders() {
		seen, err := d.w.p.opts.Reads(ctx, session, dir)
		if err != nil {
			return "", err
		}
		slices.SortFunc(seen, func(a, b facts.Read) int { return cmp.Compare(a.File, b.File) })
		for _, s := range seen {
			if err := ctx.Err(); err != nil {
				return "", err
			}
			if d.w.p.opts.Hides(s.File) {
				continue
			}
			inside := d.w.p.leadsInside(s.File, dir)
			if !inside {
				s.Parts = nil // what is outside is not shown here, only that it has changed
			}
			c, ok := changes.Compare(s, is.Time)
			if !ok {
				continue
			}
			if !inside && c.ByTime {
				c.Why = "a link leads out of the workspace"
			}
			compared++
			switch {
			case c.State == changes.Same:
			case b.Len() > maxDiffs:
				left++
			default:
				b.WriteString(changes.Text([]changes.Change{c}, func(path string) string {
					if rel, err := filepath.Rel(is.Dir, path); err == nil && filepath.IsLocal(rel) {
						return rel
					}
					return path
				}))
			}
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %s: ctxfs stale --session %s\n", wording.Count(left, "more changed files"), wording.ShellWord(clean.Line(session)))
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "nothing changed: %s as the session %s last saw them\n", wording.Count(compared, "files"), clean.Line(session))
	}
	return b.String(), nil
}

// leadsInside reports whether a path in a folder leads to something in it, through all
// links.
func (p *Provider) leadsInside(path, dir string) bool {
	real, err := fs.DiskOptions{Hide: p.opts.Hide}.Resolve(path)
	return err == nil && fs.Within(real, dir)
}
