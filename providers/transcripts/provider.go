// Package transcripts shows the chat histories of all coding agents on the
// machine: a folder for each session, with the whole of it as text.
//
// # The packages, in their order
//
//   - event: what all histories have in common, a list of events
//   - toolcall: which files a call of a tool reads and writes
//   - render: events as text
//   - agents: for each agent, where it keeps its sessions and how they are read
//     as events
//   - source: the files that agents have written
//   - archive: sessions that their agents may delete
//   - catalogue: the list of all sessions, and the tree that they are shown in
//   - scan: finds the sessions and puts them into the catalogue
//   - cache: renders sessions and stores their texts on disk
//   - seen: what sessions last saw of files
//   - uses: what was used in a session, and what had been wanted before
//   - plans: lists of tasks and proposed plans in a session
//   - folders: the folders and files that a user sees
//
// This package joins them: it announces what has changed, keeps house, searches,
// answers which session a client means, and has the settings and the status.
//
// # From a log to a transcript
//
// A line that an agent appends to a log is noticed by the watch
// (scan.Scanner.Changed, Inspect), which puts the log's new Stat into the
// catalogue (Catalogue.Put). The session is then queued (Cache.Touched), its entry
// updated from where the last run stopped (Cache.Current, source.Lines.Next, the
// agent's Reader.Record, render.Transcript.Append), and what was appended published
// (Catalogue.Publish), which announces it to readers. A reader of a session that
// was not rendered yet waits for that; in the background all are rendered, the
// newest first.
//
// # What is stored
//
// A session's text is rendered once, into the cache folder, and grows there with
// the session: the reader's state is stored with it, so that only what was appended
// to a log is read, also after a restart. Long results are not stored twice: their
// place in the log is, and they are read from there. The cache can be deleted at
// any time.
//
// # Growing
//
// The text of a log that is only appended to only grows. While it does, the session
// is live; after some minutes of quiet it is not, and the kernel may cache its text.
// If what was rendered is no longer what the source says, it is rendered again as
// the next generation, which replaces the file as a whole.
package transcripts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/folders"
	"ctxfs/providers/transcripts/render"
	"ctxfs/providers/transcripts/scan"
	"ctxfs/providers/transcripts/seen"
)

// Options are what the provider needs.
type Options struct {
	host.Host
	// Agents are those whose histories are shown: agents.All().
	Agents []history.Agent
}

// Provider is the folder of transcripts.
type Provider struct {
	opts      Options
	catalogue *catalogue.Catalogue
	scanner   *scan.Scanner
	cache     *cache.Cache
	archive   archive.Archive
	folders   *folders.Tree
	fulltext  *fulltext.Index
	settings  atomic.Pointer[settingsTable]
	briefs    memo[render.Brief]
	edits     memo[[]facts.Edit]
	lately    lately
	reader    seen.Reader

	started atomic.Bool
	begun   chan struct{} // closed when the first scan is announced, and all is about to be rendered
	ctx     context.Context
	cancel  context.CancelFunc
	running cell.Group
}

// New makes the provider from the list of sessions that was saved in the cache:
// it reads no history.
func New(opts Options) *Provider {
	p := &Provider{opts: opts, catalogue: catalogue.New(opts.Home), begun: make(chan struct{}), archive: archive.Archive{Dir: filepath.Join(opts.State, "archive")}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.settings.Store(readSettings(opts.SettingsPath, opts.Home))
	p.scanner = scan.New(scan.Options{
		Agents: opts.Agents, Machine: p.machine, Catalogue: p.catalogue, Archive: p.archive, Hide: opts.Hide, Watch: opts.Watch,
		Now: opts.Env.Now, Log: opts.Env.Log, Found: p.found, Scanned: p.scanned, Rescanned: func() { p.cache.Backlog() },
	})
	p.fulltext = fulltext.New(fulltext.Options{Path: filepath.Join(opts.Cache, fulltext.FileName), Library: library{p}, Log: opts.Env.Log})
	p.cache = cache.New(cache.Options{
		Env: opts.Env, Dir: opts.Cache, Catalogue: p.catalogue, Scanner: p.scanner, Background: opts.Watch,
		Moved: func(paths []string, s *catalogue.Session) { p.moved(paths, s) }, Changed: p.changed,
		Grew: p.grew, FaultChanged: func() { opts.Env.Changed(folders.IndexName) },
	})
	p.folders = folders.New(folders.Options{
		Env: opts.Env, Catalogue: p.catalogue, Cache: p.cache, Scanner: p.scanner, Archive: p.archive, Watch: opts.Watch,
		Renamed: p.renamed,
	})
	p.catalogue.Restore(p.listPath(), opts.Env.Now())
	return p
}

// listPath returns the path of the saved list of sessions. The list of another
// version of the cache is not read.
func (p *Provider) listPath() string {
	return filepath.Join(p.opts.Cache, fmt.Sprintf("sessions.%d.jsonl", cache.Format))
}

// Start implements fs.Starter: it searches for sessions, watches and renders in
// the background.
func (p *Provider) Start() {
	p.started.Store(true)
	p.running.Go(func() {
		if !p.catalogue.Empty() {
			p.folders.MakeIndexes() // of the saved list; announced with the first scan
		}
		p.scanner.First()
		p.opts.Env.Changed("") // all are known now: until then nothing was announced
		p.cache.Backlog()
		close(p.begun)
		if err := p.fulltext.Begin(); err != nil {
			p.cache.SetFault(err)
		}
		p.keepHouse()
	})
	p.folders.KeepIndexes()
	p.scanner.Start()
	p.cache.Start()
}

// machine describes where agents keep their histories.
func (p *Provider) machine() history.Machine {
	return history.Machine{
		Home: p.opts.Home, OS: p.opts.OS, LookupEnv: p.opts.LookupEnv, Projects: p.settings.Load().projects,
	}
}

// Settled implements fs.Settler.
func (p *Provider) Settled(ctx context.Context) error {
	if p.started.Load() {
		select {
		case <-p.begun:
		case <-p.ctx.Done():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return cmp.Or(p.scanner.Settled(ctx), p.cache.Settled(ctx), p.folders.Settled(ctx))
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.folders.Root() }

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	err := p.scanner.Close()
	p.cache.Close()
	p.running.Wait()
	p.folders.Close()
	err = errors.Join(err, p.fulltext.Close())
	p.cache.SaveAll(true)
	p.saveList()
	return err
}

// scanned is called when the first scan has ended.
func (p *Provider) scanned() {
	if p.opts.Watch {
		p.folders.MakeIndexes()
	}
}

// found is called with what a scan has found: it announces the paths and has the
// sessions rendered.
func (p *Provider) found(paths []string, touched []*catalogue.Session) {
	p.moved(paths, touched...)
	for _, s := range touched {
		p.cache.Touched(s)
	}
}

// maxNews is how many changes are announced one by one.
const maxNews = 200

// moved announces paths that have changed, and the sessions by their ids. Before
// the first scan has ended nothing is announced.
func (p *Provider) moved(paths []string, sessions ...*catalogue.Session) {
	p.lately.outdate()
	if len(paths) == 0 || !p.scanner.Done() {
		return
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) > maxNews {
		p.opts.Env.Changed("")
	} else {
		for _, path := range paths {
			if path != "" {
				p.opts.Env.Changed(path)
				p.opts.Env.Changed(parentOf(path))
			}
		}
		for _, s := range sessions {
			p.changedByID(s)
		}
	}
	p.folders.OutdateIndexes()
	p.used() // what was used in sessions that are gone
}

// changed announces that the files of a session have changed.
func (p *Provider) changed(s *catalogue.Session) {
	p.lately.outdate()
	p.announce(s)
	p.folders.OutdateIndexes()
}

// announce announces a session at its path and by its id.
func (p *Provider) announce(s *catalogue.Session) {
	if path := p.catalogue.Path(s); path != "" {
		p.opts.Env.Changed(path)
		p.changedByID(s)
	}
}

func (p *Provider) changedByID(s *catalogue.Session) {
	for _, path := range s.ByIDPaths() {
		p.opts.Env.Changed(path)
	}
}

// renamed is called when names or titles of sessions have changed.
func (p *Provider) renamed() {
	if p.opts.Env.Documented != nil {
		p.opts.Env.Documented("")
	}
}

// grew is called when a transcript has grown by so many bytes.
func (p *Provider) grew(by int64) {
	p.fulltext.Grew(by)
	p.used()
}

// used is called when there may be others of the sessions that tell what was used and
// stated, or more in them.
func (p *Provider) used() {
	if p.opts.Env.Used != nil {
		p.opts.Env.Used()
	}
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}
