// Package event defines what all histories of coding agents have in common: a
// session is a list of events.
//
// An agent's reader (see package agents) turns the records of its history into
// events and passes them to a [Sink], in the order of the source. The sink numbers
// them and renders them (package render). Nothing is dropped on the way: an event
// that a person would not want to read is [Event.Quiet], a record that is not
// understood has kind [Unknown].
package event

import (
	"strings"
	"time"

	"ctxfs/providers/internal/mask"
)

// Kind is the kind of an event, as the word that a transcript uses for it.
type Kind string

const (
	User       Kind = "user"        // what a person said, or a program in that person's name (see Origin)
	Assistant  Kind = "assistant"   // what the model said
	Thinking   Kind = "thinking"    // what the model thought, as far as the agent stores it
	ToolCall   Kind = "tool-call"   // Call is set
	ToolResult Kind = "tool-result" // Result is set
	System     Kind = "system"      // what the agent's program said: errors, hooks, commands of its own
	Compaction Kind = "compaction"  // Compact is set; a mark in the transcript
	Rewind     Kind = "rewind"      // events were taken back; Rewound is set; a mark in the transcript
	Fork       Kind = "fork"        // what came before is in another session (Text is its id, Rewound.Count how many records); a mark
	Unknown    Kind = "unknown"     // a record that is not understood; Text is its type, Record its JSON
)

// The origins of user events: who really spoke.
const (
	Typed    = ""         // a person, at the prompt
	Queued   = "queued"   // a person, while the agent worked
	Injected = "injected" // the agent's program: reminders, summaries, outputs of commands
	SDK      = "sdk"      // another program
)

// Event is one thing that happened in a session.
type Event struct {
	// Seq is the number of the event in the session, from 1. The sink sets it. In a
	// log that is only appended to it never changes.
	Seq int
	// ID is the source's own id of the event, or "": a uuid, the id of a message or
	// of its part. It is the same whenever it is read.
	ID string
	// Time is zero where the source has no time.
	Time time.Time
	Kind Kind
	// Origin is one of the origins above; only of user events.
	Origin string
	// Model is that of an assistant's event, where it is known.
	Model string
	// Agent is the id of the subagent within this session that the event belongs
	// to, if the subagent's events are nowhere else.
	Agent string
	// Text is the text as in the source: nothing is cleaned, cut or escaped. Images
	// and other binary data are a note in it ([Blob]).
	Text    string
	Call    *Call
	Result  *Result
	Compact *Compact
	Rewound *Rewound
	// Subagent is the id of the session that a call has started.
	Subagent string
	// Quiet events are in messages.jsonl and not in the transcript: progress,
	// counts of tokens, snapshots.
	Quiet bool
	// Record is the source's record as JSON, of quiet and unknown events, and of
	// others where it says more than the fields above.
	Record string
	// At is where the record lies in a log. The sink sets it.
	At Span
}

// Span is a record in a log, in bytes.
type Span struct {
	Offset int64
	Length int64
	// Part counts the events of one record, from 0.
	Part int
}

// Call is a call of a tool.
type Call struct {
	ID, Name string
	// Input is the arguments: JSON where the tool takes an object, else the text
	// itself.
	Input string
}

// Result is the outcome of a call.
type Result struct {
	// CallID is the id of the call, Name its tool: "" where the call is not known.
	CallID, Name string
	Text         string
	Error        bool
	// Spill is the path of the agent's own file with the whole result, if Text is
	// only a part of it.
	Spill string
}

// Compact is the moment when an agent replaced its context with a summary.
type Compact struct {
	// Trigger is the source's word: "auto", "manual", or "".
	Trigger string
	// Tokens is the size of the context before, 0 where it is not known.
	Tokens int
	// Summary is the text that replaced it, if it is not an event of its own.
	Summary string
}

// Rewound are events that were taken back: they stay where they are.
type Rewound struct {
	// To is the number of the last event that still counts, 0 for none.
	To int
	// Count is how many turns or records were taken back, 0 where not known.
	Count int
}

// Mask replaces the secrets in the texts of an event, so that no copy of it has
// them. Equal events stay equal. Structs that the event points to are copied, not
// changed.
func (e *Event) Mask() {
	if e.Kind == Fork { // its text is an id
		return
	}
	e.Text = mask.Text(e.Text)
	e.Record = masked(e.Record)
	if e.Call != nil {
		if input := masked(e.Call.Input); input != e.Call.Input {
			c := *e.Call
			c.Input = input
			e.Call = &c
		}
	}
	if e.Result != nil {
		if text := masked(e.Result.Text); text != e.Result.Text {
			r := *e.Result
			r.Text = text
			e.Result = &r
		}
	}
	if e.Compact != nil {
		if summary := mask.Text(e.Compact.Summary); summary != e.Compact.Summary {
			c := *e.Compact
			c.Summary = summary
			e.Compact = &c
		}
	}
}

// masked returns a text without its secrets; JSON stays JSON.
func masked(text string) string {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return string(mask.JSON([]byte(text)))
	}
	return mask.Text(text)
}
