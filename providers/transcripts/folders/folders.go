// Package folders is what a user sees: the folders and files of transcripts/, as
// nodes over the catalogue and the cache. Texts that grow with a session are read
// from the cache; those that describe it as a whole are made when read and kept in
// memory for a while; long results are read from the agent's own log.
package folders

import (
	"cmp"
	"context"
	_ "embed"
	iofs "io/fs"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/scan"
)

// The names of files and folders.
const (
	IndexName      = "INDEX.tsv"
	ignoreName     = ".ignore"
	readmeName     = "README.md"
	statusName     = "STATUS.md"
	TranscriptName = "transcript.md"
	messagesName   = "messages.jsonl"
	digestName     = "digest.md"
	filesName      = "files.tsv"
	metaName       = "meta.json"
	resultsName    = "results"
)

// ignoreText makes search tools find everything once: in the transcript. The files
// that are made from it are left out.
const ignoreText = `*.jsonl
INDEX.*
digest.md
files.tsv
meta.json
`

// Options are what a tree needs.
type Options struct {
	Env       fs.Env
	Catalogue *catalogue.Catalogue
	Cache     *cache.Cache
	Scanner   *scan.Scanner
	Archive   archive.Archive
	// Watch makes every INDEX.tsv ahead of its readers.
	Watch bool
	// Renamed is called when names or titles of sessions have changed, at most
	// as often as INDEX.tsv is made.
	Renamed func()
}

// Tree is the provider's folder with all below it.
type Tree struct {
	Options
	texts   *recent[textKey, []byte] // since a text is read in pieces
	tables  *recent[*catalogue.Session, *table]
	indexes indexes
}

const (
	// textRoom is the size of the texts that stay in memory, in bytes, and overhead that
	// of an entry beside its text.
	textRoom = 16 << 20
	overhead = 200
	// tableRoom is the same of tables of results, by their size on disk.
	tableRoom = 4 << 20
)

// New makes the tree. What is in it comes from the catalogue and the cache.
func New(opts Options) *Tree {
	t := &Tree{
		Options: opts, indexes: indexes{made: make(map[string]*indexFile)},
		texts:  newRecent[textKey](textRoom, func(text []byte) int { return len(text) + overhead }),
		tables: newRecent[*catalogue.Session](tableRoom, func(t *table) int { return int(t.size) }),
	}
	t.indexes.worker = rounds.NewWorker(rounds.Options{Round: t.renewIndexes, Gather: indexTime, Share: indexRest})
	return t
}

// Root returns the provider's folder.
func (t *Tree) Root() fs.Dir { return rootFolder{t} }

func folderAttr(version uint64, changed time.Time) fs.Attr {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: changed, Version: version}
}

func dirEntry(name string) fs.Entry { return fs.Entry{Name: name, Type: iofs.ModeDir} }

// rootFolder is the provider's folder: agents, and what helps to find.
type rootFolder struct{ t *Tree }

func (d rootFolder) Attr(context.Context) (fs.Attr, error) {
	version, changed, _ := d.t.Catalogue.Attr("", "")
	return folderAttr(version, cmp.Or(changed, d.t.Env.Built)), nil
}

// Computed implements fs.Computed: until the first scan is done, a listing waits
// for it, but not for long.
func (d rootFolder) Computed() {}

func (d rootFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	switch name {
	case IndexName:
		return d.t.index(""), nil
	case ignoreName:
		return fs.NewText(d.t.Env.Built, []byte(ignoreText)), nil
	case catalogue.ByID:
		return byIDFolder(d), nil
	}
	if strings.HasPrefix(name, ".") { // tools look for .git everywhere
		return nil, fs.ErrNotExist
	}
	if err := d.t.Scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	if _, _, there := d.t.Catalogue.Attr(name, ""); !there {
		return nil, fs.ErrNotExist
	}
	return groupFolder{t: d.t, agent: name}, nil
}

func (d rootFolder) List(ctx context.Context) ([]fs.Entry, error) {
	if err := d.t.Scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	entries, _ := d.t.Catalogue.List("", "", fs.Entry{Name: ignoreName}, fs.Entry{Name: IndexName}, dirEntry(catalogue.ByID))
	return entries, nil
}

// groupFolder is the folder of an agent, which lists projects, or that of a
// project, which lists sessions. A session is also found under a name from before
// it got a better title: a path that was written down stays valid.
type groupFolder struct {
	t              *Tree
	agent, project string // project is "" for an agent
}

func (d groupFolder) Attr(context.Context) (fs.Attr, error) {
	version, changed, there := d.t.Catalogue.Attr(d.agent, d.project)
	if !there {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(version, changed), nil
}

func (d groupFolder) Lookup(_ context.Context, name string) (fs.Node, error) {
	if d.project != "" {
		if s := d.t.Catalogue.Session(d.agent, d.project, name); s != nil {
			return sessionFolder{node{d.t, s}}, nil
		}
		return nil, fs.ErrNotExist
	}
	if name == IndexName {
		return d.t.index(d.agent), nil
	}
	if _, _, there := d.t.Catalogue.Attr(d.agent, name); !there {
		return nil, fs.ErrNotExist
	}
	return groupFolder{d.t, d.agent, name}, nil
}

func (d groupFolder) List(context.Context) ([]fs.Entry, error) {
	var more []fs.Entry
	if d.project == "" {
		more = append(more, fs.Entry{Name: IndexName})
	}
	entries, there := d.t.Catalogue.List(d.agent, d.project, more...)
	if !there {
		return nil, fs.ErrNotExist
	}
	return entries, nil
}

// byIDFolder finds a session by its id, whatever its agent, project and title. It
// is a lookup-only folder.
type byIDFolder struct{ t *Tree }

// shortID is the fewest bytes of an id that name a session.
const shortID = 8

//go:embed by-id.md
var byIDReadme string

func (d byIDFolder) Attr(context.Context) (fs.Attr, error) { return folderAttr(1, d.t.Env.Built), nil }

// Computed implements fs.Computed, as that of rootFolder does.
func (d byIDFolder) Computed() {}

func (d byIDFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name == readmeName {
		return fs.NewText(d.t.Env.Built, []byte(byIDReadme)), nil
	}
	if strings.HasPrefix(name, ".") {
		return nil, fs.ErrNotExist
	}
	if err := d.t.Scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	if all := d.t.Catalogue.Find(name); len(all) > 0 {
		return sessionFolder{node{d.t, all[0]}}, nil
	}
	if all := d.t.Catalogue.WithPrefix(name); len(all) == 1 && len(name) >= shortID {
		return sessionFolder{node{d.t, all[0]}}, nil
	}
	return nil, fs.ErrNotExist
}

func (d byIDFolder) List(context.Context) ([]fs.Entry, error) {
	return []fs.Entry{{Name: readmeName}}, nil
}
