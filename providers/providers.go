// Package providers is the list of providers: the one place that names them all
// and gives each what it needs. A new provider is a package below this one and an
// entry in the function list. Providers do not know each other.
//
// The rest of the package serves every provider alike, by the optional
// interfaces of package fs: it starts and ends them, watches their configuration
// files, and collects their operations, documents and roots.
package providers

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/exec"
	"ctxfs/providers/executor"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/memory"
	"ctxfs/providers/plans"
	"ctxfs/providers/results"
	"ctxfs/providers/rules"
	"ctxfs/providers/skills"
	"ctxfs/providers/terminals"
	"ctxfs/providers/terminals/tmux"
	"ctxfs/providers/transcripts"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/workspaces"
)

// Options are the settings of all providers.
type Options struct {
	// Home is the user's home folder, Config the path of config.toml, Cache the
	// folder for data that can be derived again, State the folder for data that
	// cannot.
	Home, Config, Cache, State string
	Environ                    func() []string
	LookupEnv                  func(string) (string, bool)
	// Program is the path of ctxfs, for the programs that call tools; may be "".
	Program string
	// ProgramEnv is the environment in which it reaches this process.
	ProgramEnv []string
	// Env returns the environment of the provider with that folder.
	Env func(folder string) fs.Env
	// Hide leaves out paths on disk that are views of ours; may be nil.
	Hide func(path string) bool
	// ResultsFolder returns the folder where users find long results: that of a
	// mount if there is one, since that is what agents may read, or else that on
	// disk.
	ResultsFolder func() string
	// MountPoint returns where the tree is mounted now, "" if nowhere, and Page the text of
	// AGENTS.md, for hooks and counts; either may be nil.
	MountPoint func() string
	Page       func(ctx context.Context) (string, error)
	// Settled is that of the whole tree, for callers that wait for it; may be nil.
	Settled func(ctx context.Context) error
	// Offline starts nothing and watches nothing.
	Offline bool
	// Changed is called when Problems have changed. It only enqueues.
	Changed func()
	Log     *slog.Logger
}

// list makes the providers, in the order of AGENTS.md. Each has an entry: its
// folder in the root, and its constructor.
func list(o Options, s shared) []Named {
	stored := results.New(s.host("results"))
	sessions := transcripts.New(transcripts.Options{
		Host:   s.host("transcripts"),
		Agents: agents.All(),
	})
	return []Named{
		{"workspaces", workspaces.New(workspaces.Options{
			Host:    s.host("workspaces"),
			Known:   s.workspaces,
			Brief:   s.brief,
			Edits:   s.edits,
			Reads:   s.reads,
			Trusts:  s.trust.Trusts,
			OnTrust: s.trust.Notify,
		})},
		{"mcps", mcp.New(mcp.Options{
			Host:       s.host("mcps"),
			Projects:   s.projects,
			Trust:      s.trust,
			Root:       s.workspaces.RootAt,
			Environ:    o.Environ,
			Program:    o.Program,
			ProgramEnv: o.ProgramEnv,
			Results:    toolResults{stored.Store(), o.ResultsFolder},
		})},
		{"terminals", terminals.New(terminals.Options{
			Host:       s.host("terminals"),
			Root:       s.workspaces.RootAt,
			TmuxFolder: tmux.Folder(o.LookupEnv, os.Getuid()),
		})},
		{"transcripts", sessions},
		{"skills", skills.New(skills.Options{
			Host:       s.host("skills"),
			Workspaces: s.workspaces,
			Trust:      s.trust,
		})},
		{"rules", rules.New(rules.Options{
			Host:       s.host("rules"),
			Workspaces: s.workspaces,
			Projects:   s.projects,
			Trust:      s.trust,
		})},
		{"memory", memory.New(memory.Options{
			Host:        s.host("memory"),
			Workspaces:  s.workspaces,
			Trust:       s.trust,
			Statements:  factsOf(s.List, func(s facts.Sources) facts.Source[facts.Statement] { return s.Statements }),
			OnStatement: s.notify,
		})},
		{"exec", exec.New(exec.Options{
			Host:    s.host("exec"),
			Environ: o.Environ,
			Program: o.Program,
		})},
		{"plans", plans.New(plans.Options{
			Host:       s.host("plans"),
			Workspaces: s.workspaces,
			Trust:      s.trust,
			Sessions:   factsOf(s.List, func(s facts.Sources) facts.Source[facts.Plan] { return s.Plans }),
			Known:      s.complete,
		})},
		{"agents", executor.New(executor.Options{
			Host:       s.host("agents"),
			Root:       o.State,
			Log:        terminalLog,
			HasSession: sessions.HasSession,
		})},
		{"results", stored},
	}
}

// terminalLog returns the log of a recorded terminal, for another provider that
// shows it.
func terminalLog(recording string) (executor.Log, error) {
	l, err := terminals.NewLog(recording)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// toolResults is the store of results as MCP servers use it.
type toolResults struct {
	store  *results.Store
	folder func() string
}

// Limit implements calls.Results.
func (r toolResults) Limit() int { return r.store.Limit() }

// Save implements calls.Results.
func (r toolResults) Save(server, tool, ext string, body []byte) (calls.SavedResult, error) {
	saved, err := r.store.Save(results.Origin{Source: "call", Server: server, Tool: tool}, ext, body)
	if err != nil {
		return calls.SavedResult{}, err
	}
	return calls.SavedResult{Path: filepath.Join(r.folder(), saved.Name), Bytes: saved.Bytes, Lines: saved.Lines}, nil
}
