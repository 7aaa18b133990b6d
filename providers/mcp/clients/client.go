package clients

import (
	"path/filepath"
	"slices"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// client says how to read the files where an agent configures MCP servers. Their
// places, their syntax, and the key that holds the servers are in the agent's
// description.
type client struct {
	agent agents.Agent
	// files returns files that are not in the description; if it is nil, those of
	// the description are read.
	files func(m machine) []place
	// layers is set if an entry hides one of the same name in a file of lower
	// precedence; otherwise each file belongs to a program of its own.
	layers bool
	// find passes the entries of a file to the reader; if it is nil, all entries
	// below the key of the description are passed.
	find func(r *reader, file syntax.Value) error

	dialect dialect
	// readEntry reads one server's entry into e; x expands its variables.
	readEntry func(k *keys, e *Entry, x *expander)
}

// clients returns the clients whose files are read, in the order in which they
// give names to servers.
func clients() []client {
	return []client{
		claudeCode(), claudePlugins(), cursor(), codex(), gemini(), opencode(), copilot(), vscode(),
		cline(), goose(), zed(), amp(), windsurf(), claudeDesktop(),
	}
}

// parse reads the syntax of the client's files.
func (c client) parse(text []byte) (syntax.Value, error) {
	switch c.agent.MCP.Syntax {
	case agents.TOML:
		return settings.Document(text)
	case agents.YAML:
		file, _, err := frontmatter.YAML(string(text))
		return file, err
	}
	return jsonc.Parse(text)
}

// servers hands the entries of a file to the reader.
func (c client) servers(r *reader, file syntax.Value) error {
	if c.find != nil {
		return c.find(r, file)
	}
	return c.below(r, file)
}

// below passes the entries below the key of the client's description to the reader.
func (c client) below(r *reader, file syntax.Value) error {
	servers, ok := file.Get(c.agent.MCP.Key)
	if !ok {
		return nil
	}
	return r.read(servers, c.agent.MCP.Key)
}

// place is a file in which servers are configured.
type place struct {
	path    string
	scope   string
	project string // the folder of the project, of scope "project"
	plugin  plugin // of scope "plugin"
}

// places returns the client's files of the user and of the machine, in order of
// precedence.
func (c client) places(m machine) (all []place) {
	if c.files != nil {
		return c.files(m)
	}
	for _, path := range m.Paths(c.agent.MCP.System...) {
		all = append(all, place{path: path, scope: config.ScopeSystem})
	}
	for _, path := range m.Paths(c.agent.MCP.User...) {
		all = append(all, place{path: path, scope: config.ScopeUser})
	}
	return all
}

// machine is what reading a configuration depends on besides the file. Its OS is
// any: files of other systems may have been copied here.
type machine struct {
	agents.Machine
	inputs map[string]string // of [mcp.inputs]
	hide   func(path string) bool
}

// hidden reports whether a path is a view of ours, or of no concern.
func (m machine) hidden(path string) bool { return m.hide != nil && m.hide(path) }

// clientPlace is a file and the client that reads it.
type clientPlace struct {
	client
	place
}

// userPlaces returns all files of the user and of the machine, each once.
func userPlaces(m machine) (all []clientPlace) {
	seen := make(map[string]bool)
	for _, c := range clients() {
		for _, p := range c.places(m) {
			if !seen[p.path] {
				seen[p.path] = true
				all = append(all, clientPlace{c, p})
			}
		}
	}
	return all
}

// projectPlaces returns the files in the folder of a project, except for those
// that are a user's own.
func projectPlaces(folder string, own []clientPlace) (all []clientPlace) {
	for _, c := range clients() {
		if c.files != nil {
			continue
		}
		for _, name := range c.agent.MCP.Project {
			path := filepath.Join(folder, name)
			taken := func(p clientPlace) bool { return p.path == path }
			if !slices.ContainsFunc(own, taken) && !slices.ContainsFunc(all, taken) {
				all = append(all, clientPlace{c, place{path: path, scope: config.ScopeProject, project: folder}})
			}
		}
	}
	return all
}
