package render

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Summary gathers what digest.md and files.tsv tell of a session, event by
// event. JSON saves and restores it between two runs. However long the session
// is, it stays at some 64 KB: what it has to forget is counted.
type Summary struct {
	// CWD is the session's folder, against which paths are told. It should be set
	// before the first event, and never changes after.
	CWD string `json:"cwd,omitempty"`

	Events  int `json:"events"` // that the transcript shows
	Results int `json:"results,omitempty"`
	// Said are the messages of people, Points what the model had said last when
	// they came: its conclusions.
	Said   notes `json:"said"`
	Points notes `json:"points"`
	// First is the text that the session began with, of whatever origin, and
	// Latest what the model said last.
	First  *note  `json:"first,omitempty"`
	Latest *note  `json:"latest,omitempty"`
	Ending ending `json:"ending"`
	// Marks are compactions, rewinds and forks.
	Marks notes `json:"marks"`
	// Compactions counts those that were met.
	Compactions int `json:"compactions,omitempty"`

	Tools    map[string]*used `json:"tools,omitempty"`
	Programs map[string]*used `json:"programs,omitempty"`
	Failures failures         `json:"failures"`
	Tasks    tasks            `json:"tasks"`
	Paths    paths            `json:"files"`
	// Steps are the last calls, Open the calls that wait for their results.
	Steps []step  `json:"steps,omitempty"`
	Open  []*step `json:"open,omitempty"`
}

// used counts the calls of a tool.
type used struct {
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
	Touched []touch `json:"files,omitempty"`
	// Task is what the call does to the list of tasks.
	Task *taskChange `json:"task,omitempty"`
}

// The sizes of what is kept.
const (
	maxSaid   = 10 << 10
	maxPoints = 6 << 10
	maxMarks  = 2 << 10
	maxTools  = 40
	maxSteps  = 12
	maxOpen   = 24

	longRequest = 1600 // bytes kept of the first message
	longNote    = 500
	longWhat    = 160
)

// Add takes the next event of the session.
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
		s.called(e)
	case e.Result != nil:
		s.answered(e)
	case e.Agent != "": // what a subagent says is not the session's
	case e.Kind == event.User:
		s.said(e)
		s.ended(e)
	case e.Kind == event.Assistant && e.Model != synthetic:
		s.spoke(e.Seq, "", e.Text)
	default:
		s.ended(e)
	}
}

// spoke takes what the model has said, by a tool if one is named.
func (s *Summary) spoke(seq int, tool, text string) {
	if s.Ending.said(seq, tool, text) {
		s.Latest = &note{Seq: seq, Text: brief(text, longNote)}
	}
}

// said takes a message of the user's.
func (s *Summary) said(e *event.Event) {
	limit := longNote
	if len(s.Said.Notes) == 0 {
		limit = longRequest
	}
	text := brief(e.Text, limit)
	if text == "" {
		return
	}
	if s.First == nil {
		s.First = &note{Seq: e.Seq, Text: brief(e.Text, longRequest)}
	}
	if e.Origin == event.Injected {
		return
	}
	if s.Latest != nil && (len(s.Points.Notes) == 0 || s.Points.last().Seq != s.Latest.Seq) {
		s.Points.add(*s.Latest, maxPoints)
	}
	s.Said.add(note{Seq: e.Seq, Text: text, How: e.Origin}, maxSaid)
}

// called takes a call.
func (s *Summary) called(e *event.Event) {
	name := e.Call.Name
	input := lazyjson.Value{}
	if lazyjson.Valid([]byte(e.Call.Input)) {
		input = lazyjson.ParseString(e.Call.Input)
	}
	command := commandOf(input)
	// What is kept of a record is copied: it would keep all of it in memory.
	st := &step{Seq: e.Seq, ID: strings.Clone(e.Call.ID), Tool: strings.Clone(clean.Cut(clean.Line(name), 60))}
	st.Touched = s.touches(name, e.Call.Input, input, command)
	st.What = strings.Clone(s.telling(st, input, command, e.Call.Input))
	if st.Task = taskOf(name, input); st.Task != nil && st.Task.All && e.Agent != "" {
		st.Task = nil // a list of the subagent's own
	}
	count(&s.Tools, st.Tool, e.Seq)
	if program := programOf(command); program != "" {
		count(&s.Programs, program, e.Seq)
	}
	if len(s.Open) == maxOpen {
		s.close(s.Open[0], s.Results == 0, "")
		s.Open = s.Open[1:]
	}
	s.Open = append(s.Open, st)
	if len(s.Steps) == maxSteps {
		s.Steps = append(s.Steps[:0], s.Steps[1:]...)
	}
	s.Steps = append(s.Steps, step{Seq: st.Seq, Tool: st.Tool, What: st.What})
	if text := spoken(name, input); text != "" && e.Agent == "" {
		s.spoke(e.Seq, st.Tool, text)
	}
}

// answered takes the result of a call.
func (s *Summary) answered(e *event.Event) {
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
		if e.Result.Error {
			if u := s.Tools[st.Tool]; u != nil {
				u.Errors++
			}
			s.Failures.failed(st, e)
			if e.Agent == "" {
				s.Ending.wrong(e.Seq, st.Tool+" failed", s.Failures.List[len(s.Failures.List)-1].Error)
			}
			return
		}
		s.Failures.worked(st, e.Result.Text)
		if e.Agent == "" {
			s.Ending.After = nil
			if shown := s.Ending.Shown; shown != nil && shown.Seq == st.Seq {
				s.Ending.asked(e.Seq, "answer to "+st.Tool, e.Result.Text)
			}
		}
		at := int64(0)
		if !e.Time.IsZero() {
			at = e.Time.Unix()
		}
		for k := range st.Touched {
			st.Touched[k].At = at
		}
		s.close(st, true, e.Result.Text)
		return
	}
}

// close takes note of what a call has done, if it has.
func (s *Summary) close(st *step, worked bool, result string) {
	if !worked {
		return
	}
	for _, touched := range st.Touched {
		s.Paths.add(touched, st.Tool, st.Seq)
	}
	if st.Task != nil {
		s.Tasks.change(st.Task, st.Seq, result)
	}
}

func count(of *map[string]*used, name string, seq int) {
	if *of == nil {
		*of = make(map[string]*used)
	}
	u := (*of)[name]
	if u == nil {
		if len(*of) >= maxTools {
			name = "others"
		}
		if u = (*of)[name]; u == nil {
			u = new(used)
			(*of)[name] = u
		}
	}
	u.Calls++
	u.Seq = seq
}

// brief is a text as one line of at most limit bytes.
func brief(text string, limit int) string {
	// White space at most: of megabytes no more than needed is cleaned.
	return clean.Cut(clean.Line(blobs(clean.Prefix(text, 8*limit))), limit)
}
