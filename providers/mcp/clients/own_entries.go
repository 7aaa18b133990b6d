package clients

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// ownEntries finds the entries of ctxfs's own that are about a server of another
// file. They name it as the file does or, where no server is called just that,
// by its folder or in another letter case.
type ownEntries struct {
	exact   map[string]*Entry
	folders map[*Entry][]*Entry // by what they are about
	shared  map[*Entry][]*Entry // those that have another server's exact name
}

func newOwnEntries(own, found []*Entry) ownEntries {
	e := ownEntries{
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
		if o.change == nil && !o.Disabled {
			continue // it is a server of its own
		}
		name := names.Fold(o.Name)
		if folders == nil && strings.Contains(name, "~") { // else it is told by the name alone
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

// foldersOf are the names of folders, folded, that servers have where the
// entries of ctxfs's own that only change others are left out.
func foldersOf(own, found []*Entry) map[*Entry]string {
	var servers, others []*Entry
	from := make(map[string]*Entry, len(found))
	for _, o := range own {
		if o.change == nil && !o.Disabled {
			servers = append(servers, o.clone())
		}
	}
	for _, d := range found {
		others = append(others, d.clone())
		from[d.Identity()] = d
	}
	dry := new(Discovery)
	dry.merge(servers, others)
	folders := make(map[*Entry]string, len(found))
	for i, file := range FolderNames(dry.Servers) {
		if d := from[dry.Servers[i].Identity()]; d != nil {
			folders[d] = names.Fold(file)
		}
	}
	return folders
}

// of are the entries about a server.
func (e ownEntries) of(d *Entry) []*Entry {
	if o := e.exact[d.Name]; o != nil {
		return []*Entry{o}
	}
	return e.folders[d]
}

// changing are the entries that change keys of a server.
func (e ownEntries) changing(d *Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(e.of(d)), func(o *Entry) bool { return o.change == nil })
}

// limiting are the entries whose allow_tools and deny_tools hold for a server
// too, although their name is first of all another's: which of the two was meant
// is not known, and what is denied is to be denied.
func (e ownEntries) limiting(d *Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(e.shared[d]), func(o *Entry) bool { return o.change == nil })
}

// replacing is the entry that takes the place of a server or disables it, or nil.
func (e ownEntries) replacing(d *Entry) *Entry {
	for _, o := range e.of(d) {
		if o.change == nil {
			return o
		}
	}
	return nil
}
