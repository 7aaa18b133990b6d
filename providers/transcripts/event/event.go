package event

import "time"

// Kind says what an event is, in the word that a transcript uses.
type Kind string

const (
	User       Kind = "user"        // what a person said, or what was said in his name (Origin)
	Assistant  Kind = "assistant"   // what the model said
	Thinking   Kind = "thinking"    // what the model thought, as far as the agent keeps it
	ToolCall   Kind = "tool-call"   // Call is set
	ToolResult Kind = "tool-result" // Result is set
	System     Kind = "system"      // what the agent's program said: errors, hooks, commands of its own
	Compaction Kind = "compaction"  // Compact is set; a mark in the transcript
	Rewind     Kind = "rewind"      // events were taken back; Rewound is set; a mark in the transcript
	Fork       Kind = "fork"        // what came before lies in another session (Text is its id, Rewound.Count how many records); a mark
	Unknown    Kind = "unknown"     // a record that is not understood; Text says its type, Record holds it
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
	// Seq is the number in the session, from 1. The sink sets it. For a log that
	// is only appended to it never changes.
	Seq int
	// ID is the source's own id of the event, "" where it has none: a uuid, the
	// id of a message or of its part. It is the same whenever it is read.
	ID string
	// Time is zero where the source does not know it.
	Time time.Time
	Kind Kind
	// Origin is one of the origins above; only of user events.
	Origin string
	// Model is that of an assistant's event, where it is known.
	Model string
	// Agent is the id of the subagent within this session that the event belongs
	// to, where a subagent's events are told nowhere else than here.
	Agent string
	// Text is what was said, as the source has it: nothing is cleaned, cut or
	// escaped. Images and other binary data are a note in it ([Blob]).
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
	// Spill is the path of a file in which the agent keeps the whole result,
	// where Text is only a part of it.
	Spill string
}

// Compact is the moment at which an agent replaced its context by a summary.
type Compact struct {
	// Trigger is the source's word: "auto", "manual", "" where it has none.
	Trigger string
	// Tokens is the size of the context before, 0 where it is not known.
	Tokens int
	// Summary is the text that replaced it, where it is no event of its own.
	Summary string
}

// Rewound are events that were taken back: they stay where they are.
type Rewound struct {
	// To is the number of the last event that still counts, 0 for none.
	To int
	// Count is how many turns or records were taken back, 0 where not known.
	Count int
}
