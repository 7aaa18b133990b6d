package transcripts

import (
	"context"
	"slices"
	"strings"

	"ctxfs/fs"
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
	if d.s.shown.Fault != "" {
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
		if d.s.shown.Fault != "" {
			return fs.NewText(d.s.modTime(), []byte(d.s.faultText())), nil
		}
	}
	return nil, fs.ErrNotExist
}

// faultText is what STATUS.md says of a session that cannot be read. The caller
// holds the lock.
func (s *session) faultText() string {
	var b strings.Builder
	b.WriteString("state: unreadable\n\n" + s.shown.Fault + "\n")
	if src := s.source(); src != nil {
		b.WriteString("\nIt lies in " + src.path + "\n")
		if s.shown.Denied {
			b.WriteString("Make it readable: chmod u+r " + quote(src.path) + "\n")
		} else {
			b.WriteString("It is read again when it changes.\n")
		}
	}
	return b.String()
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
