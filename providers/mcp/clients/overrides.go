package clients

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// overrides finds ctxfs's own entries that concern a server of another file. They
// name it as the file does or, if no server has exactly that name, by its folder
// or in another letter case.
type overrides struct {
	exact   map[string]*Entry
	folders map[*Entry][]*Entry // by the server that they concern
	shared  map[*Entry][]*Entry // by the same, if their name is exactly that of another server
}

func newOverrides(own, found []*Entry) overrides {
	e := overrides{
		exact: make(map[string]*Entry, len(own)), folders: make(map[*Entry][]*Entry), shared: make(map[*Entry][]*Entry),
	}
	called := make(map[string]bool, len(found))
	for _, d := range found {
		called[d.Name] = true
	}
	for _, o := range own {
		e.exact[o.Name] = o
	}
	var folders map[*Entry]string
	for _, o := range own {
		if o.override == nil && !o.Disabled {
			continue // it makes a server of its own
		}
		name := names.Fold(o.Name)
		if folders == nil && strings.Contains(name, "~") { // else the name alone decides
			folders = foldersOf(own, found)
		}
		for _, d := range found {
			if d.Name == o.Name || name != folders[d] && name != names.Fold(d.Name) && name != names.Fold(names.File(d.Name)) {
				continue
			}
			if called[o.Name] {
				e.shared[d] = append(e.shared[d], o)
			} else {
				e.folders[d] = append(e.folders[d], o)
			}
		}
	}
	return e
}

// foldersOf returns the folded names of the servers' folders, without ctxfs's own
// entries that only change others.
func foldersOf(own, found []*Entry) map[*Entry]string {
	var servers, others []*Entry
	from := make(map[string]*Entry, len(found))
	for _, o := range own {
		if o.override == nil && !o.Disabled {
			servers = append(servers, o.clone())
		}
	}
	for _, e := range found {
		others = append(others, e.clone())
		from[e.Identity()] = e
	}
	dry := new(Discovery)
	dry.add(servers, others)
	folders := make(map[*Entry]string, len(found))
	for i, file := range FolderNames(dry.Servers) {
		if e := from[dry.Servers[i].Identity()]; e != nil {
			folders[e] = names.Fold(file)
		}
	}
	return folders
}

// of returns the entries that concern a server.
func (e overrides) of(d *Entry) []*Entry {
	if o := e.exact[d.Name]; o != nil {
		return []*Entry{o}
	}
	return e.folders[d]
}

// changing returns the entries that change keys of a server.
func (e overrides) changing(d *Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(e.of(d)), func(o *Entry) bool { return o.override == nil })
}

// limiting returns the entries whose name is exactly that of another server, but
// whose allow_tools and deny_tools limit this one too: it is unknown which of the
// two is meant, and what is denied must not be called.
func (e overrides) limiting(d *Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(e.shared[d]), func(o *Entry) bool { return o.override == nil })
}

// replacing returns the entry that replaces or disables a server, or nil.
func (e overrides) replacing(d *Entry) *Entry {
	for _, o := range e.of(d) {
		if o.override == nil {
			return o
		}
	}
	return nil
}
