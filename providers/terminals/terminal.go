package terminals

import (
	"context"
	"maps"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/terminals/record"
)

// lastName, failedName and commandsName are the entries of a terminal's folder
// that are not files on disk.
const (
	lastName     = "last.txt"
	failedName   = "failed.txt"
	commandsName = "commands"
)

// terminal is one terminal and its nodes. Each new state of it is a new
// terminal with the same folders.
type terminal struct {
	state   *atomic.Pointer[record.Terminal]
	records *record.Records
	parts   map[int]*part
	passed  map[string]fs.Node // by name
	folder  liveFolder
	named   map[string]fs.Node // the parts, by their names in the root
}

// loadTerminal reads a terminal's folder. Old is its previous state, or nil.
func loadTerminal(dir string, old *terminal) (*terminal, error) {
	state, err := record.LoadState(dir)
	if err != nil {
		return nil, err
	}
	if old != nil && !old.state.Load().Started.Equal(state.Started) {
		old = nil // another one with the same ID
	}
	t := &terminal{parts: make(map[int]*part), passed: make(map[string]fs.Node), named: make(map[string]fs.Node)}
	if old == nil {
		t.state, t.records, t.folder = new(atomic.Pointer[record.Terminal]), state.Journal(), liveFolder{new(fs.Folder)}
	} else {
		t.state, t.records, t.folder = old.state, old.records, old.folder
	}
	more, anew, err := t.records.Next()
	if err != nil {
		return nil, err
	}
	if before := t.state.Load(); before != nil && !anew {
		state.Records = before.Records
	}
	state.Add(more)
	t.findParts(state, old)
	nodes := t.nodes(state, old)
	t.state.Store(state)
	modTime := wording.Later(state.Started, state.Changed)
	if a, err := t.folder.Attr(context.Background()); err == nil && !modTime.After(a.ModTime) {
		modTime = a.ModTime.Add(1) // it moves with every change
	}
	t.folder.Replace(modTime, nodes)
	return t, nil
}

// findParts creates the nodes of the parts.
func (t *terminal) findParts(state *record.Terminal, old *terminal) {
	for i, p := range state.Parts {
		n := (*part)(nil)
		if old != nil {
			n = old.parts[p.Number]
		}
		if n == nil || n.length != state.HeaderLen {
			n = newPart(state.Path(p.Number), state.HeaderLen)
		}
		t.parts[p.Number] = n
		t.named[partName(state.ID, len(state.Parts)-1-i)] = n
	}
}

// partName returns the name in the root of a part that has newer ones after it.
func partName(id string, newer int) string {
	if newer > 0 {
		id += "." + strconv.Itoa(newer)
	}
	return id + ".txt"
}

// shownPart returns the name in the root of a part's file, or "".
func (t *terminal) shownPart(name string) string {
	state := t.state.Load()
	for i, p := range state.Parts {
		if filepath.Base(state.Path(p.Number)) == name {
			return partName(state.ID, len(state.Parts)-1-i)
		}
	}
	return ""
}

func (t *terminal) has(name string) bool { return t.passed[name] != nil }

// nodes returns the entries of the terminal's folder.
func (t *terminal) nodes(state *record.Terminal, old *terminal) map[string]fs.Node {
	for _, name := range []string{record.ScreenFile, record.RecordsFile, record.ReplayFile} {
		var n fs.Node
		if old != nil {
			n = old.passed[name]
		}
		if n == nil {
			n = passed(state.Dir, name)
		}
		if n == nil {
			continue
		}
		if _, err := n.Attr(context.Background()); err == nil {
			t.passed[name] = n
		}
	}
	nodes := maps.Clone(t.passed)
	if len(state.Records) == 0 {
		return nodes
	}
	nodes[commandsName] = &commands{state: t.state.Load}
	for i := len(state.Records) - 1; i >= 0 && (nodes[lastName] == nil || nodes[failedName] == nil); i-- {
		c := &state.Records[i]
		if nodes[lastName] != nil && !c.Failed() {
			continue
		}
		o, err := newOutput(state, c)
		if err != nil {
			break // it was deleted, and all before it too
		}
		if nodes[lastName] == nil {
			nodes[lastName] = o
		}
		if c.Failed() {
			nodes[failedName] = o
		}
	}
	return nodes
}
