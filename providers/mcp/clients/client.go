package clients

import (
	"path/filepath"
	"slices"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// client is a client of MCP servers, an agent or an editor, that keeps them in
// files of its own.
type client struct {
	name string
	// files are those of the user, the one that has precedence first.
	files func(s surroundings) []place
	// project are the files that it reads in the folder of a project, the one
	// that has precedence first.
	project []string
	// layers says that an entry hides one of its name in a file of less
	// precedence; else its files are those of programs of their own.
	layers bool
	// parse reads the syntax of its files.
	parse func(text []byte) (syntax.Value, error)
	// find hands the entries of a file to the reader.
	find func(r *reader, file syntax.Value) error

	dialect dialect
	// entry reads one server's entry into d; x expands its variables.
	entry func(k *keys, d *entry, x *expander)
}

// agents are the clients that are looked at, in the order in which they give
// names to servers.
func clients() []client {
	return []client{
		claudeCode(), claudePlugins(), cursor(), codex(), gemini(), opencode(), copilot(), vscode(),
		cline(), goose(), zed(), amp(), windsurf(), claudeDesktop(),
	}
}

// place is a file in which servers are configured.
type place struct {
	path    string
	scope   string
	project string // the folder of the project, of scope "project"
	plugin  plugin // of scope "plugin"
}

// surroundings are what reading a configuration depends on besides the file.
type surroundings struct {
	home   string
	lookup func(string) (string, bool)
	inputs map[string]string // of [mcp.inputs]
	hide   func(path string) bool
}

// hidden tells whether a path is a view of ours, or of no concern.
func (s surroundings) hidden(path string) bool { return s.hide != nil && s.hide(path) }

// at is a path in the home folder.
func (s surroundings) at(path ...string) string {
	return filepath.Join(append([]string{s.home}, path...)...)
}

// folder is the folder that a variable names, or else one in the home folder.
func (s surroundings) folder(variable string, fallback ...string) string {
	if dir, ok := s.lookup(variable); ok && filepath.IsAbs(dir) {
		return dir
	}
	return s.at(fallback...)
}

// config is a path in $XDG_CONFIG_HOME.
func (s surroundings) config(path ...string) string {
	return filepath.Join(append([]string{s.folder("XDG_CONFIG_HOME", ".config")}, path...)...)
}

// application is a path in the folder of the settings of desktop programs.
func (s surroundings) application(path ...string) []string {
	return []string{s.config(path...), s.at(append([]string{"Library", "Application Support"}, path...)...)}
}

// userFiles are places of scope "user".
func userFiles(paths ...string) []place {
	places := make([]place, len(paths))
	for i, path := range paths {
		places[i] = place{path: path, scope: config.ScopeUser}
	}
	return places
}

// below finds the servers of a file below a key.
func below(path ...string) func(*reader, syntax.Value) error {
	return func(r *reader, file syntax.Value) error {
		servers, ok := file.At(path...)
		if !ok {
			return nil
		}
		return r.read(servers, path[len(path)-1])
	}
}

// jsonAgent is a client whose file has servers below "mcpServers".
func jsonAgent(name string) client {
	return client{name: name, parse: jsonc.Parse, find: below("mcpServers")}
}

// userPlaces are all files of the user and of the machine, each once.
func userPlaces(s surroundings) (all []clientPlace) {
	seen := make(map[string]bool)
	for _, a := range clients() {
		for _, p := range a.files(s) {
			if !seen[p.path] {
				seen[p.path] = true
				all = append(all, clientPlace{a, p})
			}
		}
	}
	return all
}

// projectPlaces are the files in the folder of a project, but for those that
// are a user's own.
func projectPlaces(folder string, own []clientPlace) (all []clientPlace) {
	for _, a := range clients() {
		for _, name := range a.project {
			path := filepath.Join(folder, name)
			taken := func(p clientPlace) bool { return p.path == path }
			if !slices.ContainsFunc(own, taken) && !slices.ContainsFunc(all, taken) {
				all = append(all, clientPlace{a, place{path: path, scope: config.ScopeProject, project: folder}})
			}
		}
	}
	return all
}

// clientPlace is a place and the client whose it is.
type clientPlace struct {
	client
	place
}
