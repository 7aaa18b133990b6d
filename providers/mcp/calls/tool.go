package calls

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/policy"
)

// Tool is a tool as a call needs it. It is immutable.
type Tool struct {
	Name        string          // its own
	File        string          // that of its file, without ".json"
	Description string          // clean
	Input       json.RawMessage // the schema of its arguments as it is shown, or nil
	Schema      *Schema
	Destructive bool // its server marks it so
	ReadOnly    bool // its server marks it so: readOnlyHint
	// Sum is that of its definition: others have other ones.
	Sum rawjson.Fingerprint
	// TaskSupport reports whether it is called as a task: execution.taskSupport of its
	// definition, or "".
	TaskSupport string

	output  func() *Schema // of structured results; nil where it promises none
	maxText int            // the size in bytes up to which it wants its text handed over, or 0
}

// maxMaxText is the largest maxText that a tool may ask for.
const maxMaxText = 500_000

// newTool returns the tool of a definition as it is shown.
func newTool(is catalogue.Item) *Tool {
	t := &Tool{Name: is.Name, File: is.File, Sum: is.Sum}
	for name, value := range rawjson.Parts(is.Body) {
		switch name {
		case "description":
			_ = json.Unmarshal(value, &t.Description) // one of another type counts as none
			t.Description = clean.Text(t.Description)
		case "arguments":
			t.Input = value
		case "outputSchema":
			t.output = sync.OnceValue(func() *Schema { return arguments.Compile(value) })
		case "annotations":
			var hints struct{ DestructiveHint, ReadOnlyHint bool }
			if json.Unmarshal(value, &hints) == nil { // otherwise it says nothing
				t.Destructive, t.ReadOnly = hints.DestructiveHint, hints.ReadOnlyHint
			}
		case "execution":
			var is struct{ TaskSupport string }
			if json.Unmarshal(value, &is) == nil { // anything else is ignored
				t.TaskSupport = is.TaskSupport
			}
		case "_meta":
			var wish struct {
				Size float64 `json:"anthropic/maxResultSizeChars"`
			}
			if json.Unmarshal(value, &wish) == nil && wish.Size > 0 {
				t.maxText = int(min(wish.Size, maxMaxText))
			}
		}
	}
	t.Schema = arguments.Compile(t.Input)
	return t
}

// OnlyReads reports whether the definition of a tool says that it only reads.
func OnlyReads(definition json.RawMessage) bool {
	var is struct {
		Annotations struct{ ReadOnlyHint bool }
	}
	return json.Unmarshal(definition, &is) == nil && is.Annotations.ReadOnlyHint
}

// ToolCache finds tools by name, and keeps those found: their schemas take a
// while to compile. It may be used concurrently.
type ToolCache struct {
	mu    sync.Mutex
	of    *catalogue.Snapshot
	tools map[string]*Tool // by file
}

// Find returns the tool of a snapshot with a name: that of its file, or else its
// own. Server is the name of its folder.
func (c *ToolCache) Find(shown *catalogue.Snapshot, server, name string) (*Tool, error) {
	var found *catalogue.Item
	var known []string
	for i := range shown.Tools() {
		is := &shown.Tools()[i]
		if is.File == name {
			found = is
			break
		}
		if is.Name == name {
			found = is
		}
		known = append(known, is.Name)
	}
	if found == nil {
		fault := &ArgumentsError{
			What: fmt.Sprintf("server %s has no tool %q", server, clean.Cut(clean.Line(name), catalogue.SummaryLength)),
			Hint: "see what there is: ctxfs tools " + server,
		}
		if meant := nearest.Of(name, known); meant != "" {
			fault.Hint = fmt.Sprintf("did you mean %q?", clean.Line(meant))
		}
		return nil, fault
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != shown {
		c.of, c.tools = shown, make(map[string]*Tool)
	}
	t := c.tools[found.File]
	if t == nil {
		t = newTool(*found)
		c.tools[found.File] = t
	}
	return t, nil
}

// Prepare returns the arguments of a call of the tool if the call may be made.
// Servers are the names of its server, that of its folder first. In this order:
// the policy forbids it, the caller may only read, its arguments do not fit, it requires
// confirmation. Errors are [*policy.DeniedError] and [*ArgumentsError].
func (t *Tool) Prepare(c *Call, servers []string, rules *policy.Policy) (json.RawMessage, error) {
	is := policy.NewSubject(servers, t.Name, t.File)
	if err := rules.Check(is); err != nil {
		return nil, err
	}
	if by := c.Caller.Confined; by != nil && !t.ReadOnly {
		return nil, is.Confined(by, "its server does not say that it only reads (readOnlyHint)", "use a tool that only reads")
	}
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var err error
	if len(c.Words) > 0 {
		args, err = t.Schema.Parse(c.Words)
	}
	if err == nil {
		err = t.Schema.Check(args, c.Words...)
	}
	if fault := (*arguments.Error)(nil); errors.As(err, &fault) {
		return args, &ArgumentsError{What: fault.What, Hint: fault.Hint, Part: fault.Part}
	}
	if err == nil {
		args = t.Schema.Complete(args)
	}
	if err == nil && !c.Confirmed {
		err = rules.NeedsConfirmation(is, t.Destructive)
	}
	return args, err
}
