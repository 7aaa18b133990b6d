package transcripts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/transcripts/agents/history"
)

// Options are what the provider needs.
type Options struct {
	Env fs.Env
	// Home is the user's home folder, OS the system as in runtime.GOOS.
	Home, OS  string
	LookupEnv func(string) (string, bool)
	// Agents are those whose histories are shown: agents.All().
	Agents []history.Agent
	// Cache is the folder for rendered texts, State that for the archive,
	// SettingsPath the path of config.toml.
	Cache, State, SettingsPath string
	// Settled is called when a lot of work has been done; may be nil.
	Settled func()
	// Hide leaves out a path, such as a mount point of ours; it may be nil.
	Hide func(path string) bool
	// Watch keeps the provider current and renders in the background. Without it,
	// for a command that reads once, the sessions are those of the moment when
	// they are first asked for.
	Watch bool
}

// Provider is the folder of transcripts.
type Provider struct {
	opts      Options
	catalogue *catalogue
	scanner   *scanner
	cache     *cache
	archive   archive
	folders   *tree
	fulltext  *fulltext.Index
	settings  atomic.Pointer[settingsTable]

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// New makes the provider from the list of sessions that was saved in the cache:
// it reads no history.
func New(opts Options) *Provider {
	p := &Provider{opts: opts, catalogue: newCatalogue(opts.Home), archive: archive{dir: filepath.Join(opts.State, "archive")}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.settings.Store(readSettings(opts.SettingsPath, opts.Home))
	p.scanner = newScanner(scanOptions{
		Agents: opts.Agents, Machine: p.machine, Catalogue: p.catalogue, Archive: p.archive, Hide: opts.Hide, Watch: opts.Watch,
		Now: opts.Env.Now, Log: opts.Env.Log, Found: p.found, Scanned: p.scanned, Rescanned: func() { p.cache.backlog() },
	})
	p.fulltext = fulltext.New(fulltext.Options{Path: filepath.Join(opts.Cache, fulltextName), Library: library{p}, Log: opts.Env.Log})
	p.cache = newCache(cacheOptions{
		Env: opts.Env, Dir: opts.Cache, Catalogue: p.catalogue, Scanner: p.scanner, Background: opts.Watch,
		Moved: func(paths []string, s *session) { p.moved(paths, s) }, Changed: p.changed,
		Grew: p.fulltext.Grew, Settled: opts.Settled,
		FaultChanged: func() { opts.Env.Changed(indexName) },
	})
	p.folders = newTree(treeOptions{
		Env: opts.Env, Catalogue: p.catalogue, Cache: p.cache, Scanner: p.scanner, Archive: p.archive, Watch: opts.Watch,
		Renamed: p.renamed,
	})
	p.catalogue.restore(p.listPath(), opts.Env.Now())
	return p
}

// fulltextName is the file in the cache folder with the index of all words.
const fulltextName = "fulltext.db"

// listPath returns the path of the saved list of sessions. The list of another
// version of the cache is not read.
func (p *Provider) listPath() string {
	return filepath.Join(p.opts.Cache, fmt.Sprintf("sessions.%d.jsonl", Format))
}

// Start implements fs.Starter: it searches for sessions, watches and renders in
// the background.
func (p *Provider) Start() {
	p.running.Go(func() {
		if !p.catalogue.empty() {
			p.folders.makeIndexes() // as they were: that is told with the first scan
		}
		p.scanner.first()
		p.opts.Env.Changed("") // all are known now: until then nothing was told
		p.cache.backlog()
		if err := os.MkdirAll(p.opts.Cache, 0o700); err != nil {
			p.cache.setFault(err)
		} else {
			p.fulltext.Begin()
		}
		p.keepHouse()
	})
	p.running.Go(func() { p.folders.keepIndexes(p.ctx) })
	p.scanner.start()
	p.cache.start()
}

// machine describes where agents keep their histories.
func (p *Provider) machine() history.Machine {
	return history.Machine{
		Home: p.opts.Home, OS: p.opts.OS, LookupEnv: p.opts.LookupEnv, Projects: p.settings.Load().projects,
	}
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.folders.root() }

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	err := p.scanner.close()
	p.cache.close()
	p.running.Wait()
	err = errors.Join(err, p.fulltext.Close())
	p.cache.saveAll(true)
	p.saveList()
	return err
}

// scanned is called when the first scan has ended.
func (p *Provider) scanned() {
	if p.opts.Watch {
		p.folders.makeIndexes()
	}
}

// found is called with what a scan has found: it announces the paths and has the
// sessions rendered.
func (p *Provider) found(paths []string, touched []*session) {
	p.moved(paths, touched...)
	for _, s := range touched {
		p.cache.touched(s)
	}
}

// maxNews is how many changes are announced one by one.
const maxNews = 200

// moved announces paths that have changed, and the sessions by their ids. Before
// the first scan has ended nothing is announced.
func (p *Provider) moved(paths []string, sessions ...*session) {
	if len(paths) == 0 || !p.scanner.done() {
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
	p.folders.outdateIndexes()
}

// changed announces that the files of a session have changed.
func (p *Provider) changed(s *session) {
	p.announce(s)
	p.folders.outdateIndexes()
}

// announce announces a session at its path and by its id.
func (p *Provider) announce(s *session) {
	if path := p.catalogue.path(s); path != "" {
		p.opts.Env.Changed(path)
		p.changedByID(s)
	}
}

func (p *Provider) changedByID(s *session) {
	for _, path := range s.byIDPaths() {
		p.opts.Env.Changed(path)
	}
}

// renamed is called when names or titles of sessions have changed.
func (p *Provider) renamed() {
	if p.opts.Env.Documented != nil {
		p.opts.Env.Documented("")
	}
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}
