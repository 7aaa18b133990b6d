package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Backend is what a gateway shows. Its methods are called concurrently and end
// with their context; an error that is a [Fault] says what mends it.
type Backend interface {
	// Overview is a short text that names what there is, for the instructions
	// that an agent reads first. It is asked for once a connection.
	Overview(ctx context.Context) (string, error)
	// List returns the entries of a folder, or the one entry of a file, which
	// says so. Paths have no leading slash; "" is the root.
	List(ctx context.Context, path string) ([]Entry, error)
	// Read writes a file, whole. An error of w ends it and is returned.
	Read(ctx context.Context, path string, w io.Writer) error
	// Find returns what fits some words, the best first.
	Find(ctx context.Context, q Query) ([]Match, error)
	// Call calls a tool. Of a text that is longer than MaxText the whole is
	// in a file, whose path the last line of what is shown tells. Progress may be called from
	// any goroutine until Call returns.
	Call(ctx context.Context, c Call, progress func(Progress)) (*Result, error)
}

// Entry is one entry of a folder.
type Entry struct {
	Name string
	Dir  bool
	Size int64 // in bytes, of a file
	// Itself says that this is the file asked for.
	Itself bool
}

// Query is what is looked for.
type Query struct {
	Words string
	In    string // a folder, or "" for everywhere
	Limit int
}

// Match is something found.
type Match struct {
	Path string
	Why  string // one line
}

// Call is a call of a tool.
type Call struct {
	Server, Tool string
	Arguments    json.RawMessage // one object, or nil
	Confirmed    bool
	// Client is the name of the program that asks, where it has told.
	Client string
}

// Progress is how far a call has come. Total is 0 where it is not known.
type Progress struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// Result is what a tool answered.
type Result struct {
	// Failed says that the tool says that it failed.
	Failed bool   `json:"failed,omitempty"`
	Text   string `json:"text"`
	// Blocks are blocks of content besides, as they came.
	Blocks []json.RawMessage `json:"blocks,omitempty"`
	// Structured is an object, or nil where there is none or Text does not
	// hold all of it.
	Structured json.RawMessage `json:"structured,omitempty"`
	// Misfit says how the result is not what the tool's output schema promises,
	// or is "".
	Misfit string `json:"misfit,omitempty"`
}

// Fault is an error and what mends it, both for a reader.
type Fault struct {
	What string `json:"what"`
	Mend string `json:"mend,omitempty"`
}

func (f *Fault) Error() string { return f.What }

// words are what an agent reads of an error.
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

// overviewTime is how long a connection may wait for the overview, without
// which the agent does not know what there is until it ends. Clients give a
// server at least ten seconds to connect.
const overviewTime = 5 * time.Second
