// Package call is the command "ctxfs call" on the side of its user: it reads
// the files that the command line names, hands the words to the background
// process, which knows the tool, and prints what comes back.
//
// It is all that a call needs of this program, and so it comes before the
// rest: see [Early].
package call

import (
	"time"

	"ctxfs/fs"
	"ctxfs/mounts/control"
)

// Op is the operation that the background process answers. It sends [News] while
// it works, one with Begun before anything that cannot be undone, and then a
// [Reply], which the bytes for standard output follow.
var Op = fs.Talk[Request, News, Reply]{Name: "call"}

// Request asks for a call of a tool.
type Request struct {
	// Words are the command line: options of the command, the server, the
	// tool, its arguments.
	Words  []Word `json:"words"`
	Caller Caller `json:"caller"`
	// Input is what stood on standard input; nil where it was not read.
	Input *string `json:"input,omitempty"`
	// Piped says that something may stand there, which has not been read.
	Piped bool `json:"piped,omitempty"`
	// Watched says that a person sees what is told meanwhile.
	Watched bool `json:"watched,omitempty"`
}

// Word is one word of the command line. What stood in a file has been read.
type Word struct {
	Text string `json:"text"`
	// Path is the file that was named by "@path", Body its text, which stands
	// behind Text; Body is nil where there was none.
	Path string  `json:"path,omitempty"`
	Body *string `json:"body,omitempty"`
}

// Caller is who calls, for the log of calls.
type Caller struct {
	Agent   string `json:"agent,omitempty"`   // "claude-code"; "" where it is not known
	Session string `json:"session,omitempty"` // the agent's
	Dir     string `json:"dir,omitempty"`
	PID     int    `json:"pid"`
}

// News is what is told while a tool works.
type News struct {
	// Begun says that the tool may have been called from now on.
	Begun bool `json:"begun,omitempty"`
	// Limit is how long the caller wants to wait without news of the tool; 0 if
	// he has set no limit.
	Limit   time.Duration `json:"limit,omitempty"`
	Done    float64       `json:"done,omitempty"`
	Total   float64       `json:"total,omitempty"` // 0: not known
	Message string        `json:"message,omitempty"`
}

// Reply is how the call went.
type Reply struct {
	// WantsInput says that nothing was done, and that the arguments may stand
	// on standard input.
	WantsInput bool `json:"wantsInput,omitempty"`
	// Code is the exit code.
	Code int `json:"code"`
	// Size is how many bytes follow for standard output.
	Size int64 `json:"size"`
	// Aside is for standard error, as it is.
	Aside string `json:"aside,omitempty"`
	// Fault is what went wrong.
	Fault *control.Fault `json:"fault,omitempty"`
}

// Follows implements the interface that [fs.Talk] describes.
func (r Reply) Follows() int64 { return r.Size }
