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
//   - lines reads and writes messages over the standard output and input of a process.
//   - wire connects to servers and speaks the protocol.
//   - questions holds what servers ask back, until it is answered.
//   - calls has the parts of a call: its tool, arguments, result and log.
//   - tasks keeps calls that go on without their callers.
//   - logins has the logins of the user to servers.
//   - instance runs a server, and stops it when it is unused.
//   - kept keeps resources as files.
//   - server is a server: its folder, what is known of it, and its instances.
//   - fleet is the set of all servers: which are wanted, which run, whom a name means.
//   - dispatch makes calls, and lets callers leave them.
//   - index is the folder mcps with INDEX.md.
//
// This package puts them together, and offers what they do as operations.
package mcp

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/dispatch"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/index"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/logins"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/tasks"
)

// Options are the settings of a provider.
type Options struct {
	// Host is the surroundings. Home is also where servers without a configured folder run,
	// Cache the folder of the cached catalogues, State that of the list of trusted projects,
	// the logins to servers, the pinned definitions of tools, and the log of calls. Without
	// Watch what configuration and cache hold is shown, and nothing is started or written.
	host.Host
	// Projects finds the projects of callers. It is told which ones the configuration
	// names.
	Projects *project.Resolver
	// Trust is the projects that are trusted as a whole. Root returns the root of the
	// project of a folder, or "".
	Trust *trust.Store
	Root  func(dir string) string
	// Environ returns the environment of the user.
	Environ func() []string
	// Spawn starts the programs of servers; nil starts them as processes.
	Spawn func(supervise.Command) (*supervise.Program, error)
	// HTTP carries what is sent to servers over HTTP; nil is a transport with the
	// settings of [http.DefaultTransport].
	HTTP http.RoundTripper
	// Listen opens the port to which a browser returns from a login; nil is
	// [net.Listen].
	Listen func(network, address string) (net.Listener, error)
	// Results stores what is too long to return; if it is nil, everything is
	// returned whole.
	Results calls.Results
	// Program is the path of ctxfs, for the programs that call tools; with "" these
	// are not shown.
	Program string
	// ProgramEnv is the environment through which it reaches this process.
	ProgramEnv []string

	timing timing // for tests; the zero value is the usual one
}

// Provider is the folder mcps: the index shows a fleet of servers, to which the
// dispatcher sends calls.
type Provider struct {
	*index.Index
	*fleet.Fleet
	*dispatch.Dispatcher

	opts      Options
	sup       *supervise.Supervisor
	logins    *logins.Logins
	callLog   *calls.Log
	questions *questions.Store
	sampling  *questions.Sampling

	publishing sync.RWMutex // read-locked from a change of a server until it is told
}

// New reads the configuration and the cached catalogues, and starts nothing.
// Faults of either are shown in the tree and by Status.
func New(opts Options) *Provider {
	if opts.HTTP == nil {
		opts.HTTP = http.DefaultTransport.(*http.Transport).Clone()
	}
	opts.Env = opts.Env.WithDocuments()
	times := opts.timing
	if times == (timing{}) {
		times = usualTiming()
	}
	p := &Provider{
		opts: opts,
		sup:  supervise.New(supervise.Options{Dir: filepath.Join(opts.Cache, "starting"), Hold: times.hold, Slot: times.slot, Log: opts.Env.Log, Spawn: opts.Spawn}),
		logins: logins.New(oauth.Options{
			Dir: filepath.Join(opts.State, "logins"), LookupEnv: agents.Lookup(opts.Environ), Now: opts.Env.Now, HTTP: opts.HTTP, Listen: opts.Listen,
		}),
		callLog:   calls.NewLog(opts.State),
		questions: questions.NewStore(questions.Options{Now: opts.Env.Now, Changed: func(owner any) { owner.(*server.Server).Show() }}),
		sampling:  questions.NewSampling(opts.Home, func() []string { return config.Environ(opts.Environ(), opts.Home, nil) }),
	}
	shared := &server.Options{
		Env: opts.Env, Home: opts.Home, Environ: opts.Environ, HTTP: opts.HTTP, Logs: filepath.Join(opts.State, "logs"), Offline: !opts.Watch,
		Program: opts.Program, ProgramEnv: opts.ProgramEnv,
		Cache: catalogue.Cache{Dir: opts.Cache, Log: opts.Env.Log}, Pins: pins.Store{Dir: filepath.Join(opts.State, "pins")},
		Questions: p.questions, Sampling: p.sampling, Logins: p.logins,
		Tasks:     tasks.Open(tasks.Options{Dir: filepath.Join(opts.State, "tasks"), Now: opts.Env.Now, Log: opts.Env.Log, ReadOnly: !opts.Watch, Changed: p.showTasks}),
		Instances: instance.Options{Sup: p.sup, Timing: times.Timing, Now: opts.Env.Now}, Tool: times.tool, Publishing: &p.publishing,
		FileCall: func(c calls.Call) (func(context.Context) (*calls.Result, error), string, error) { return p.Prepare(c) },
		Shown:    func() { p.Update() },
	}
	p.Fleet = fleet.New(fleet.Options{
		Server: shared, SettingsPath: opts.SettingsPath, Approvals: filepath.Join(opts.State, "trusted.json"),
		Hide: opts.Hide, Projects: opts.Projects, Trust: opts.Trust, Root: opts.Root, Sample: times.sample, Changed: func() { p.Publish() },
	})
	p.Dispatcher = dispatch.New(dispatch.Options{
		Options: shared, Fleet: p.Fleet, Projects: opts.Projects, Log: p.callLog, Results: opts.Results, ToolMax: times.toolMax,
		Logged: func() { p.PublishCalls() },
	})
	p.Index = index.New(index.Options{Env: opts.Env, Calls: p.callLog, Places: p.places(), Summaries: p.Summaries})
	p.Reload()
	return p
}

// places returns the files in which servers are looked for, ctxfs's own first,
// with "~" for the home folder.
func (p *Provider) places() []string {
	files := []string{cmp.Or(p.opts.SettingsPath, filepath.Join(p.opts.Home, ".config", "ctxfs", "config.toml"))}
	files = append(files, p.UserFiles()...)
	for i, f := range files {
		files[i] = wording.Tilde(f, p.opts.Home)
	}
	return files
}

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{"mcp"} }

// Settled implements fs.Settler: what has become of servers is told. No server is waited for.
func (p *Provider) Settled(context.Context) error {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	return nil
}

// Start implements fs.Starter: see [fleet.Fleet.Start].
func (p *Provider) Start() {
	if p.Fleet.Start() {
		p.Ready()
	}
}

// Busy reports whether a server is starting, or installing what it needs, or calls
// are under way.
func (p *Provider) Busy() bool {
	return p.IsCalling() || slices.ContainsFunc(p.All(), func(s *server.Server) bool {
		_, _, state := s.Named()
		return instance.IsStarting(state)
	})
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.Stop()
	p.Fleet.Close()
	p.Wait()
	p.questions.Close()
	p.sampling.Close()
	p.logins.Close()
	p.sup.Close()
	return nil
}
