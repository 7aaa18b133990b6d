// Package mcp shows the MCP servers that a user has configured as folders:
// mcps/<server>/tools/<tool>.json and what belongs to them.
//
// # Where servers come from
//
// Package clients reads the configuration files of all programs that start MCP
// servers. A fault stays where it is: an entry that is wrong is a server in state
// "error", a file that cannot be read leaves the servers that were known from it.
//
// Servers of the files in a project's folder are shown and not started until the
// user has said that they may be (Trust), and that holds for the entries as they
// were written then.
//
// # A server's life
//
// Each server is one goroutine, which alone starts it, asks for its lists,
// waits for its end and tries again. Nobody waits for it: its folder is made
// of the catalogue of the last time, kept in the cache folder, and is replaced
// when the server has answered. What is asked of a server are its lists and
// nothing else; no tool is called, and no resource is read but those that a user
// has asked for, and for those kept (KeepResource) whenever they change.
//
// # Logins
//
// A server over HTTP whose entry does not say who asks is sent the login of
// its user, if there is one (package oauth), which renews itself. A server
// never makes anybody log in: it is in state "needs-auth", and stays so until
// the user has run Login, wherever that is, and restarted it.
//
// # What is kept of a definition
//
// The definition of a tool is pinned as it was first shown, in the state
// folder. When the server changes it, the difference stands beside it until the
// user accepts it (Accept).
//
// Definitions are taken as raw JSON, so that nothing of them is lost to the
// types of a library. In memory there is only the text that is shown; the raw
// catalogue is in the cache file.
package mcp

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/supervise"
)

// Options are the settings of a provider.
type Options struct {
	Env fs.Env
	// Home is the user's home folder: where the agents' configurations are
	// looked for, and where servers run that have no folder configured.
	Home string
	// CacheDir is the folder of the cached catalogues. It is made when there
	// is something to write.
	CacheDir string
	// StateDir is the folder in which is kept which projects are trusted, the
	// logins to servers, the pinned definitions of tools, and the log of calls;
	// "" trusts none, and has none.
	StateDir string
	// Hide leaves out projects that are, or are in, views of ours; may be nil.
	Hide func(path string) bool
	// LookupEnv looks up a variable of the environment; nil is os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// SettingsPath is where ctxfs's own configuration is, or would be. Its
	// table [mcp] is read.
	SettingsPath string
	// Results keeps what is too long to be handed over; nil hands everything
	// over whole.
	Results calls.Results
	// Program is the path of ctxfs, for the programs that call tools; "" has
	// none of them.
	Program string
	// ProgramEnv is the environment by which it reaches this process.
	ProgramEnv []string
	// Settled is called a while after the last server has started or failed to,
	// or after Start where none does:
	// the time to give back the memory that starting took. It may be nil.
	Settled func()
	// Offline shows what configuration and cache hold and starts nothing;
	// nothing is written.
	Offline bool

	timing timing      // of tests; zero is the usual one
	quiet  func() bool // of tests; nil looks at the machine
}

// Provider is the folder mcps.
type Provider struct {
	opts    Options
	env     fs.Env
	timing  timing
	cache   catalogue.Cache
	pins    pins.Store
	sup     *supervise.Supervisor
	quiet   func() bool // whether the machine has time for what can wait
	logins  *oauth.Client
	callLog *calls.Log
	root    *fs.Folder
	running sync.WaitGroup
	// refreshing holds a value while a catalogue is fetched again.
	refreshing chan struct{}

	// changing is held while the set of servers changes. Only then is the finder
	// used, and are the next two written.
	changing sync.Mutex
	finder   *clients.Finder
	leaving  map[string]*server // by identity: those replaced or removed that may still run
	closed   bool

	idle      atomic.Int64 // nanoseconds after which a server ends that is not used; 0 is never
	policy    atomic.Pointer[policy.Policy]
	fileCalls atomic.Bool // what [mcp] says of calls by files
	idleRules ineffectiveRules

	mu       sync.Mutex
	started  bool
	servers  []*server // in the order in which they got their names
	problems []fs.Problem
	document string   // [mcp] client_id_document
	files    []string // that configure servers, there or not

	shown published
}

// New reads the configuration and the cached catalogues, and starts nothing.
// What is wrong with either is told in the tree and by Status.
func New(opts Options) *Provider {
	if opts.LookupEnv == nil {
		opts.LookupEnv = os.LookupEnv
	}
	if opts.Env.Changed == nil {
		opts.Env.Changed = func(string) {}
	}
	if opts.Settled == nil {
		opts.Settled = func() {}
	}
	if opts.Env.Log == nil {
		opts.Env.Log = slog.Default()
	}
	if opts.Env.Now == nil {
		opts.Env.Now = time.Now
	}
	opts.Env = opts.Env.WithDocuments()
	p := &Provider{
		opts: opts, env: opts.Env, timing: opts.timing,
		cache: catalogue.Cache{Dir: opts.CacheDir, Log: opts.Env.Log},
		root:  new(fs.Folder),
		logins: oauth.New(oauth.Options{
			Dir: filepath.Join(opts.StateDir, "logins"), LookupEnv: opts.LookupEnv, Now: opts.Env.Now,
		}),
		callLog: calls.NewLog(opts.StateDir),
		leaving: make(map[string]*server),
	}
	approvals := ""
	if opts.StateDir != "" {
		approvals = filepath.Join(opts.StateDir, "trusted.json")
		p.pins.Dir = filepath.Join(opts.StateDir, "pins")
	}
	p.finder = clients.New(clients.Options{Home: opts.Home, LookupEnv: opts.LookupEnv, Hide: opts.Hide, Approvals: approvals, Remembered: p.remembered})
	if p.timing == (timing{}) {
		p.timing = usualTiming()
	}
	starts := ""
	if opts.CacheDir != "" {
		starts = filepath.Join(opts.CacheDir, "starting")
	}
	p.sup = supervise.New(supervise.Options{Dir: starts, Hold: p.timing.hold, Slot: p.timing.slot, Log: opts.Env.Log})
	if p.quiet = opts.quiet; p.quiet == nil {
		p.quiet = p.sup.Quiet
	}
	p.refreshing = make(chan struct{}, 1)
	p.apply(p.discover())
	return p
}

// discover reads all configuration files, with those of the projects that are
// known and of the folders given. It is called with p.changing held.
func (p *Provider) discover(folders ...string) *clients.Discovery {
	path := p.opts.SettingsPath
	shut := func(err error) fs.Problem {
		return fs.Problem{
			What: clean.Line(err.Error()) + "; until it is corrected no tool may be called",
			Mend: "correct " + path + "; it is read again at once",
		}
	}
	own := clients.OwnFile{Path: path}
	var problems []fs.Problem
	file, err := settings.Load(path)
	if err != nil {
		bad := shut(err)
		own.Fault = &bad
		p.policy.Store(policy.Broken(path, err))
	} else {
		own.Settings = file
		allowed, err := policy.Read(file)
		if err != nil {
			problems = append(problems, shut(err))
		}
		p.policy.Store(allowed)
	}
	all := p.finder.Discover(own, folders...)
	all.Problems = append(problems, all.Problems...)
	p.storeLogins(all.Settings)
	p.storeIdle(all.Settings.IdleTimeout)
	p.fileCalls.Store(all.Settings.FileCalls)
	return all
}

// remembered are the servers that the cache knows of a file.
func (p *Provider) remembered(file string) (known []config.Server) {
	for _, cat := range p.cache.From(file) {
		known = append(known, config.Server{
			Source:    config.Source{Client: cat.Client, Scope: cat.Scope, Project: cat.Project, File: cat.Source, Name: cat.Name},
			Transport: cat.Transport,
		})
	}
	return known
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{"mcp"} }

// ConfigFiles implements fs.Watched.
func (p *Provider) ConfigFiles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files
}

// all are the present servers. The slice is not written to.
func (p *Provider) all() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers
}
