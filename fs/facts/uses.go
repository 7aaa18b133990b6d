package facts

import "time"

// Use is one use of something.
type Use struct {
	Used
	// Want is what a person had said last before, in short sentences of that
	// person's own: nothing that was pasted, quoted or said by a program. It may be
	// "".
	Want string `json:"want,omitempty"`
	// Said is the last sentence of the agent before the use, or "".
	Said    string     `json:"said,omitempty"`
	Outcome UseOutcome `json:"outcome,omitempty"`
	// Time is zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}

// Used names what was used as its user named it.
type Used struct {
	// Kind is the kind of the document, see [fs.Document]: "tool", "prompt" or "skill".
	Kind string `json:"kind"`
	// Server is the server of a tool. It is "" where Name may start with the
	// server, and the border is unknown: "my_server_my_tool".
	Server string `json:"server,omitempty"`
	Name   string `json:"name"`
}

// UseOutcome is what became of a use.
type UseOutcome string

// The outcomes. What is not known to have failed has worked.
const (
	Worked UseOutcome = ""
	Failed UseOutcome = "failed"
	Denied UseOutcome = "denied" // by a person, or by the rules of the configuration
)

// Statement is one sentence of the user's that says what may hold on.
type Statement struct {
	// Kind is "rule", "preference", "correction" or "decision".
	Kind string `json:"kind"`
	// Text is the sentence as it was said, on one line, without words such as "ok, and"
	// that lead to it.
	Text string `json:"text"`
	// Anchor names the place in the file: "0b0e2bd1/00012".
	Anchor string `json:"anchor"`
	// Time is zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}
