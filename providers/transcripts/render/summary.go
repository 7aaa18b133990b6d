package render

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/toolcall"
)

// Summary collects what digest.md and files.tsv say about a session, event by
// event. JSON saves and restores it between two runs. However long the session is,
// it stays at some 64 KB: it counts what it has to drop.
type Summary struct {
	// CWD is the session's folder, to which paths are relative. It should be set
	// before the first event, and never changes after.
	CWD string `json:"cwd,omitempty"`

	Events  int `json:"events"` // that the transcript shows
	Results int `json:"results,omitempty"`
	// Said are the messages of people, Points what the model had last said before
	// each: its conclusions.
	Said   notes `json:"said"`
	Points notes `json:"points"`
	// First is the text that the session began with, of whatever origin, and
	// Latest what the model said last.
	First  *note  `json:"first,omitempty"`
	Latest *note  `json:"latest,omitempty"`
	Ending ending `json:"ending"`
	// Marks are compactions, rewinds and forks.
	Marks notes `json:"marks"`
	// Compactions is how many there were.
	Compactions int `json:"compactions,omitempty"`

	Tools    map[string]*toolUse `json:"tools,omitempty"`
	Programs map[string]*toolUse `json:"programs,omitempty"`
	Failures failures            `json:"failures"`
	Tasks    tasks               `json:"tasks"`
	Runs     runs                `json:"runs,omitzero"`
	Commands commands            `json:"commands,omitzero"`
	Paths    touchedFiles        `json:"files"`
	// Steps are the last calls, Open the calls that wait for their results.
	Steps []step  `json:"steps,omitempty"`
	Open  []*step `json:"open,omitempty"`
}

// toolUse is the number of calls of a tool.
type toolUse struct {
	Calls  int `json:"c"`
	Errors int `json:"e,omitempty"`
	Seq    int `json:"n"` // of the last call
}

// step is one call.
type step struct {
	Seq  int    `json:"n"`
	ID   string `json:"id,omitempty"`
	Tool string `json:"tool"`
	What string `json:"what,omitempty"` // its most telling argument
	// Done is set when the result has come, Error if it was one.
	Done  bool `json:"done,omitempty"`
	Error bool `json:"error,omitempty"`
	// Touched are the files that the call reads or writes.
	Touched []fileTouch `json:"files,omitempty"`
	// Run is the command, if it builds, tests or checks.
	Run string `json:"run,omitempty"`
	// Piped is set if its exit code is that of another program.
	Piped bool `json:"piped,omitempty"`
	// Command is the command line of a shell that may change files, At when it was
	// called, in seconds since 1970, 0 if that is not known.
	Command string `json:"cmd,omitempty"`
	At      int64  `json:"at,omitempty"`
	// Task is what the call does to the list of tasks.
	Task *taskChange `json:"task,omitempty"`
}

// The sizes of what is stored.
const (
	maxSaid   = 10 << 10
	maxPoints = 6 << 10
	maxMarks  = 2 << 10
	maxTools  = 40
	maxSteps  = 12
	maxOpen   = 24

	longRequest = 1600 // bytes of the first message
	longNote    = 500
	longWhat    = 160
)

// Add adds the next event of the session.
func (s *Summary) Add(e *event.Event) {
	if e.Quiet {
		return
	}
	s.Events++
	switch {
	case isMark(e.Kind):
		t := Transcript{Compactions: s.Compactions}
		line := strings.Trim(string(t.mark(nil, e)), "= \n")
		s.Marks.add(note{Seq: e.Seq, Text: clean.Cut(strings.TrimSpace(line[:strings.LastIndexByte(line, '[')]), longNote)}, maxMarks)
		s.Compactions = t.Compactions
	case e.Call != nil:
		s.addCall(e)
	case e.Result != nil:
		s.addResult(e)
	case e.Agent != "": // what a subagent says is not the session's
	case e.Kind == event.User:
		s.addMessage(e)
		s.addEnding(e)
	case e.Kind == event.Assistant && e.Model != synthetic:
		s.addReply(e.Seq, "", e.Text)
	default:
		s.addEnding(e)
	}
}

// addReply records what the model has said, by a tool if one is named.
func (s *Summary) addReply(seq int, tool, text string) {
	if s.Ending.addReply(seq, tool, text) {
		s.Latest = &note{Seq: seq, Text: oneLineOf(text, longNote)}
	}
}

// addMessage records a message of the user.
func (s *Summary) addMessage(e *event.Event) {
	limit := longNote
	if len(s.Said.Notes) == 0 {
		limit = longRequest
	}
	text := oneLineOf(e.Text, limit)
	if text == "" {
		return
	}
	if s.First == nil {
		s.First = &note{Seq: e.Seq, Text: oneLineOf(e.Text, longRequest)}
	}
	if e.Origin == event.Injected {
		return
	}
	if s.Latest != nil && (len(s.Points.Notes) == 0 || s.Points.last().Seq != s.Latest.Seq) {
		s.Points.add(*s.Latest, maxPoints)
	}
	s.Said.add(note{Seq: e.Seq, Text: text, How: e.Origin}, maxSaid)
}

// addCall records a call.
func (s *Summary) addCall(e *event.Event) {
	name := e.Call.Name
	call := toolcall.Parse(e.Call)
	input, command := call.Input, call.Command
	// Parts of a record are copied: they would keep all of it in memory.
	st := &step{Seq: e.Seq, ID: strings.Clone(e.Call.ID), Tool: strings.Clone(clean.Cut(clean.Line(name), 60))}
	st.Touched = s.touches(call)
	st.What = strings.Clone(s.telling(st, call))
	line, piped := runLine(command, s.CWD)
	st.Run, st.Piped = strings.Clone(line), piped
	if command != "" && len(st.Touched) == 0 && !e.Time.IsZero() {
		st.Command, st.At = strings.Clone(oneLineOf(command, longCommand)), e.Time.Unix()
	}
	if st.Task = taskOf(name, input); st.Task != nil && st.Task.All && e.Agent != "" {
		st.Task = nil // a list of the subagent's own
	}
	count(&s.Tools, st.Tool, e.Seq)
	if program := programOf(command); program != "" {
		count(&s.Programs, program, e.Seq)
	}
	if len(s.Open) == maxOpen {
		s.finishCall(s.Open[0], s.Results == 0, "")
		s.Open = s.Open[1:]
	}
	s.Open = append(s.Open, st)
	if len(s.Steps) == maxSteps {
		s.Steps = append(s.Steps[:0], s.Steps[1:]...)
	}
	s.Steps = append(s.Steps, step{Seq: st.Seq, Tool: st.Tool, What: st.What})
	if text := shownToUser(name, input); text != "" && e.Agent == "" {
		s.addReply(e.Seq, st.Tool, text)
	}
}

// addResult records the result of a call.
func (s *Summary) addResult(e *event.Event) {
	s.Results++
	for i, st := range s.Open {
		if st.ID != e.Result.CallID || st.ID == "" && st.Tool != e.Result.Name {
			continue
		}
		s.Open = append(s.Open[:i:i], s.Open[i+1:]...)
		for j := range s.Steps {
			if s.Steps[j].Seq == st.Seq {
				s.Steps[j].Done, s.Steps[j].Error = true, e.Result.Error
			}
		}
		at := int64(0)
		if !e.Time.IsZero() {
			at = e.Time.Unix()
		}
		s.Commands.add(st, at)
		if failed := reportsFailure(e.Result.Text); st.Run != "" && (failed || !st.Piped) {
			s.Runs.add(st.Run, st.Seq, at, e.Result.Text, failed || e.Result.Error)
		}
		if e.Result.Error {
			if u := s.Tools[st.Tool]; u != nil {
				u.Errors++
			}
			s.Failures.addFailure(st, e)
			if e.Agent == "" {
				s.Ending.addFault(e.Seq, st.Tool+" failed", s.Failures.List[len(s.Failures.List)-1].Error)
			}
			return
		}
		s.Failures.addSuccess(st, e.Result.Text)
		if e.Agent == "" {
			s.Ending.After = nil
			if shown := s.Ending.Shown; shown != nil && shown.Seq == st.Seq {
				s.Ending.asked(e.Seq, "answer to "+st.Tool, e.Result.Text)
			}
		}
		for k := range st.Touched {
			st.Touched[k].At = at
		}
		s.finishCall(st, true, e.Result.Text)
		return
	}
}

// finishCall records what a call has done, if it worked.
func (s *Summary) finishCall(st *step, worked bool, result string) {
	if !worked {
		return
	}
	for _, touched := range st.Touched {
		s.Paths.add(touched, st.Tool, st.Seq)
	}
	if st.Task != nil {
		s.Tasks.apply(st.Task, st.Seq, result)
	}
}

func count(of *map[string]*toolUse, name string, seq int) {
	if *of == nil {
		*of = make(map[string]*toolUse)
	}
	u := (*of)[name]
	if u == nil {
		if len(*of) >= maxTools {
			name = "others"
		}
		if u = (*of)[name]; u == nil {
			u = new(toolUse)
			(*of)[name] = u
		}
	}
	u.Calls++
	u.Seq = seq
}

// oneLineOf returns a text as one line of at most limit bytes.
func oneLineOf(text string, limit int) string {
	// The rest is white space at most, so that no more of a long text is cleaned
	// than needed.
	return clean.Cut(clean.Line(blobs(clean.Prefix(text, 8*limit))), limit)
}

// note is a text with its place in the transcript.
type note struct {
	Seq  int    `json:"n"`
	Text string `json:"t"`
	How  string `json:"h,omitempty"`
}

// notes are texts in their order. If they grow too large, the second one is
// dropped: the first and the newest matter most.
type notes struct {
	Notes []note `json:"notes,omitempty"`
	Left  int    `json:"left,omitempty"` // how many were dropped
}

func (n *notes) add(one note, limit int) {
	n.Notes = append(n.Notes, one)
	size := 0
	for _, one := range n.Notes {
		size += len(one.Text) + 40
	}
	for size > limit && len(n.Notes) > 2 {
		size -= len(n.Notes[1].Text) + 40
		n.Notes = append(n.Notes[:1], n.Notes[2:]...)
		n.Left++
	}
}

func (n *notes) last() note { return n.Notes[len(n.Notes)-1] }

// failure is a call that failed, and what worked after it.
type failure struct {
	Seq   int    `json:"n"`
	Tool  string `json:"tool"`
	What  string `json:"what,omitempty"`
	Error string `json:"error,omitempty"`
	// Fixed is the number of the next call of the same tool that worked.
	Fixed int    `json:"fixed,omitempty"`
	How   string `json:"how,omitempty"`
}

type failures struct {
	List []failure `json:"list,omitempty"`
	Left int       `json:"left,omitempty"`
}

// maxFailures is how many failures are stored: the newest.
const maxFailures = 20
