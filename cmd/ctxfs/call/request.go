// Package call is the client side of the command ctxfs call: it reads the files
// that the command line names, sends the words to the background process, which
// knows the tool, and prints the reply.
//
// A call needs only this package of the program, so it is made before the rest is
// initialised: see [Early]. The order of the parts: request.go (request and reply),
// words.go (the command line), input.go (standard input), run.go (the
// conversation), progress.go (the line that a person sees while waiting).
//
// What a server asks back ([form.Question]) is put to the person at the terminal
// ([Person]: person.go, field.go, tty.go), one question after the other
// (questioner.go).
package call

import (
	"time"

	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/mounts/control"
)

// Op is the operation that the background process answers. It sends [News] while it
// works, one with Begun set before anything that cannot be undone, and then a
// [Reply], followed by the bytes for standard output.
var Op = fs.Talk[Request, News, Reply]{Name: "call", Effect: fs.Depends}

// OpAnswer answers a question of a server, once. The answer to it is the question as
// it is then.
var OpAnswer = fs.Op[form.Answer, form.Question]{Name: "answer"}

// Request asks for a call of a tool.
type Request struct {
	// Words are the command line: options of the command, the server, the
	// tool, its arguments.
	Words  []form.Word `json:"words"`
	Caller Caller      `json:"caller"`
	// Project is where the folder is that --project names, if it does.
	Project fs.Standpoint `json:"project,omitzero"`
	// Input is the text of standard input; nil if it was not read.
	Input *string `json:"input,omitempty"`
	// Piped reports whether standard input may hold something that has not been
	// read.
	Piped bool `json:"piped,omitempty"`
	// Watched reports that a person sees the news of the call, and Asks that this person
	// can be asked what the server wants to know.
	Watched bool `json:"watched,omitempty"`
	Asks    bool `json:"asks,omitempty"`
}

// Caller describes the program that calls: who it is, for the log of calls, and
// where it stands, which says for which project it calls.
type Caller struct {
	Agent   string `json:"agent,omitempty"`   // such as "claude-code"; "" if unknown
	Session string `json:"session,omitempty"` // the agent's
	fs.Standpoint
}

// News is sent while a tool works.
type News struct {
	// Begun reports that the tool may have been called from now on.
	Begun bool `json:"begun,omitempty"`
	// Limit is how long the caller waits without a sign of progress from the tool;
	// 0 if there is no limit.
	Limit   time.Duration `json:"limit,omitempty"`
	Done    float64       `json:"done,omitempty"`
	Total   float64       `json:"total,omitempty"` // 0: not known
	Message string        `json:"message,omitempty"`
	// Question is one that the server asks, or that has changed; Closed is the ID of
	// one that needs no answer any more.
	Question *form.Question `json:"question,omitempty"`
	Closed   string         `json:"closed,omitempty"`
}

// Reply is the outcome of a call.
type Reply struct {
	// WantsInput reports that nothing was done yet, and that the call must be
	// requested again with the text of standard input, which may be the arguments.
	WantsInput bool `json:"wantsInput,omitempty"`
	// Code is the exit code.
	Code int `json:"code"`
	// Size is how many bytes follow for standard output.
	Size int64 `json:"size"`
	// Aside is printed to standard error as it is.
	Aside string `json:"aside,omitempty"`
	// Fault is why the call failed; nil if it did not.
	Fault *control.Fault `json:"fault,omitempty"`
}

// Follows implements the interface that [fs.Talk] describes.
func (r Reply) Follows() int64 { return r.Size }
