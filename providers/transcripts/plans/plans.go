// Package plans finds in transcripts what was planned: an agent's own list of tasks in its
// last state, and plans that were proposed, with what became of them.
//
// It reads transcript.md (see package render), which is the same for all agents and has
// no secrets. A list is written whole by most agents (TodoWrite, update_plan), entry by
// entry by some (TaskCreate, TaskUpdate): lists.go. Plans are arguments of the tool with
// which an agent asks for its plan to be accepted, or marked in what it says:
// proposals.go. What a subagent writes is its own and not the session's.
//
// Sources: code.claude.com/docs/en/tools-reference (TodoWrite, TaskCreate, ExitPlanMode),
// openai/codex codex-rs/core and codex-rs/tui (update_plan, <proposed_plan>),
// google-gemini/gemini-cli docs/tools (todos.md, planning.md), opencode.ai/docs/tools and
// /docs/agents, docs.cline.bot (focus chain), kiro.dev/docs/cli/experimental/todo-lists,
// and sessions as package agents has them.
package plans

import (
	"io"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

const (
	// mostRead is how much of a block is read, in bytes. Transcripts fold what is longer.
	mostRead = 32 << 10
	// mostTasks is how many tasks of one list are kept, and mostPlans how many plans of
	// one session: the last ones.
	mostTasks = 1000
	mostPlans = 100
	// mostText is how much of a plan is kept, and mostTask of a task, in bytes.
	mostText = 256 << 10
	mostTask = 2 << 10
)

// Source is what a session's plans are read from.
type Source struct {
	Transcript io.Reader
	// Whole returns the text of a file in results/, where a block has only the ends of it.
	Whole func(name string) (string, error)
	// Before returns the tasks of the session that this one is a fork of, by their ids; it
	// is called at most once. It may be nil.
	Before func() []facts.Task
}

// Read returns the plans of a session, the oldest first; the list of tasks comes last.
// Waiting reports whether anything that the session says next may change them; else only
// what [Touches] reports does.
func Read(from Source) (plans []facts.Plan, waiting bool, err error) {
	r := &reader{Source: from, open: make(map[string]*call)}
	if err := render.Blocks(from.Transcript, mostRead, r.block); err != nil {
		return nil, false, err
	}
	waiting = len(r.open) > 0 || r.asked > 0
	r.close()
	plans = r.proposals
	if list := r.list.plan(); len(list.Tasks) > 0 {
		plans = append(plans, list)
	}
	return plans[max(0, len(plans)-mostPlans):], waiting, nil
}

// Touches reports whether a piece of a transcript, which begins with a block, plans
// anything.
func Touches(piece io.Reader) (bool, error) {
	r := &reader{open: make(map[string]*call)}
	err := render.Blocks(piece, mostRead, r.block)
	return r.touched, err
}

// reader reads the blocks of one transcript.
type reader struct {
	Source
	open      map[string]*call // without a result, by the end of the call's id
	list      list
	proposals []facts.Plan
	// asked is the number of the proposal that the next words of a person may decide, from
	// 1; 0 for none.
	asked   int
	written string // the last text that was written to a file of plans
	turns   int    // how many messages of people and the model there were
	touched bool   // it plans anything
}

// call is a call whose result is waited for.
type call struct {
	change   *change
	proposal int // the number of the proposal that it asks for, from 1; 0 for none
	written  string
	turns    int // how many there had been
}

func (r *reader) block(b render.Block) {
	if b.Agent != "" {
		return
	}
	switch b.Kind {
	case event.ToolCall:
		r.called(b)
	case event.ToolResult:
		r.ended(b)
	case event.User:
		r.turns++
		r.heard(b)
	case event.Assistant:
		r.turns++
		r.said(b)
	}
}

// called takes a call. Whether it worked is known from its result.
func (r *reader) called(b render.Block) {
	tool := plainName(b.Name)
	c := &call{turns: r.turns}
	switch {
	case isList(tool) || strings.Contains(b.Body, "task_progress:"):
		c.change = changeOf(tool, value{r.whole(b)}, b.Time)
	case isProposal(tool):
		c.proposal = r.propose(tool, value{r.whole(b)}, b.Time)
	case strings.Contains(b.Body, "/plans/") || strings.Contains(b.Body, "plan.md"):
		c.written = planWritten(value{r.whole(b)})
	}
	planned := c.change != nil || c.proposal > 0 || c.written != ""
	r.touched = r.touched || planned
	switch {
	case !planned:
	case b.Call == "":
		r.finish(c, render.Block{Time: b.Time}) // it will have no result that could be told
	default:
		r.open[b.Call] = c
	}
}

// ended takes the result of a call.
func (r *reader) ended(b render.Block) {
	c := r.open[b.Call]
	if c == nil {
		return
	}
	delete(r.open, b.Call)
	r.finish(c, b)
}

func (r *reader) finish(c *call, result render.Block) {
	switch {
	case c.proposal > 0:
		r.decide(c.proposal-1, result)
	case result.Error:
	case c.written != "":
		r.written = c.written
	default:
		r.list.apply(c.change, result, r.before)
	}
}

// close ends the session: if it went on without an answer to a proposal, the answer will
// not come.
func (r *reader) close() {
	for _, c := range r.open {
		if c.proposal > 0 && r.turns > c.turns {
			r.proposals[c.proposal-1].State = facts.PlanInterrupted
		}
	}
}

// before returns a task of the session that this one is a fork of.
func (r *reader) before(id string) (facts.Task, bool) {
	if r.Before == nil {
		return facts.Task{}, false
	}
	for _, t := range r.Before() {
		if t.ID == id {
			return t, true
		}
	}
	return facts.Task{}, false
}

// whole returns all of a block's text.
func (r *reader) whole(b render.Block) string {
	text := strings.TrimRight(b.Body, "\n")
	i := strings.LastIndexByte(text, '\n') + 1
	rest, ok := strings.CutPrefix(text[i:], "[whole: results/")
	if !ok {
		return unescape(text)
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(rest, "]"), ", ")
	if r.Whole != nil {
		if whole, err := r.Whole(name); err == nil {
			return whole
		}
	}
	return unescape(text[:i])
}

// unescape takes the spaces out that keep lines of a block from passing for headings and
// marks.
func unescape(text string) string {
	if !strings.Contains(text, " ### ") && !strings.Contains(text, " =====") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, " "); ok && (strings.HasPrefix(rest, "### ") || strings.HasPrefix(rest, "=====")) {
			lines[i] = rest
		}
	}
	return strings.Join(lines, "\n")
}

// plainName returns the name of a tool without what agents spell differently. A server or
// an extension before it does not count: goose has todo__todo_write.
func plainName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 && i+2 < len(name) {
		name = name[i+2:]
	}
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}
