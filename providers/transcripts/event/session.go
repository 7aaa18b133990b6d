package event

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// Session describes a session as a whole.
type Session struct {
	// Agent is the agent's name as the tree has it: "claude-code".
	Agent string `json:"agent"`
	// ID is the agent's own id of the session. It is its identity: paths move.
	ID string `json:"id"`
	// Parent is the id of the session that started this one as a subagent.
	Parent string `json:"parent,omitempty"`
	// ForkOf is the id of the session whose beginning this one repeats.
	ForkOf string `json:"fork_of,omitempty"`
	// Aliases are other ids that the session is known by.
	Aliases []string `json:"aliases,omitempty"`
	// CWD is the folder that the agent was started in.
	CWD string `json:"cwd,omitempty"`
	// Project is what the agent calls the project, where CWD is not known.
	Project string `json:"project,omitempty"`
	Title   string `json:"title,omitempty"`
	Model   string `json:"model,omitempty"`
	Branch  string `json:"branch,omitempty"`
	// Program is the version of the agent.
	Program string `json:"program,omitempty"`
	// Start and Last are zero if the source has no times; they are never invented.
	Start    time.Time `json:"start,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Archived bool      `json:"archived,omitempty"`

	// TitleRank is the rank of Title.
	TitleRank TitleRank `json:"title_rank,omitempty"`
}

// TitleRank is the quality of a title: one of a higher rank replaces it.
type TitleRank int

const (
	FromCommand TitleRank = iota + 1 // a prompt that is no more than a command of the agent's: "/clear"
	FromPrompt                       // the first thing that a person typed; the first one stays
	FromSummary                      // what a model made of the conversation
	FromAgent                        // what the agent calls the session
	FromUser                         // what the user called it
)

// maxTitle is the length of the longest title, in bytes.
const maxTitle = 200

// Name sets the title of the session to the first words of a text, in one line,
// unless the session has a title of a higher rank. The first of several prompts
// stays; of other titles with one rank the last.
func (s *Session) Name(rank TitleRank, title string) {
	title = clean.Cut(clean.Line(mask.Text(clean.Prefix(title, 4*maxTitle))), maxTitle)
	if rank == FromPrompt && isCommand(title) {
		rank = FromCommand
	}
	if title == "" || rank < s.TitleRank || rank <= FromPrompt && s.TitleRank == rank {
		return
	}
	s.Title, s.TitleRank = title, rank
}

// isCommand reports whether a prompt is a command of the agent's, not a path.
func isCommand(prompt string) bool {
	word, _, _ := strings.Cut(prompt, " ")
	return strings.HasPrefix(word, "/") && strings.IndexByte(word[1:], '/') < 0
}

// Used records the model that answered last, if it is known.
func (s *Session) Used(model string) { s.Model = cmp.Or(model, s.Model) }

// Saw records a time when something happened in the session.
func (s *Session) Saw(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.Start.IsZero() || t.Before(s.Start) {
		s.Start = t
	}
	if t.After(s.Last) {
		s.Last = t
	}
}

// Sink receives the events of one session.
type Sink interface {
	// Session returns what is known so far; readers fill it in while they read.
	Session() *Session
	// Emit adds the next event and returns its number. It passes the event's time to
	// Session.Saw.
	Emit(Event) int
	// Note records a native id as that of the last emitted event, for Known, also
	// in later runs over what was appended since.
	Note(id string)
	// Known returns the number of the event for which an id was recorded; ok is false
	// if no event has it.
	Known(id string) (seq int, ok bool)
	// Inherited reports whether the session that this one is a fork or a
	// continuation of has recorded that id: then its record is there, and left out
	// here. It is always false if that session is gone.
	Inherited(id string) bool
}

// Blob returns the note that stands for binary data: "[image/png 34 KB]". The size
// is in bytes, before any encoding.
func Blob(mediaType string, size int) string {
	mediaType = cmp.Or(mediaType, "binary")
	switch {
	case size < 1000:
		return fmt.Sprintf("[%s %d bytes]", mediaType, size)
	case size < 1000*1000:
		return fmt.Sprintf("[%s %d KB]", mediaType, (size+500)/1000)
	}
	return fmt.Sprintf("[%s %.1f MB]", mediaType, float64(size)/1e6)
}

// Collector is a Sink that stores all events. It is for tests, and for reading a
// single record again.
type Collector struct {
	Of     Session
	Events []Event
	// Parent are the ids that the session inherits.
	Parent map[string]bool

	ids map[string]int
}

// Session implements Sink.
func (c *Collector) Session() *Session { return &c.Of }

// Emit implements Sink.
func (c *Collector) Emit(e Event) int {
	e.Seq = len(c.Events) + 1
	c.Of.Saw(e.Time)
	c.Events = append(c.Events, e)
	return e.Seq
}

// Note implements Sink.
func (c *Collector) Note(id string) {
	if c.ids == nil {
		c.ids = make(map[string]int)
	}
	c.ids[id] = len(c.Events)
}

// Known implements Sink.
func (c *Collector) Known(id string) (seq int, ok bool) {
	seq, ok = c.ids[id]
	return seq, ok
}

// Inherited implements Sink.
func (c *Collector) Inherited(id string) bool { return c.Parent[id] }

// FileSink is a Sink that wants to know what was in the files that calls read and wrote,
// where an agent records that beside what it told the model.
type FileSink interface {
	Sink
	// File is called before the result of a call is emitted.
	File(callID string, f File)
}

// File is the content of a file as an agent has recorded it.
type File struct {
	Path string
	Text string
	// Line is the number of the first line of Text, from 1; Whole reports whether that
	// is all of the file.
	Line  int
	Whole bool
	// Before reports whether it is the content before the call, not after it.
	Before bool
}
