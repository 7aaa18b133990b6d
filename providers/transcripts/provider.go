package transcripts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/watch"
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
	opts     Options
	list     *catalogue
	texts    *texts
	tables   *tables
	loaded   loaded
	fulltext *fulltext.Index
	settings atomic.Pointer[settingsTable]
	scratch  sync.Pool // of *scratch

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	queue   *queue
	watcher *watch.Watcher // nil where nothing is watched
	noWatch error          // why, though it should be

	scanOnce sync.Once
	scanDone chan struct{}

	asking   sync.Mutex // held while the places are asked for
	looking  pathLocks  // held while a file is looked at
	indexing sync.Mutex // held while INDEX.tsv is made

	mu         sync.Mutex
	places     []*place
	unreadable map[string]string // folders that may not be read, and whose they are
	indexTimer bool
	indexTook  time.Duration // how long the last INDEX.tsv took to be made
	documented uint64        // the version of the names that was told
	saveTimer  bool
	indexes    map[string]*indexFile
	cacheFault string // why nothing can be kept
	cacheFull  bool
}

// New makes the provider from what is kept in the cache: it reads no history.
func New(opts Options) *Provider {
	p := &Provider{
		opts: opts, list: newCatalogue(opts.Home), texts: newTexts(16 << 20), tables: newTables(),
		scanDone: make(chan struct{}), unreadable: make(map[string]string), indexes: make(map[string]*indexFile),
	}
	p.looking.held = make(map[string]*pathLock)
	p.loaded.books = make(map[*session]*loadedBook)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.queue = newQueue(p)
	p.fulltext = fulltext.New(fulltext.Options{Path: filepath.Join(opts.Cache, fulltextName), Library: library{p}, Log: opts.Env.Log})
	p.Reload()
	p.restore()
	if opts.Watch {
		p.watcher, p.noWatch = watch.New(watch.Options{Changed: p.changed, Hide: p.hidden, MaxDirs: maxDirs, Log: opts.Env.Log})
	}
	return p
}

// fulltextName is the file in the cache folder with the index of all words.
const fulltextName = "fulltext.db"

// maxDirs is how many folders of one place are watched.
const maxDirs = 20_000

// Start implements fs.Starter: it searches for sessions, watches and renders in
// the background.
func (p *Provider) Start() {
	p.running.Go(func() {
		if !p.list.empty() {
			p.makeIndexes() // as they were: that is told with the first scan
		}
		p.scanNow()
		p.opts.Env.Changed("") // all are known now: until then nothing was told
		p.queue.backlog()
		if err := os.MkdirAll(p.opts.Cache, 0o700); err != nil {
			p.setCacheFault(err)
		} else {
			p.fulltext.Begin()
		}
		p.keepHouse()
	})
	p.running.Go(p.keepLooking)
	p.queue.start()
}

func (p *Provider) scanNow() {
	p.scanOnce.Do(func() {
		p.scan(p.ctx)
		if p.opts.Watch {
			p.makeIndexes()
		}
		close(p.scanDone)
	})
}

// scanned returns when all there is has been found: who asks for a session that
// was found early may depend on one that was not.
func (p *Provider) scanned(ctx context.Context) error {
	if !p.opts.Watch {
		p.scanNow()
		return nil
	}
	select {
	case <-p.scanDone:
		return nil
	case <-p.ctx.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// patienceWithScan is how long a listing waits for the search for sessions to
// end. After that it shows those that were found.
const patienceWithScan = 2 * time.Second

// known returns when the sessions are known, more or less.
func (p *Provider) known(ctx context.Context) error {
	if p.opts.Watch {
		select {
		case <-p.scanDone:
			return nil
		default:
		}
		short, cancel := context.WithTimeout(ctx, patienceWithScan)
		defer cancel()
		if p.scanned(short) != nil {
			return ctx.Err()
		}
		return nil
	}
	return p.scanned(ctx)
}

// hidden leaves out what is not to be watched: folders that hold no histories.
func (p *Provider) hidden(path string) bool {
	if p.opts.Hide != nil && p.opts.Hide(path) {
		return true
	}
	skipped := false
	for _, pl := range p.allPlaces() {
		if rel, ok := pl.rel(path); ok {
			if pl.Skip == nil || rel == "" || !pl.Skip(rel) {
				return false
			}
			skipped = true
		}
	}
	if !skipped {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func (p *Provider) machine() history.Machine {
	return history.Machine{
		Home: p.opts.Home, OS: p.opts.OS, LookupEnv: p.opts.LookupEnv, Projects: p.settings.Load().projects,
	}
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return rootFolder{p} }

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	var err error
	if p.watcher != nil {
		err = p.watcher.Close()
	}
	p.queue.close()
	p.running.Wait()
	err = errors.Join(err, p.fulltext.Close())
	p.saveAll(true)
	p.keep()
	return err
}

// tell tells of paths that have changed and has sessions rendered that have
// more to show than is shown.
func (p *Provider) tell(paths []string, touched []*session) {
	p.told(paths, touched...)
	for _, s := range touched {
		p.queue.touched(s)
	}
}

// maxNews is how many changes are told one by one.
const maxNews = 200

// told tells of paths that have changed: those, and by-id.
func (p *Provider) told(paths []string, sessions ...*session) {
	if len(paths) == 0 || !p.isScanned() {
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
	p.indexSoon()
}

// changedByID tells of a session by its id, as it can be looked up.
func (p *Provider) changedByID(s *session) {
	name := fileName(s.id)
	p.opts.Env.Changed(byIDName + "/" + name)
	if s.id != name && filepath.Base(s.id) == s.id {
		p.opts.Env.Changed(byIDName + "/" + s.id)
	}
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}

// describeFault says in words why a session cannot be read.
func (p *Provider) describeFault(err error) string {
	return clean.Cut(clean.Line(err.Error()), 500)
}

// setUnreadable notes the folders of a place that may not be read.
func (p *Provider) setUnreadable(pl *place, below string, paths []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path := range p.unreadable {
		if path == below || strings.HasPrefix(path, below+"/") {
			delete(p.unreadable, path)
		}
	}
	for _, path := range paths {
		p.unreadable[path] = pl.agent
	}
}
