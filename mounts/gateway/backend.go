package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"ctxfs/fs/form"
)

// Backend provides what a gateway shows. Its methods are called concurrently and
// return when their context ends; an error that is a [Fault] has a fix.
type Backend interface {
	// Overview returns a short text that names the contents of the tree, for the
	// instructions that an agent reads first. It is called once per connection.
	Overview(ctx context.Context) (string, error)
	// List returns the entries of a folder, or the single entry of a file, with
	// Itself set. Paths have no leading slash; "" is the root.
	List(ctx context.Context, path string) ([]Entry, error)
	// Read writes a whole file to w. An error of w ends it and is returned.
	Read(ctx context.Context, path string, w io.Writer) error
	// Find returns a list of what matches a query, best first, to be read as it is; ""
	// if nothing does. A tool's signature is in it.
	Find(ctx context.Context, q Query) (string, error)
	// Call calls a tool. If the text of its result is longer than MaxText, the
	// last line of what is returned names the file that has all of it. Call may
	// call progress from any goroutine until it returns. If the tool's server asks
	// something, the result is that question, and the call goes on as a task.
	Call(ctx context.Context, c Call, progress func(Progress)) (*Result, error)
	// Continue waits for the result of a task, or its next question. The task goes on
	// when ctx ends.
	Continue(ctx context.Context, task string, progress func(Progress)) (*Result, error)
	// Answered waits until a question of a task needs no answer any more.
	Answered(ctx context.Context, q form.Question) error
	// Answer answers a question. An answer that does not fit is a [Fault], and the
	// question stays open; of one that is open no more the error is ErrAnswered.
	Answer(ctx context.Context, a form.Answer) error
	// Wait waits until a condition holds, or for its timeout, and returns how it then
	// stands, to be read as it is.
	Wait(ctx context.Context, w Wait) (string, error)
	// CancelTask cancels a task.
	CancelTask(ctx context.Context, task string) error
}

// Entry is one entry of a folder.
type Entry struct {
	Name string
	Dir  bool
	Size int64 // in bytes, of a file
	// Itself reports whether this is the file that was listed.
	Itself bool
}

// Query is a question for Find.
type Query struct {
	Wants []string // what is looked for, each separately
	In    string   // a folder, or "" for the whole tree
	Limit int      // of each want
}

// Call is a call of a tool.
type Call struct {
	Server, Tool string
	Arguments    json.RawMessage // one object, or nil
	Confirmed    bool
	// Client is the name of the program at the other end, or "".
	Client string
	// Session is the ID of the client's session over HTTP, or "".
	Session string
	// Root is the folder in which the client says that it works, or "".
	Root string
	// Samples reports that the client can answer for a language model.
	Samples bool
}

// Progress is how far a call has come. Total is 0 if it is unknown.
type Progress struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// Result is the result of a tool.
type Result struct {
	// Failed reports whether the tool says that it failed.
	Failed bool   `json:"failed,omitempty"`
	Text   string `json:"text"`
	// Blocks are further blocks of content, unchanged.
	Blocks []json.RawMessage `json:"blocks,omitempty"`
	// Structured is an object, or nil if the result has no such object or Text has
	// all of it.
	Structured json.RawMessage `json:"structured,omitempty"`
	// Misfit says how the result violates the tool's output schema, or is "".
	Misfit string `json:"misfit,omitempty"`
	// Note says how the call was made where its caller may not expect it, such as
	// outside of a project, or is "".
	Note string `json:"note,omitempty"`
	// Question is what the server asks before there is a result, or nil.
	Question *form.Question `json:"question,omitempty"`
}

// ErrAnswered reports that a question needs no answer any more.
var ErrAnswered = errors.New("the question needs no answer any more: it was answered elsewhere, withdrawn, or not answered in time")

// Fault is an error and its fix, both for a reader.
type Fault struct {
	What string `json:"what"`
	Mend string `json:"mend,omitempty"`
	// Missing reports that what was named does not exist.
	Missing bool `json:"missing,omitempty"`
}

func (f *Fault) Error() string { return f.What }

// words returns what an agent reads of an error.
func words(err error) string {
	var f *Fault
	switch {
	case errors.As(err, &f) && f.Mend != "":
		return f.What + "\n" + f.Mend
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return err.Error()
}

// overviewTime is how long a connection may wait for the overview; an agent
// that connects without it never learns what there is. Clients give a server at
// least ten seconds to connect.
const overviewTime = 5 * time.Second
