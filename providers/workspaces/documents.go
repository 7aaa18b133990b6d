package workspaces

import (
	"fmt"
	"iter"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// findable is a page of a workspace beside HERE.md, and what it is found by.
type findable struct {
	name, about string
	body        bool // its text can be found, too
}

func findables() []findable {
	return []findable{
		{gitName, "Git state of %s: branch, upstream, uncommitted changes, last commits, stashes, worktrees", true},
		{processesName, "What was started in %s and still runs: processes, servers, ports, pids", true},
		{agentsName, "Which agents and sessions work in %s now, and on which file", true},
		{layoutName, "Layout of %s: its folders and files as a tree", false},
		{systemName, "System of %s: shell, package managers, interpreters and versions, installed dependencies", false},
	}
}

// maxFound is how much of a page can be found, in bytes.
const maxFound = 4 << 10

// Documents implements fs.Documented: the workspaces with their pages, and the notes. Notes
// of a project that is not trusted are marked.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		p.mu.Lock()
		places := p.newestFirst()
		p.mu.Unlock()
		for _, w := range places {
			for _, d := range w.documents() {
				if !yield(d) {
					return
				}
			}
		}
	}
}

func (w *place) documents() []fs.Document {
	is := w.workspace()
	name := filepath.Base(is.Dir)
	mark := ""
	if !w.p.opts.Trusts(is.Dir) {
		mark = "[not trusted] "
	}
	w.showing.Lock()
	defer w.showing.Unlock()
	all := []fs.Document{{
		Path: is.Name + "/" + hereName, Title: is.Name, Kind: "workspace", Time: is.Time, Place: is.Dir,
		Fields: map[string]string{"name": is.Name, "description": "Where " + name + " stands: state, tasks, commands.", "body": w.shown[hereName]},
	}}
	for _, f := range findables() {
		body, ok := w.shown[f.name]
		if !ok {
			continue
		}
		d := fs.Document{
			Path: is.Name + "/" + f.name, Title: is.Name + " " + f.name, Kind: "page", Time: w.edited[f.name], Place: is.Dir,
			Fields: map[string]string{"description": clean.Line(fmt.Sprintf(f.about, name))},
		}
		if f.body {
			d.Fields["body"] = clean.Prefix(body, maxFound)
		}
		all = append(all, d)
	}
	for _, n := range w.box.All() {
		all = append(all, fs.Document{
			Path: is.Name + "/" + notesName + "/" + n.Name, Title: n.Name, Kind: "note", Time: n.Time, Place: is.Dir,
			Fields: map[string]string{"description": mark + clean.Line(n.Text)},
		})
	}
	return all
}
