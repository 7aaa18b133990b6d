package workspaces

import (
	"cmp"
	"context"
	"fmt"
	"path"
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
	"ctxfs/providers/workspaces/notes"
)

const (
	// mostTold is how many changed files are told one by one.
	mostTold = 3
	// mostNamed is how many are named where there are more.
	mostNamed = 8
)

// opening returns the page that a session in a workspace begins with. A folder that is no
// workspace yet becomes one, and a page that was not asked for before is made, as by
// `ctxfs here`; what takes longer than ctx lasts is there at the next moment.
func (p *Provider) opening(ctx context.Context, m facts.Moment) []facts.News {
	w := p.visited(ctx, m.Dir)
	if w == nil {
		return nil
	}
	text := w.made(ctx)
	if text == "" {
		return nil
	}
	where := m.Path("workspaces/" + w.workspace().Name + "/" + hereName)
	return []facts.News{{
		Kind: facts.NewsStart, Key: where + "\x00" + text, Rank: facts.Orienting,
		Text: "This is " + clean.Line(where) + ", from where its relative paths lead:\n" + text,
	}}
}

// notMade is the page of a workspace that was not looked at yet.
const notMade = "This page was not made yet."

// made returns what HERE.md says, "" if it was not made yet.
func (w *place) made(ctx context.Context) string {
	node, err := w.folder.Lookup(ctx, hereName)
	if err != nil {
		return ""
	}
	page, ok := node.(*fs.Text)
	if !ok {
		return ""
	}
	attr, err := page.Attr(ctx)
	if err != nil {
		return ""
	}
	body := make([]byte, attr.Size)
	n, _ := page.ReadAt(ctx, body, 0)
	text := strings.TrimSpace(string(body[:n]))
	if strings.Contains(text, notMade) {
		return ""
	}
	return text
}

// visited returns the place of a folder, with its page; where ctx ends before, the place
// that is known by then, or nil. What was started continues.
func (p *Provider) visited(ctx context.Context, dir string) *place {
	if filepath.IsAbs(dir) {
		if w, ok := inTurn(ctx, p, &p.visits, dir, func() *place { return p.visit(dir) }); ok {
			return w
		}
	}
	return p.placeOf(dir)
}

// visit returns the place of a folder, as `ctxfs here` in it makes it, or nil.
func (p *Provider) visit(dir string) *place {
	if p.opts.Hides(dir) {
		return nil
	}
	at, err := fs.Probe(p.prober, dir, func() (fs.Standpoint, error) {
		real, err := filepath.EvalSymlinks(dir)
		return fs.StandpointAt(real), err
	})
	if err != nil {
		return nil
	}
	w, err := p.standing(at)
	if err != nil {
		return nil
	}
	if w.made(p.ctx) == "" {
		p.lookAtProcesses(processesFresh)
		w.survey(p.ctx)
	}
	return w
}

// behind returns what has happened in the workspace of a session without it: the files
// that it saw and that others have changed, and the notes that others have left.
func (p *Provider) behind(ctx context.Context, m facts.Moment) []facts.News {
	w := p.placeOf(m.Dir)
	if w == nil || !p.answers(w.workspace().Dir) {
		return nil
	}
	return append(p.newNotes(w, m), p.changedBehind(ctx, w, m)...)
}

// newNotes returns the notes that were left since the session's last turn. Of a project
// that is not trusted it is only told that there is one, as on the page.
func (p *Provider) newNotes(w *place, m facts.Moment) (news []facts.News) {
	if m.Turn.IsZero() {
		return nil // those that there were before stand on the page
	}
	trusted := p.opts.Trusts(w.workspace().Dir)
	for _, n := range w.box.All() {
		if n.Time.Before(m.Turn.Truncate(time.Second)) || n.Author.Session != "" && n.Author.Session == m.Session {
			continue
		}
		news = append(news, facts.News{
			Kind: facts.NewsNotes, Key: n.Name + "@" + n.Time.Format(time.RFC3339Nano), Rank: facts.Behind, Text: noteText(w.workspace(), n, m, trusted),
		})
	}
	return news
}

func noteText(w known.Workspace, n notes.Note, m facts.Moment, trusted bool) string {
	file := clean.Line(m.Path(path.Join("workspaces", w.Name, notesName, n.Name)))
	if !trusted {
		return fmt.Sprintf("A note was left here %s by %s (not trusted).", wording.Minute(n.Time), n.Author)
	}
	return fmt.Sprintf("A note was left here %s by %s, not by your user: %q (%s; take it: `ctxfs note --take %s`)",
		wording.Minute(n.Time), n.Author, clean.Cut(clean.Line(n.Text), maxRemark), file, wording.ShellWord(n.Name))
}

// changedBehind returns the files that have changed since the session last saw them, and
// not by its tools; of what changed while a command of the session ran, it says that.
func (p *Provider) changedBehind(ctx context.Context, w *place, m facts.Moment) (news []facts.News) {
	if m.Session == "" {
		return nil
	}
	var changed []changes.Change
	for _, s := range p.readsIn(ctx, m.Session, w.workspace().Folders()) {
		if ctx.Err() != nil {
			break
		}
		if p.opts.Hides(s.File) || p.edits.asLeft(m.Session, s.File) {
			continue
		}
		c, compared := changes.Compare(s, lastSeen(m))
		if compared && c.Outdated() && (m.Told == nil || !m.Told(facts.NewsChanges, changeKey(c))) {
			changed = append(changed, c)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.SortFunc(changed, func(a, b changes.Change) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
	})
	how := fmt.Sprintf("`ctxfs stale --diff --session %s`", wording.ShellWord(m.Session))
	if m.Root != "" {
		how = clean.Line(m.Path(path.Join("workspaces", w.workspace().Name, changesFolder, m.Session+diffSuffix)))
	}
	name := func(c changes.Change) string {
		file := c.Path
		if rel, err := filepath.Rel(m.Dir, c.Path); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		file = "`" + strings.ReplaceAll(clean.Line(file), "`", "'") + "`"
		if c.State == changes.Deleted {
			return file + " was deleted"
		}
		return file + " changed " + wording.Time(c.Modified)
	}
	const own = "while a command of this session ran"
	if len(changed) <= mostTold {
		for _, c := range changed {
			by := "and not by it"
			if p.edits.maybeOwn(m.Session, c) {
				by = "maybe " + own
			}
			news = append(news, facts.News{
				Kind: facts.NewsChanges, Key: changeKey(c), Rank: facts.Behind,
				Text: name(c) + " after this session saw it, " + by + ": " + how,
			})
		}
		return news
	}
	var named, keys []string
	by := "and not by it"
	for i, c := range changed {
		keys = append(keys, changeKey(c))
		if p.edits.maybeOwn(m.Session, c) {
			by = "some of them maybe " + own
		}
		if i < mostNamed {
			named = append(named, name(c))
		}
	}
	rest := ""
	if n := len(changed) - len(named); n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	return []facts.News{{
		Kind: facts.NewsChanges, Key: strings.Join(keys, "\x00"), Covers: keys, Rank: facts.Behind,
		Text: "Files changed after this session saw them, " + by + ": " + strings.Join(named, ", ") + rest + "; how: " + how,
	}}
}

func changeKey(c changes.Change) string {
	return c.Path + "@" + c.Modified.Format(time.RFC3339Nano) + string(c.State)
}

// readsIn returns what a session last saw of files, and of all files in folders; nothing
// when ctx ends before its log is read.
func (p *Provider) readsIn(ctx context.Context, session string, paths []string) []facts.Read {
	all, _ := inTurn(ctx, p, &p.edits.reading, session, func() (all []facts.Read) {
		ctx, cancel := context.WithTimeout(p.ctx, readTime)
		defer cancel()
		for _, path := range paths {
			seen, err := p.opts.Reads(ctx, session, path)
			if err != nil {
				break
			}
			all = append(all, seen...)
		}
		return all
	})
	return all
}

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource.
func (p *Provider) News(ctx context.Context, m facts.Moment) []facts.News {
	switch m.Kind {
	case facts.SessionStarts, facts.Compacted:
		return p.opening(ctx, m)
	case facts.Prompted:
		return p.behind(ctx, m)
	case facts.BeforeTool:
		p.edits.begin(m)
		return p.outdated(ctx, m)
	case facts.AfterTool:
		p.edits.note(m)
		p.edits.end(m)
	}
	return nil
}
