package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/catalogue"
)

// FolderName is the name of the folder of a server's skills.
const FolderName = "skills"

const (
	indexName = "INDEX.md"
	entryName = "ENTRY.json"
)

// Fetched is a skill whose files were fetched.
type Fetched struct {
	*Entry
	Time time.Time
	dir  string
}

// Shelf is the folder of the skills of one server. It is safe for concurrent use.
type Shelf struct {
	store Store
	root  *fs.Folder

	mu      sync.Mutex
	keys    []catalogue.Key
	server  string // the name of its folder
	list    []*Entry
	at      time.Time // when it was listed
	fetched map[string]*Fetched
	fault   string // why it could not be listed again
	paths   map[string]string
}

// Open returns the shelf of a server with what is known of it.
func Open(store Store, keys []catalogue.Key, server string) *Shelf {
	s := &Shelf{store: store, root: new(fs.Folder), keys: keys, server: server}
	s.list, s.at, s.fetched = store.load(keys)
	s.publish(s.at)
	return s
}

// Root returns the folder, and reports whether there is anything in it.
func (s *Shelf) Root() (*fs.Folder, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root, len(s.list)+len(s.fetched) > 0
}

// Listed replaces the list, or records why it could not be fetched. It returns the names in
// the server's folder that have changed. Skills that are no longer listed stay if they
// were fetched.
func (s *Shelf) Listed(entries []*Entry, notes []string, err error, server string, now time.Time) (changed []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := strings.Join(notes, "; ")
	if err != nil {
		fault = "they could not be listed, what was known before is shown: " + clean.Cut(clean.Line(err.Error()), 200)
		entries = s.list
	}
	equal := slices.EqualFunc(s.list, entries, func(a, b *Entry) bool { return a.URI == b.URI && string(a.raw) == string(b.raw) })
	if equal && s.fault == fault && s.server == server && !s.at.IsZero() {
		return nil
	}
	before := s.names()
	s.list, s.fault, s.server = entries, fault, server
	if err == nil {
		s.at = now.UTC()
		if len(s.keys) > 0 {
			if err := s.store.save(s.keys[0], entries, s.at); err != nil {
				s.store.Log.Warn("a list of skills cannot be saved", "server", server, "err", err)
			}
		}
	}
	s.publish(now)
	changed = append(before, s.names()...)
	slices.Sort(changed)
	return slices.Compact(changed)
}

// names returns the paths of what is in the folder, from the server's.
func (s *Shelf) names() []string {
	all := []string{FolderName, path.Join(FolderName, indexName)}
	for _, dir := range s.paths {
		first, _, _ := strings.Cut(dir, "/")
		all = append(all, path.Join(FolderName, first))
	}
	return all
}

// Keep stores the files of a skill, which were verified, and shows them. It returns their
// folder, relative to that of the server, and the names there that have changed.
func (s *Shelf) Keep(e *Entry, files map[string][]byte, now time.Time) (folder string, changed []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == 0 {
		return "", nil, errors.New("the server has no place in the cache")
	}
	if s.at.IsZero() {
		if err := s.store.save(s.keys[0], s.list, now.UTC()); err != nil {
			return "", nil, err
		}
	}
	kept, err := s.store.keep(s.keys[0], e, files, now.UTC())
	if err != nil {
		return "", nil, err
	}
	s.fetched[e.URI] = kept
	s.publish(now)
	folder = path.Join(FolderName, s.paths[e.URI])
	first, _, _ := strings.Cut(s.paths[e.URI], "/")
	return folder, []string{FolderName, path.Join(FolderName, indexName), path.Join(FolderName, first)}, nil
}

// Find returns the entry that a name means: the path of its folder, its name, or its URI.
// The error suggests what was probably meant.
func (s *Shelf) Find(name string) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Entry
	var known []string
	for _, e := range s.all() {
		if e.URI == name || s.paths[e.URI] == name {
			return e, nil
		}
		if e.Name() == name {
			found = append(found, e)
		}
		known = append(known, s.paths[e.URI])
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("several skills have the name %q: %s, %s", clean.Line(name), s.paths[found[0].URI], s.paths[found[1].URI])
	}
	err := fmt.Errorf("the server lists no skill %q", clean.Line(name))
	if meant := nearest.Of(name, known); meant != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, meant)
	}
	return nil, err
}

// all returns the entries that are listed, then those that were fetched and are not
// listed any more.
func (s *Shelf) all() []*Entry {
	all := slices.Clone(s.list)
	for _, f := range s.fetched {
		if !slices.ContainsFunc(s.list, func(e *Entry) bool { return e.URI == f.URI }) {
			all = append(all, f.Entry)
		}
	}
	slices.SortFunc(all, func(a, b *Entry) int { return strings.Compare(a.URI, b.URI) })
	return all
}

// branch is a folder that is being made.
type branch struct {
	nodes    map[string]fs.Node
	branches map[string]*branch
}

func newBranch() *branch { return &branch{make(map[string]fs.Node), make(map[string]*branch)} }

// at returns the folder at a path.
func (b *branch) at(dir string) *branch {
	if dir == "." || dir == "" {
		return b
	}
	for part := range strings.SplitSeq(dir, "/") {
		if b.branches[part] == nil {
			b.branches[part] = newBranch()
		}
		b = b.branches[part]
	}
	return b
}

// folder returns the node: where a file and a folder have one name, the folder is shown.
func (b *branch) folder(t time.Time) map[string]fs.Node {
	for name, sub := range b.branches {
		b.nodes[name] = fs.NewFolder(t, sub.folder(t))
	}
	return b.nodes
}

// publish makes the folder anew. The caller holds mu.
func (s *Shelf) publish(now time.Time) {
	all, tree := s.all(), newBranch()
	s.paths = make(map[string]string, len(all))
	taken := make(map[string]bool)
	var index strings.Builder
	fmt.Fprintf(&index, "# Skills of this server\n\nThe server says this of them; nobody has checked it. To read one: ctxfs skills fetch %s/NAME\n\n", s.server)
	for _, e := range all {
		dir := e.folder()
		for n, base := 2, dir; taken[strings.ToLower(dir)]; n++ {
			dir = fmt.Sprintf("%s~%d", base, n)
		}
		taken[strings.ToLower(dir)] = true
		s.paths[e.URI] = dir
		at, kept := tree.at(dir), s.fetched[e.URI]
		at.nodes[entryName] = fs.NewText(now, s.card(e, kept))
		if kept != nil {
			for _, r := range kept.Resources {
				rel, _ := kept.relative(r.URI)
				tree.at(path.Join(dir, path.Dir(rel))).nodes[path.Base(rel)] = kept.file(r, rel)
			}
		}
		index.WriteString(dir + " — " + e.About() + s.mark(e, kept) + "\n")
	}
	if s.fault != "" {
		index.WriteString("\nNote: " + s.fault + "\n")
	}
	nodes := tree.folder(now)
	nodes[indexName] = fs.NewText(now, []byte(index.String()))
	s.root.Replace(now, nodes)
}

// mark says in the index what may not be expected of a skill.
func (s *Shelf) mark(e *Entry, kept *Fetched) string {
	switch {
	case kept != nil && !slices.Contains(s.list, e):
		return " (fetched; the server does not list it)"
	case kept != nil && !kept.same(e):
		return " (fetched, and changed since: fetch it again)"
	case kept != nil:
		return " (fetched)"
	case e.Fault != "":
		return " (cannot be fetched: " + e.Fault + ")"
	}
	return ""
}

// card writes ENTRY.json: what the server says of a skill.
func (s *Shelf) card(e *Entry, kept *Fetched) []byte {
	type file struct {
		Path   string `json:"path"`
		Size   int64  `json:"size"`
		Digest string `json:"digest"`
	}
	card := struct {
		Name        string     `json:"name"`
		Description string     `json:"description"`
		URI         string     `json:"uri"`
		Server      string     `json:"server"`
		Fetched     *time.Time `json:"fetched,omitempty"`
		Changed     bool       `json:"changedSinceFetched,omitempty"`
		Fault       string     `json:"fault,omitempty"`
		Fetch       string     `json:"fetch,omitempty"`
		Files       []file     `json:"files,omitempty"`
	}{Name: e.Name(), Description: e.About(), URI: clean.Line(e.URI), Server: s.server, Fault: e.Fault}
	if kept != nil {
		card.Fetched, card.Changed = &kept.Time, !kept.same(e)
	}
	if e.Fault == "" && (kept == nil || card.Changed) {
		card.Fetch = "ctxfs skills fetch " + s.server + "/" + s.paths[e.URI]
	}
	for _, r := range e.Resources[:min(len(e.Resources), MaxFiles)] {
		if rel, ok := e.relative(r.URI); ok {
			card.Files = append(card.Files, file{rel, r.Size, clean.Cut(clean.Line(r.Digest), 80)})
		}
	}
	text, err := json.MarshalIndent(card, "", "  ")
	if err != nil {
		return []byte("{}\n")
	}
	return append(clean.JSON(text), '\n')
}

// file returns a file of a fetched skill, byte for byte, which is checked again when it is
// first read.
func (f *Fetched) file(r Resource, rel string) fs.Node {
	name := filepath.Join(f.dir, filepath.FromSlash(rel))
	return fs.NewRendered(f.Time, fs.BytesVersion([]byte(r.Digest)), func(context.Context) ([]byte, error) {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return body, r.check(body)
	})
}

// Documents returns what can be found of the skills: their names and descriptions.
func (s *Shelf) Documents() iter.Seq[fs.Document] {
	s.mu.Lock()
	all, paths, server := s.all(), s.paths, s.server
	s.mu.Unlock()
	return func(yield func(fs.Document) bool) {
		for _, e := range all {
			dir := path.Join(server, FolderName, paths[e.URI])
			if !yield(fs.Document{
				Path: path.Join(dir, entryName), Whole: dir, Title: e.Name(), Kind: "skill",
				Fields: map[string]string{"name": e.Name(), "description": e.About(), "server": server},
			}) {
				return
			}
		}
	}
}
