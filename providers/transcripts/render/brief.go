package render

import (
	"slices"
	"strings"
	"time"
)

// Brief is what another session in the same folder would want to know of a session.
type Brief struct {
	// Listed is how many tasks are on its list, and Undone how many of them are not done.
	Listed, Undone int
	// Runs are the commands that build, test or check, the last one last.
	Runs []Run
	// Doing is its last call, File the file that it last read or wrote; both may be
	// "".
	Doing, File string
	// Waiting reports whether a call has no result yet.
	Waiting bool
	// Rests reports whether the agent has ended its turn: it has spoken last, or was
	// interrupted, and no call is under way.
	Rests bool
	// Trouble is what went wrong at its end; "" if nothing did.
	Trouble string
	// Asks is the question or plan that it ended with, or "".
	Asks string
}

// Run is a command that builds, tests or checks.
type Run struct {
	Line string
	// Worked and Failed are when it last did; zero if never, or if the time is not known.
	Worked, Failed time.Time
	// OK and Bad are how often it worked and failed, Last whether it worked last.
	OK, Bad int
	Last    bool
	// Error is a line of the last failure.
	Error string
}

// Brief returns what the session comes to so far.
func (s *Summary) Brief() Brief {
	b := Brief{Waiting: len(s.Open) > 0, Listed: len(s.Tasks.List) + s.Tasks.Left}
	for _, t := range s.Tasks.List {
		if t.isOpen() {
			b.Undone++
		}
	}
	for _, r := range s.Runs.List {
		b.Runs = append(b.Runs, Run{
			Line: r.Line, Worked: seconds(r.Worked), Failed: seconds(r.Failed), OK: r.OK, Bad: r.Bad, Last: r.Last, Error: r.Error,
		})
	}
	if n := len(s.Steps); n > 0 {
		b.Doing = s.Steps[n-1].Tool
		if what := s.Steps[n-1].What; what != "" {
			b.Doing += " " + what
		}
	}
	last := 0
	for _, f := range s.Paths.List {
		if f.Seq > last {
			last, b.File = f.Seq, s.absolute(f.Path)
		}
	}
	if n := len(s.Ending.After); n > 0 {
		b.Trouble = s.Ending.After[n-1].How + ": " + s.Ending.After[n-1].Text
	} else {
		b.Asks = s.asks()
	}
	b.Rests = s.rests()
	return b
}

// rests reports whether the agent's turn has ended.
func (s *Summary) rests() bool {
	n := &s.Ending
	if k := len(n.After); k > 0 && n.After[k-1].How == "interrupted" {
		return true
	}
	if len(s.Open) > 0 || n.Said == nil || n.Asked != nil && n.Asked.Seq > n.Said.Seq {
		return false
	}
	k := len(s.Steps)
	return k == 0 || s.Steps[k-1].Seq < n.Said.Seq
}

// asks returns the question or plan that waits for the user, or "": nothing was asked, or
// it was answered, or the session went on without an answer.
func (s *Summary) asks() string {
	n := &s.Ending
	if n.Shown != nil {
		if slices.ContainsFunc(s.Open, func(o *step) bool { return o.Seq == n.Shown.Seq }) {
			return oneLineOf(n.Shown.Text, longNote)
		}
		return ""
	}
	if n.Said == nil || n.Asked != nil && n.Asked.Seq > n.Said.Seq {
		return ""
	}
	if k := len(s.Steps); k > 0 && s.Steps[k-1].Seq > n.Said.Seq {
		return ""
	}
	from, to := lastQuestion(n.Said.Text)
	if len(n.Said.Text)-to > longNote || strings.Contains(n.Said.Text[from:to], "|") { // it is long ago, or the head of a table
		return ""
	}
	return oneLineOf(n.Said.Text[from:to], longNote)
}

func seconds(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0).UTC()
}
