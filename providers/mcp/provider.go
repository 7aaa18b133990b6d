// Package mcp shows the MCP servers that a user has configured as folders:
// mcps/<server>/tools/<tool>.json and what belongs to them.
//
// # Where servers come from
//
// Package clients reads the configuration files of all programs that start MCP
// servers. A fault stays local: an entry that is not valid is a server in state
// "error", and a file that cannot be read leaves the servers that were known from
// it.
//
// Servers that a file in a project's folder configures are shown but not started
// until the user trusts the project (Trust). That holds for the entries as they
// were written then.
//
// # A server's life
//
// A server is run by an [instance.Instance], whose goroutine alone starts it, requests
// its lists, waits for its end and retries. No reader waits for it: its folder is made of the last
// catalogue, which is stored in the cache folder, and is replaced when the server
// has answered. A server is only asked for its lists; no tool is called and no
// resource is read unless a user asks for it, except for kept resources
// (KeepResource), which are read when they change.
//
// # Logins
//
// A server over HTTP whose entry has no credentials is sent the login of its user,
// if there is one (package oauth), which renews itself. A server never starts a
// login: it enters the state "needs-auth", and stays in it until the user has run
// Login, in whatever process, and restarted it.
//
// # Packages
//
// Lowest first; each imports only those before it:
//
//   - policy decides which tools are shown and which may be called.
//   - config describes a server: how it is reached, and which entry says so.
//   - clients reads the configuration files of all programs into such servers.
//   - supervise starts and stops processes.
//   - catalogue is what a server offers, how it is shown and stored.
//   - pins stores definitions as they were first shown, and reports changes.
//   - wire connects to servers and speaks the protocol.
//   - questions holds what servers ask back, until somebody answers.
//   - calls has the parts of a call: its tool, arguments, result and log.
//   - instance runs a server, and stops it when it is unused.
//   - tasks keeps calls that go on without their callers.
//
// In this package, server.go is a server's folder, run.go its instance, adopt.go
// takes its lists, and keep.go follows the resources that are kept. call.go and
// read.go use it; underway.go lets callers leave their calls, which asking.go finds
// again; status.go, index.go, programs.go, waiting.go and tools.go write what is
// shown.
// control.go and provider.go hold the set of all servers.
package mcp

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/logins"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/tasks"
)

// Options are the settings of a provider.
type Options struct {
	Env fs.Env
	// Home is the user's home folder: where the configurations of agents are
	// looked for, and where servers without a configured folder run.
	Home string
	// CacheDir is the folder of the cached catalogues. It is created when there
	// is something to write.
	CacheDir string
	// StateDir is the folder of the list of trusted projects, the logins to
	// servers, the pinned definitions of tools, and the log of calls; with "" there
	// are none of them, and no project is trusted.
	StateDir string
	// Hide reports whether a path is the root of a view of ours, whose projects
	// are left out; it may be nil.
	Hide func(path string) bool
	// Projects finds the projects of callers. It is told which ones the configuration
	// names.
	Projects *project.Resolver
	// Trust is the projects that are trusted as a whole; nil trusts none. Root returns
	// the root of the project of a folder, or ""; nil knows none.
	Trust *trust.Store
	Root  func(dir string) string
	// LookupEnv looks up a variable of the environment; nil is os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Spawn starts the programs of servers; nil starts them as processes.
	Spawn func(supervise.Command) (*supervise.Program, error)
	// HTTP carries what is sent to servers over HTTP; nil is a transport with the
	// settings of [http.DefaultTransport].
	HTTP http.RoundTripper
	// Listen opens the port to which a browser returns from a login; nil is
	// [net.Listen].
	Listen func(network, address string) (net.Listener, error)
	// SettingsPath is the path of ctxfs's own configuration, whether or not it
	// exists. Its table [mcp] is read.
	SettingsPath string
	// Results stores what is too long to return; if it is nil, everything is
	// returned whole.
	Results calls.Results
	// Program is the path of ctxfs, for the programs that call tools; with ""
	// there are none.
	Program string
	// ProgramEnv is the environment through which it reaches this process.
	ProgramEnv []string
	// Settled is called a while after the last server has started or failed to
	// start, also for a project, or after Start if none starts: the time to return the memory that
	// starting took. It may be nil.
	Settled func()
	// Offline shows what configuration and cache hold, without starting or
	// writing anything.
	Offline bool

	timing timing // for tests; the zero value is the usual one
}

// Provider is the folder mcps.
type Provider struct {
	opts      Options
	env       fs.Env
	timing    timing
	cache     catalogue.Cache
	searched  []string // the files in which servers are looked for, as they are shown
	pins      pins.Store
	sup       *supervise.Supervisor
	logins    *logins.Logins
	callLog   *calls.Log
	root      *fs.Folder
	running   sync.WaitGroup
	questions *questions.Store
	tasks     *tasks.Store
	sampling  *questions.Sampling
	resuming  sync.Mutex // serializes resumptions of tasks

	underMu sync.Mutex
	under   map[*underway]bool // the calls under way
	stopped bool               // no more calls are made

	instances instance.Options // of all servers
	pool      *instance.Pool   // of the instances for projects and sessions
	samples   sampler

	// changing is held while the set of servers changes. Only then is the finder
	// used, and are the next two written.
	changing sync.Mutex
	finder   *clients.Finder
	leaving  map[string]*server // by identity: servers that were replaced or removed and may still run
	closed   bool

	idle      atomic.Int64 // nanoseconds after which an unused server is stopped; 0 is never
	policy    atomic.Pointer[policy.Policy]
	fileCalls atomic.Bool // [mcp] file_calls
	idleRules ineffectiveRules

	mu       sync.Mutex
	started  bool
	servers  []*server // in the order in which they got their names
	problems []fs.Problem
	files    []string // that configure servers, there or not

	shown      published
	publishing sync.RWMutex // read-locked from a change of a server until it is told
}

// New reads the configuration and the cached catalogues, and starts nothing.
// Faults of either are shown in the tree and by Status.
func New(opts Options) *Provider {
	if opts.Trust == nil {
		opts.Trust = trust.New("", opts.Hide, opts.Env.Now)
	}
	if opts.Root == nil {
		opts.Root = func(string) string { return "" }
	}
	if opts.LookupEnv == nil {
		opts.LookupEnv = os.LookupEnv
	}
	if opts.HTTP == nil {
		opts.HTTP = http.DefaultTransport.(*http.Transport).Clone()
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
		logins: logins.New(oauth.Options{
			Dir: filepath.Join(opts.StateDir, "logins"), LookupEnv: opts.LookupEnv, Now: opts.Env.Now, HTTP: opts.HTTP, Listen: opts.Listen,
		}, opts.StateDir == ""),
		callLog:  calls.NewLog(opts.StateDir),
		sampling: questions.NewSampling(opts.Home, func() []string { return config.Environ(opts.LookupEnv, opts.Home, nil) }),
		leaving:  make(map[string]*server),
		under:    make(map[*underway]bool),
	}
	p.questions = questions.NewStore(questions.Options{Now: opts.Env.Now, Changed: func(owner any) { owner.(*server).showWaiting() }})
	kept := ""
	if opts.StateDir != "" {
		kept = filepath.Join(opts.StateDir, "tasks")
	}
	p.tasks = tasks.Open(tasks.Options{Dir: kept, Now: opts.Env.Now, Log: opts.Env.Log, ReadOnly: opts.Offline, Changed: p.showTasks})
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
	p.sup = supervise.New(supervise.Options{Dir: starts, Hold: p.timing.hold, Slot: p.timing.slot, Log: opts.Env.Log, Spawn: opts.Spawn})
	p.instances = instance.Options{
		Sup: p.sup, Timing: p.timing.instance(), Now: p.env.Now, Idle: func() time.Duration { return time.Duration(p.idle.Load()) },
	}
	p.pool = instance.NewPool(0)
	p.searched = p.places()
	p.apply(p.discover())
	return p
}

// discover reads all configuration files: those of the user, of known projects and
// of the given folders. The caller holds p.changing.
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
	p.logins.Set(all.Settings)
	p.storeIdle(all.Settings.IdleTimeout)
	p.storeSampling(all.Settings)
	p.fileCalls.Store(all.Settings.FileCalls)
	p.pool.SetMax(all.Settings.MaxInstances)
	if len(folders) == 0 { // further ones are only looked at
		p.opts.Projects.SetKnown(all.Projects)
	}
	return all
}

// remembered returns the servers of a file that the cache knows.
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

// Settled implements fs.Settler: what has become of servers is told. No server is waited for.
func (p *Provider) Settled(context.Context) error {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	return nil
}

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{"mcp"} }

// ConfigFiles implements fs.Watched.
func (p *Provider) ConfigFiles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files
}

// all returns the current servers. The slice must not be written to.
func (p *Provider) all() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers
}
