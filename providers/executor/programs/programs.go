// Package programs knows how agents are started with one task, and reads what they print.
//
// Each agent that ctxfs knows is a file with a function that returns an [agent]: its flags,
// and a reader of its events (stream.go). A kind of subagent may be a command instead,
// about which nothing is known: its standard output is the answer.
//
// No user is there to be asked. So an agent that may write gets flags that let it edit
// files in its folder and run commands without asking, and no more than that where its
// flags can say so; what its user denies in its settings stays denied. One that may only
// read gets its own flags for that, besides the sandbox around it.
package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/nearest"
)

// agent is an agent that ctxfs knows how to start.
type agent struct {
	// ID is its id in package agents, program the name of its command line.
	id, program string
	// Invoke returns how it is started with a prompt; more are arguments of the user's, which
	// go behind those of the agent's.
	invoke func(o Options, prompt string, more []string) Invocation
	// Stream returns a reader of what it prints.
	stream func() stream
	// Structured reports whether it has a flag for the schema of its answer, readOnly whether
	// it has one for being read-only.
	structured, readOnly bool
}

// known returns the agents that can be started, in the order in which they are named.
func known() []agent {
	return []agent{claude(), codex(), cursor(), gemini(), opencode(), copilot(), goose(), amp()}
}

// Names returns the names of the programs of all agents that can be started.
func Names() (all []string) {
	for _, a := range known() {
		all = append(all, a.program)
	}
	return all
}

// lookup returns the agent of a name: its id, or the name of its program.
func lookup(name string) (agent, bool) {
	for _, a := range known() {
		if name == a.id || name == a.program || slices.Contains(agents.ByID(a.id).Programs, name) {
			return a, true
		}
	}
	return agent{}, false
}

// Program is an agent that can be started.
type Program struct {
	// ID is the agent's id, or the name of a kind that is a command.
	ID    string
	path  string
	kind  request.Kind
	agent *agent // nil for a command
}

// UnknownError is the error of a name that stands for no agent.
type UnknownError struct {
	Name string
	// Near is the name that was probably meant, or "".
	Near string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s is no agent that ctxfs can start; these are %s", e.Name, strings.Join(Names(), ", "))
}

// notInstalledError is the error of an agent whose program is not in PATH. It is
// [exec.ErrNotFound].
type notInstalledError struct{ name, program string }

func (e *notInstalledError) Error() string {
	return fmt.Sprintf("%s is not installed: there is no %s in PATH", e.name, e.program)
}

func (e *notInstalledError) Is(target error) bool { return target == exec.ErrNotFound }

// unknown returns the error of a name that stands for no agent.
func unknown(name string) *UnknownError {
	all := Names()
	for _, a := range known() {
		all = append(all, a.id)
	}
	return &UnknownError{Name: name, Near: nearest.Of(name, all)}
}

// Find returns the program that a name stands for. The kind is what Resolve returned. The
// error is an [*UnknownError], or says why the program cannot be started.
func Find(name string, kind request.Kind) (Program, error) {
	if len(kind.Command) > 0 {
		path, err := exec.LookPath(kind.Command[0])
		if err != nil {
			return Program{}, fmt.Errorf("the command of [agents.%s] cannot be started: %w", name, err)
		}
		return Program{ID: name, path: path, kind: kind}, nil
	}
	a, ok := lookup(kind.Agent)
	if !ok {
		return Program{}, unknown(kind.Agent)
	}
	path, err := exec.LookPath(a.program)
	if errors.Is(err, exec.ErrNotFound) {
		err = &notInstalledError{agents.ByID(a.id).Name, a.program}
	}
	if err != nil {
		return Program{}, err
	}
	return Program{ID: a.id, path: path, kind: kind, agent: &a}, nil
}

// ReadSettings reads the table [agents] of the config.toml at path, as
// [request.ReadSettings] does. A kind that has one name of an agent stands for its other one,
// too.
func ReadSettings(path string) (request.Settings, []fs.Problem) {
	s, problems := request.ReadSettings(path, func(name string) error {
		if _, ok := lookup(name); ok {
			return nil
		}
		return unknown(name)
	})
	for _, a := range known() {
		s.Alias(a.id, a.program)
		s.Alias(a.program, a.id)
	}
	return s, problems
}

// Available returns what can be started here: kinds of subagents, and agents that are
// installed.
func Available(s request.Settings) []string {
	all := slices.Sorted(maps.Keys(s.Kinds))
	for _, name := range Names() {
		_, missing := exec.LookPath(name)
		if _, ok := s.Kinds[name]; !ok && missing == nil {
			all = append(all, name)
		}
	}
	return all
}

// Options is what an agent is started for.
type Options struct {
	Prompt, Dir, Scratch string
	// Hint is the one line that says where the agent finds its context, Mount the folder of
	// that context, which is outside of Dir; or "".
	Hint, Mount string
	ReadOnly    bool
	Schema      json.RawMessage
}

// Invocation is a command line, and what is added to the environment.
type Invocation struct {
	Argv, Env []string
	// Session is the id of the agent's session, where it takes one; "" elsewhere.
	Session string
}

const promptHolder = "{prompt}"

// Invoke returns how the agent is started.
func (p Program) Invoke(o Options) Invocation {
	prompt := o.Prompt
	if o.Hint != "" { // behind it: agents make titles of how a prompt begins
		prompt += "\n\n" + o.Hint
	}
	if p.agent != nil {
		i := p.agent.invoke(o, prompt, p.kind.Args)
		i.Argv = append([]string{p.path}, i.Argv...)
		return i
	}
	words := append(slices.Clone(p.kind.Command), p.kind.Args...)
	held := false
	for i, word := range words {
		if i > 0 && strings.Contains(word, promptHolder) {
			words[i], held = strings.ReplaceAll(word, promptHolder, prompt), true
		}
	}
	if !held {
		words = append(words, prompt)
	}
	words[0] = p.path
	return Invocation{Argv: words}
}

// HasReadOnly reports whether the agent has flags of its own for being read-only.
func (p Program) HasReadOnly() bool { return p.agent != nil && p.agent.readOnly }

// State returns what the agent writes for itself while it works, and which of that decides
// what its later sessions do.
func (p Program) State() (state, configuration []agents.Path) {
	if p.agent == nil {
		for _, path := range p.kind.State {
			state = append(state, agents.Path(path))
		}
		return state, nil
	}
	a := agents.ByID(p.agent.id)
	return a.State, a.Configuration()
}

// Output is what an agent's output says.
type Output struct {
	// Text is its answer; the middle of one that is longer than MaxText is left out.
	Text string
	// Session is the agent's id of its session, Failed why it says that it failed.
	Session, Failed string
	Structured      json.RawMessage
	Usage           *request.Usage
}

// MaxText is how much of an answer is kept, in bytes.
const MaxText = 1 << 20

// Live receives what an agent prints while it works.
type Live struct {
	// Show shows text in its terminal.
	Show func(text string)
	// Session is called once, when the id of its session is known.
	Session func(id string)
}

// Name returns the name of its program, as it is typed.
func (p Program) Name() string { return filepath.Base(p.path) }

// Renders reports whether Read shows what the agent prints, since that is not meant for
// people.
func (p Program) Renders() bool { return p.agent != nil }

// Read reads what the agent prints to its standard output, to the end.
func (p Program) Read(stdout io.Reader, o Options, live Live) (out Output, err error) {
	if p.agent == nil {
		text := excerpt.NewWriter(MaxText)
		_, err = io.Copy(text, stdout)
		out.Text = string(text.Excerpt(""))
	} else {
		err = readStream(stdout, p.agent.stream(), o, live, &out)
		out.Text = string(excerpt.Of([]byte(out.Text), MaxText, ""))
	}
	out.Text = strings.ToValidUTF8(out.Text, "\uFFFD")
	if len(o.Schema) > 0 && (p.agent == nil || !p.agent.structured) {
		out.Structured = json.RawMessage(request.Unsupported)
	}
	return out, err
}
