package transcripts

import (
	"context"
	"fmt"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// sessionDir is the folder of a session.
type sessionDir struct {
	p *Provider
	s *session
}

// there tells whether the session is still in the catalogue. The caller holds
// its lock.
func (c *catalogue) there(s *session) bool { return c.byID[sessionKey{s.agent, s.id}] == s }

func (d sessionDir) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(d.s) {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(0, d.s.modTime()), nil
}

func (d sessionDir) List(context.Context) ([]fs.Entry, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(d.s) {
		return nil, fs.ErrNotExist
	}
	entries := []fs.Entry{
		{Name: digestName}, {Name: filesName}, {Name: messagesName}, {Name: metaName},
		dirEntry(resultsName), {Name: transcriptName},
	}
	if len(d.s.children) > 0 {
		entries = append(entries, dirEntry(subagentsName))
	}
	if c.statusText(d.s) != "" {
		entries = append(entries, fs.Entry{Name: statusName})
	}
	sortEntries(entries)
	return entries, nil
}

func (d sessionDir) Lookup(_ context.Context, name string) (fs.Node, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(d.s) {
		return nil, fs.ErrNotExist
	}
	switch name {
	case transcriptName:
		return transcriptFile(d), nil
	case messagesName:
		return messagesFile(d), nil
	case digestName, filesName, metaName:
		return derivedFile{p: d.p, s: d.s, name: name, version: d.s.version()}, nil
	case resultsName:
		return resultsDir(d), nil
	case blocksName:
		return blocksDir(d), nil
	case subagentsName:
		if len(d.s.children) > 0 {
			return subagentsDir(d), nil
		}
	case statusName:
		if text := c.statusText(d.s); text != "" {
			return fs.NewText(d.s.modTime(), []byte(text)), nil
		}
	}
	return nil, fs.ErrNotExist
}

// statusText is what STATUS.md says of a session that cannot be read, or has
// nothing to read; "" for all others. The caller holds the lock.
func (c *catalogue) statusText(s *session) string {
	src := s.source()
	if src == nil {
		return ""
	}
	fault, denied := s.shown.Fault, s.shown.Denied
	if f := c.files[src.path]; fault == "" && f != nil && s.shown.Generation == 0 {
		fault, denied = f.fault, f.denied // nobody has tried to read all of it
	}
	var text string
	switch {
	case fault != "":
		text = "state: unreadable\n\n" + fault + "\n"
	case s.shown.Strange:
		text = fmt.Sprintf("state: unreadable\n\nNone of its %s is one of %s's: it is no log, of a version that is not known, or was damaged. What it holds stands in messages.jsonl.\n", wording.Count(s.shown.Events, "records"), s.agent)
	case s.shown.Generation == 0 || s.shown.Events > 0 || src.key != "":
		return ""
	case s.shown.Stat.Size == s.shown.Offset:
		text = "state: empty\n\nNothing was written to it yet.\n"
	default:
		text = fmt.Sprintf("state: empty\n\nIts first line has %d bytes so far and has not ended yet.\n", s.shown.Stat.Size-s.shown.Offset)
	}
	text += "\nIt lies in " + clean.Line(src.path) + "\n"
	if denied {
		return text + "Make it readable: chmod u+r " + wording.ShellWord(src.path) + "\n"
	}
	return text + "It is read again when it changes.\n"
}

// subagentsDir are the sessions that a session has started.
type subagentsDir struct {
	p *Provider
	s *session
}

func (d subagentsDir) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(d.s) || len(d.s.children) == 0 {
		return fs.Attr{}, fs.ErrNotExist
	}
	t := d.s.modTime()
	for _, child := range d.s.children {
		if m := child.modTime(); m.After(t) {
			t = m
		}
	}
	return folderAttr(uint64(len(d.s.children)), t), nil
}

func (d subagentsDir) Lookup(_ context.Context, name string) (fs.Node, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, child := range d.s.children {
		if child.name == name {
			return sessionDir{d.p, child}, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (d subagentsDir) List(context.Context) ([]fs.Entry, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	entries := make([]fs.Entry, 0, len(d.s.children))
	for _, child := range d.s.children {
		entries = append(entries, dirEntry(child.name))
	}
	sortEntries(entries)
	return slices.Compact(entries), nil
}
