// Package providers is the table of providers: the one place that names them
// all, gives each what it needs and reads their configuration. Providers know
// nothing of each other.
package providers

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/mcp"
	"ctxfs/providers/results"
	"ctxfs/providers/skills"
	"ctxfs/providers/terminals"
	"ctxfs/providers/terminals/tmux"
	"ctxfs/providers/transcripts"
	"ctxfs/providers/transcripts/agents"
)

// Options are what the providers together need.
type Options struct {
	// Home is the user's home folder, Config the path of config.toml, Cache
	// the folder for what can be made again, State that for what cannot.
	Home, Config, Cache, State string
	LookupEnv                  func(string) (string, bool)
	// Program is the path of ctxfs, for the programs that call tools; may be "".
	Program string
	// ProgramEnv is the environment by which it reaches this process.
	ProgramEnv []string
	// Env gives the environment of the provider with that folder.
	Env func(folder string) fs.Env
	// Hide leaves out paths on disk that are views of ours; may be nil.
	Hide func(path string) bool
	// MountPoint is where the tree is mounted now, "" if nowhere; may be nil.
	MountPoint func() string
	// Offline starts nothing and watches nothing.
	Offline bool
	// Changed is called when Problems have changed. It only enqueues.
	Changed func()
	Log     *slog.Logger
}

// Named is a provider and its folder in the root.
type Named struct {
	Folder string
	fs.Provider
}

// Set is all providers.
type Set struct {
	opts        Options
	mcp         *mcp.Provider
	terminals   *terminals.Provider
	transcripts *transcripts.Provider
	skills      *skills.Provider
	results     *results.Provider
	finder      *finder
	all         []Named
	stop        []func() error

	mu       sync.Mutex
	problems []fs.Problem
}

// New makes all providers, from configuration and caches: it starts nothing
// but watches, and is quick. What is wrong with the configuration is told by
// Problems and keeps nothing from being shown.
func New(opts Options) *Set {
	s := &Set{opts: opts}
	s.finder = newFinder(s.documents, opts.Env("find").Now)
	s.open()
	return s
}

// open is the table. The order is that of AGENTS.md.
func (s *Set) open() {
	s.checkTables()
	// First, because calls of tools save in it.
	s.results = results.New(results.Options{
		Env:          s.opts.Env("results"),
		Dir:          filepath.Join(s.opts.State, "results"),
		Cache:        filepath.Join(s.opts.Cache, "results"),
		SettingsPath: s.opts.Config,
		Hide:         s.opts.Hide,
		Watch:        !s.opts.Offline,
	})

	s.mcp = mcp.New(mcp.Options{
		Env:          s.env("mcps"),
		Home:         s.opts.Home,
		CacheDir:     filepath.Join(s.opts.Cache, "mcp"),
		StateDir:     filepath.Join(s.opts.State, "mcp"),
		Hide:         s.opts.Hide,
		LookupEnv:    s.opts.LookupEnv,
		SettingsPath: s.opts.Config,
		Program:      s.opts.Program,
		ProgramEnv:   s.opts.ProgramEnv,
		Results:      toolResults{s},
		Settled:      debug.FreeOSMemory,
		Offline:      s.opts.Offline,
	})
	s.add("mcps", s.mcp)

	s.terminals = terminals.New(terminals.Options{
		Env:          s.opts.Env("terminals"),
		Dir:          filepath.Join(s.opts.State, "terminals"),
		SettingsPath: s.opts.Config,
		Hide:         s.opts.Hide,
		TmuxFolder:   tmux.Folder(s.opts.LookupEnv, os.Getuid()),
		Documented:   func(path string) { s.finder.changed("terminals", path) },
		Watch:        !s.opts.Offline,
	})
	s.add("terminals", s.terminals)

	s.transcripts = transcripts.New(transcripts.Options{
		Env:          s.opts.Env("transcripts"),
		Home:         s.opts.Home,
		OS:           runtime.GOOS,
		LookupEnv:    s.opts.LookupEnv,
		Agents:       agents.All(),
		Cache:        filepath.Join(s.opts.Cache, "transcripts"),
		State:        filepath.Join(s.opts.State, "transcripts"),
		SettingsPath: s.opts.Config,
		Documented:   func() { s.finder.changed("transcripts", "") },
		Settled:      debug.FreeOSMemory,
		Hide:         s.opts.Hide,
		Watch:        !s.opts.Offline,
	})
	s.add("transcripts", s.transcripts)

	s.skills = skills.New(skills.Options{
		Env:       s.env("skills"),
		Home:      s.opts.Home,
		LookupEnv: s.opts.LookupEnv,
		Hide:      s.opts.Hide,
		Watch:     !s.opts.Offline,
	})
	s.add("skills", s.skills)

	s.add("results", s.results)

	if !s.opts.Offline {
		s.watchConfig()
	}
}

// env is what the provider with that folder is given.
func (s *Set) env(folder string) fs.Env {
	env := s.opts.Env(folder)
	changed := env.Changed
	env.Changed = func(path string) {
		s.finder.changed(folder, path)
		changed(path)
	}
	return env
}

func (s *Set) add(folder string, p fs.Provider) {
	s.all = append(s.all, Named{folder, p})
	s.stop = append(s.stop, p.Close)
}

// All are the providers, in the order in which people read of them.
func (s *Set) All() []Named { return s.all }

// Begin starts what runs: MCP servers, the recording of tmux where that is
// configured, and the index for Find. It returns at once.
func (s *Set) Begin() {
	s.mcp.Start()
	s.terminals.Begin()
	s.transcripts.Begin()
	s.results.Begin()
	s.finder.start(s.folders()...)
}

// Roots are the folders on disk that are passed through: no view may lie in
// one of them.
func (s *Set) Roots() []string {
	return slices.Concat(s.skills.Roots(), s.results.Roots(), s.terminals.Roots())
}

// Restart starts an MCP server again, by its name or its folder's; "" means
// all.
func (s *Set) Restart(server string) error { return s.mcp.Restart(server) }

// Busy reports whether an MCP server starts, or installs what it needs: the
// process should not end just now.
func (s *Set) Busy() bool { return s.mcp.Busy() }

// Tools lists the tools of an MCP server, named as for Restart; "" means all.
func (s *Set) Tools(server string) ([]mcp.Toolbox, error) { return s.mcp.Tools(server) }

// Flags are the arguments of a tool, as far as the server is known.
func (s *Set) Flags(server, tool string) ([]mcp.Flag, error) {
	info, err := s.mcp.Tool(server, tool)
	if err != nil {
		return nil, err
	}
	return info.Schema.Flags(), nil
}

// IsServer tells whether an MCP server has that name.
func (s *Set) IsServer(name string) bool {
	_, err := s.mcp.Tools(name)
	return err == nil
}

// Tool tells of a tool. A server of which nothing is known is started for it,
// and waited for in that way.
func (s *Set) Tool(ctx context.Context, server, tool string, w mcp.Waiting) (mcp.ToolInfo, error) {
	info, err := s.mcp.Tool(server, tool)
	if use := (*mcp.UseError)(nil); !errors.As(err, &use) {
		return info, err
	}
	session, err := s.mcp.Use(ctx, server, w)
	if err != nil {
		return mcp.ToolInfo{}, err
	}
	defer session.Release()
	return s.mcp.Tool(server, tool)
}

// Call calls a tool.
func (s *Set) Call(ctx context.Context, c mcp.Call) (*mcp.Result, error) { return s.mcp.Call(ctx, c) }

// Configuration tells what is configured for MCP servers where, what counts
// and why; folder is looked at as if it were a known project.
func (s *Set) Configuration(folder string) mcp.Report { return s.mcp.Configuration(folder) }

// Trust allows the MCP servers that the files of a project configure.
func (s *Set) Trust(folder string) (mcp.Project, error) { return s.mcp.Trust(folder) }

// Revoke takes back what Trust allowed.
func (s *Set) Revoke(folder string) (mcp.Project, error) { return s.mcp.Revoke(folder) }

// Accept pins the definitions of an MCP server's tools as they are shown now,
// all of them or those named.
func (s *Set) Accept(server string, tools ...string) (mcp.Accepted, error) {
	return s.mcp.Accept(server, tools...)
}

// Projects are those that configure MCP servers or are trusted.
func (s *Set) Projects() []mcp.Project { return s.mcp.Projects() }

// AdoptTmux records the panes of tmux servers.
func (s *Set) AdoptTmux(ctx context.Context, socket string) (terminals.Adopted, error) {
	return s.terminals.AdoptTmux(ctx, socket)
}

// Close ends all providers, the last one first.
func (s *Set) Close() error {
	var failed []error
	for i := len(s.stop) - 1; i >= 0; i-- {
		failed = append(failed, s.stop[i]())
	}
	s.stop = nil
	failed = append(failed, s.finder.close())
	return errors.Join(failed...)
}
