package mcp

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// ownEntries finds the entries of ctxfs's own that are about a server of another
// file. They name it as the file does or, where no server is called just that,
// by its folder or in another letter case.
type ownEntries struct {
	exact   map[string]*definition
	folders map[*definition][]*definition // by what they are about
	shared  map[*definition][]*definition // those that have another server's exact name
}

func newOwnEntries(own, found []*definition) ownEntries {
	e := ownEntries{
		exact: make(map[string]*definition, len(own)), folders: make(map[*definition][]*definition), shared: make(map[*definition][]*definition),
	}
	called := make(map[string]bool, len(found))
	for _, d := range found {
		called[d.name] = true
	}
	for _, o := range own {
		e.exact[o.name] = o
	}
	var folders map[*definition]string
	for _, o := range own {
		if o.change == nil && !o.disabled {
			continue // it is a server of its own
		}
		name := names.Fold(o.name)
		if folders == nil && strings.Contains(name, "~") { // else it is told by the name alone
			folders = foldersOf(own, found)
		}
		for _, d := range found {
			if d.name == o.name || name != folders[d] && name != names.Fold(d.name) && name != names.Fold(names.File(d.name)) {
				continue
			}
			if called[o.name] {
				e.shared[d] = append(e.shared[d], o)
			} else {
				e.folders[d] = append(e.folders[d], o)
			}
		}
	}
	return e
}

// foldersOf are the names of folders, folded, that servers have where the
// entries of ctxfs's own that only change others are left out.
func foldersOf(own, found []*definition) map[*definition]string {
	var servers, others []*definition
	from := make(map[string]*definition, len(found))
	for _, o := range own {
		if o.change == nil && !o.disabled {
			servers = append(servers, o.clone())
		}
	}
	for _, d := range found {
		others = append(others, d.clone())
		from[d.identity()] = d
	}
	dry := new(discovery)
	dry.merge(servers, others)
	folders := make(map[*definition]string, len(found))
	for i, file := range fileNames(dry.defs) {
		if d := from[dry.defs[i].identity()]; d != nil {
			folders[d] = names.Fold(file)
		}
	}
	return folders
}

// of are the entries about a server.
func (e ownEntries) of(d *definition) []*definition {
	if o := e.exact[d.name]; o != nil {
		return []*definition{o}
	}
	return e.folders[d]
}

// changing are the entries that change keys of a server.
func (e ownEntries) changing(d *definition) []*definition {
	return slices.DeleteFunc(slices.Clone(e.of(d)), func(o *definition) bool { return o.change == nil })
}

// limiting are the entries whose allow_tools and deny_tools hold for a server
// too, although their name is first of all another's: which of the two was meant
// is not known, and what is denied is to be denied.
func (e ownEntries) limiting(d *definition) []*definition {
	return slices.DeleteFunc(slices.Clone(e.shared[d]), func(o *definition) bool { return o.change == nil })
}

// replacing is the entry that takes the place of a server or disables it, or nil.
func (e ownEntries) replacing(d *definition) *definition {
	for _, o := range e.of(d) {
		if o.change == nil {
			return o
		}
	}
	return nil
}
