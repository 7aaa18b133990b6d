// Package programs knows how agents are started, and reads what they print.
package programs

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/excerpt"
)

// Program is an agent that can be started.
type Program struct {
	// ID is the agent's id, or the name of a kind that has a command.
	ID   string
	path string
	kind request.Kind
}

// Find returns the program that a name stands for. The kind is what Resolve returned.
func Find(name string, kind request.Kind) (Program, error) {
	if len(kind.Command) == 0 {
		return Program{}, fmt.Errorf("%s is no kind of subagent in the configuration", name)
	}
	path, err := exec.LookPath(kind.Command[0])
	if err != nil {
		return Program{}, fmt.Errorf("the command of [agents.%s] cannot be started: %w", name, err)
	}
	return Program{ID: name, path: path, kind: kind}, nil
}

// Options is what an agent is started for.
type Options struct {
	Prompt, Dir, Scratch string
	// Hint is the one line that says where the agent finds its context.
	Hint     string
	ReadOnly bool
	Schema   json.RawMessage
}

// Invocation is a command line, and what is added to the environment.
type Invocation struct{ Argv, Env []string }

const promptHolder = "{prompt}"

// Invoke returns how the agent is started.
func (p Program) Invoke(o Options) (Invocation, error) {
	prompt := o.Prompt
	if o.Hint != "" {
		prompt = o.Hint + "\n\n" + prompt
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
	return Invocation{Argv: words}, nil
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

// Read reads what the agent prints to its standard output, to the end.
func (p Program) Read(stdout io.Reader, o Options) (out Output, err error) {
	text := excerpt.NewWriter(MaxText)
	_, err = io.Copy(text, stdout)
	out.Text = strings.ToValidUTF8(string(text.Excerpt("")), "\uFFFD")
	if len(o.Schema) > 0 {
		out.Structured = json.RawMessage(request.Unsupported)
	}
	return out, err
}
