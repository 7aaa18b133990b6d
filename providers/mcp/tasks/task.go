// Package tasks keeps calls that go on without their callers, because they were
// made so (call --detach) or because their server asks something, and what became
// of them.
//
// A [Task] is what is known of such a call, and an [Outcome] is what became of it;
// [Store] keeps both in a folder, so that they outlive the process that has made the
// call (store.go).
package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/calls"
)

// The states of a [Task].
const (
	Working   = "working"
	Asks      = "asks" // it waits for the answer to a question
	Done      = "done"
	Failed    = "failed" // its call has failed, or the tool says so
	Cancelled = "cancelled"
	// Lost is a call that was under way when its process ended: whether the tool has
	// done its work is not known.
	Lost = "lost"
)

// Task is a call that goes on without its caller. Its texts are clean.
type Task struct {
	ID     string `json:"id"`
	Server string `json:"server"` // the name of its folder
	Tool   string `json:"tool"`
	State  string `json:"state"`
	// What says more about the state, in one line; it may be empty.
	What string `json:"what,omitempty"`
	// Done and Total are the progress that the tool has reported, in its own units;
	// 0 is unknown.
	Done  float64 `json:"progress,omitempty"`
	Total float64 `json:"total,omitempty"`
	// Questions are the IDs of the open questions of the call.
	Questions []string `json:"questions,omitempty"`
	// Asked are the IDs of all its questions, the last ones.
	Asked []string `json:"asked,omitempty"`
	// Since is when the call was made, and Ended when it ended; zero while it has
	// not.
	Since time.Time `json:"since"`
	Ended time.Time `json:"ended,omitzero"`
	// Project is the folder of the project for which the call was made, or "".
	Project string       `json:"project,omitempty"`
	Caller  calls.Caller `json:"caller"`
	// Arguments is a digest of the arguments, by which equal calls are recognized.
	Arguments string `json:"arguments,omitempty"`
	// Remote is the ID of the server's own task, by which it is asked for again.
	Remote string `json:"remote,omitempty"`
	// Result is the command that waits for the outcome and prints it, and Cancel is
	// the one that cancels the call; "" when it has ended.
	Result string `json:"result"`
	Cancel string `json:"cancel,omitempty"`
}

// HasEnded reports whether the task is in a state that it does not leave.
func (t *Task) HasEnded() bool {
	switch t.State {
	case Working, Asks:
		return false
	}
	return true
}

// Line returns the task as one line.
func (t *Task) Line() string {
	text := fmt.Sprintf("%s: %s/%s %s, since %s", t.ID, t.Server, t.Tool, t.State, wording.Time(t.Since))
	if t.What != "" {
		text += ": " + t.What
	}
	return text
}

// withCommands fills in the commands.
func (t Task) withCommands() Task {
	t.Result, t.Cancel = "ctxfs call --continue "+t.ID, ""
	if !t.HasEnded() {
		t.Cancel = "ctxfs tasks cancel " + t.ID
	}
	return t
}

// Outcome is what became of a call.
type Outcome struct {
	// Word is one of the outcomes of calls, such as [calls.OutcomeOK].
	Word string `json:"outcome"`
	// Result is what the tool answered; nil where the call has failed, and Fault and
	// Fix then say why and what to do.
	Result *calls.Result `json:"result,omitempty"`
	Fault  string        `json:"fault,omitempty"`
	Fix    string        `json:"fix,omitempty"`
}

// Redacted returns the outcome with its texts as redact returns them.
func (o Outcome) Redacted(redact func(string) string) Outcome {
	o.Fault = redact(o.Fault)
	if o.Result == nil {
		return o
	}
	r := *o.Result
	for _, text := range []*[]byte{&r.Text, &r.Aside, (*[]byte)(&r.Structured), (*[]byte)(&r.Raw)} {
		if len(*text) > 0 {
			*text = []byte(redact(string(*text)))
		}
	}
	r.Fault, r.Misfit = redact(r.Fault), redact(r.Misfit)
	o.Result = &r
	return o
}

// bounded returns the outcome without a raw result that is too long to be kept.
func (o Outcome) bounded() *Outcome {
	if o.Result != nil && len(o.Result.Raw) > maxRaw {
		r := *o.Result
		r.Raw = nil
		r.Fault = cmp.Or(r.Fault, "the answer of the server was not kept whole: it has "+wording.Size(int64(len(o.Result.Raw))))
		o.Result = &r
	}
	return &o
}

// size returns about how much memory the outcome takes, in bytes.
func (o *Outcome) size() int {
	n := len(o.Fault) + len(o.Fix)
	if r := o.Result; r != nil {
		n += len(r.Text) + len(r.Aside) + len(r.Structured) + len(r.Raw)
	}
	return n
}

// Digest returns a short digest of a call's arguments, the same however they are
// written.
func Digest(args json.RawMessage) string {
	var compact bytes.Buffer
	if len(args) == 0 || json.Compact(&compact, args) != nil {
		return ""
	}
	sum, _ := rawjson.FingerprintOf(compact.Bytes()).MarshalText()
	return string(sum[:min(16, len(sum))])
}
