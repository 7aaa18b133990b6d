package folders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/catalogue"
)

// node is what the folders and files of a session have in common.
type node struct {
	t *Tree
	s *catalogue.Session
}

// view returns what is known about the session; the error is fs.ErrNotExist if it
// is gone.
func (n node) view() (catalogue.View, error) {
	v, there := n.t.Catalogue.View(n.s)
	if !there {
		return v, fs.ErrNotExist
	}
	return v, nil
}

// Attr implements fs.Node for the folders that change with the session and no more.
func (n node) Attr(context.Context) (fs.Attr, error) {
	v, err := n.view()
	if err != nil {
		return fs.Attr{}, err
	}
	return folderAttr(0, v.ModTime), nil
}

type sessionFolder struct{ node }

func (d sessionFolder) List(context.Context) ([]fs.Entry, error) {
	v, err := d.view()
	if err != nil {
		return nil, err
	}
	entries := []fs.Entry{
		{Name: digestName}, {Name: filesName}, {Name: messagesName}, {Name: metaName},
		dirEntry(resultsName), {Name: TranscriptName},
	}
	if v.Subagents > 0 {
		entries = append(entries, dirEntry(catalogue.Subagents))
	}
	if statusText(&v) != "" {
		entries = append(entries, fs.Entry{Name: statusName})
	}
	slices.SortFunc(entries, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

func (d sessionFolder) Lookup(_ context.Context, name string) (fs.Node, error) {
	v, err := d.view()
	if err != nil {
		return nil, err
	}
	switch name {
	case TranscriptName:
		return growingFile{node: d.node}, nil
	case messagesName:
		return growingFile{node: d.node, messages: true}, nil
	case digestName, filesName, metaName:
		return derivedFile{node: d.node, name: name, version: v.Version()}, nil
	case resultsName:
		return resultsFolder(d), nil
	case BlocksName:
		return blocksFolder(d), nil
	case catalogue.Subagents:
		if v.Subagents > 0 {
			return subagentsFolder(d), nil
		}
	case statusName:
		if text := statusText(&v); text != "" {
			return fs.NewText(v.ModTime, []byte(text)), nil
		}
	}
	return nil, fs.ErrNotExist
}

// statusText returns what STATUS.md says about a session that cannot be read, or
// has nothing to read; "" for all others.
func statusText(v *catalogue.View) string {
	src, p := v.Source, &v.Published
	if src == nil {
		return ""
	}
	var text string
	switch {
	case v.Fault != "":
		text = "state: unreadable\n\n" + v.Fault + "\n"
	case p.Strange:
		text = fmt.Sprintf("state: unreadable\n\nNone of its %s is one of %s's: it is not a log, has an unknown version, or was damaged. Its content is in messages.jsonl.\n", wording.Count(p.Events, "records"), v.Info.Agent)
	case p.Generation == 0 || p.Events > 0 || src.Key != "":
		return ""
	case p.Stat.Size == p.Offset:
		text = "state: empty\n\nNothing was written to it yet.\n"
	default:
		text = fmt.Sprintf("state: empty\n\nIts first line has %d bytes so far and has not ended yet.\n", p.Stat.Size-p.Offset)
	}
	text += "\nIt lies in " + clean.Line(src.Path) + "\n"
	if v.Denied {
		return text + "Make it readable: chmod u+r " + wording.ShellWord(src.Path) + "\n"
	}
	return text + "It is read again when it changes.\n"
}

// subagentsFolder is the folder of the sessions that a session has started.
type subagentsFolder struct{ node }

func (d subagentsFolder) Attr(context.Context) (fs.Attr, error) {
	v, err := d.view()
	if err != nil {
		return fs.Attr{}, err
	}
	if v.Subagents == 0 {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(uint64(v.Subagents), d.t.Catalogue.NewestBelow(d.s)), nil
}

func (d subagentsFolder) Lookup(_ context.Context, name string) (fs.Node, error) {
	if child := d.t.Catalogue.Subagent(d.s, name); child != nil {
		return sessionFolder{node{d.t, child}}, nil
	}
	return nil, fs.ErrNotExist
}

func (d subagentsFolder) List(context.Context) ([]fs.Entry, error) {
	names := d.t.Catalogue.Subagents(d.s)
	entries := make([]fs.Entry, 0, len(names))
	for _, name := range names {
		entries = append(entries, dirEntry(name))
	}
	return entries, nil
}
