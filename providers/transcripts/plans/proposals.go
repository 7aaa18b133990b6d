package plans

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// isProposal reports whether a tool asks a person to accept a plan.
func isProposal(tool string) bool {
	switch tool {
	case "exitplanmode", "exitspecmode", "createplan", "planexit", "planmoderespond":
		return true
	}
	return false
}

// propose adds what a call proposes, and returns its number, from 1.
func (r *reader) propose(tool string, input value, at time.Time) int {
	p := facts.Plan{Kind: facts.Proposal, State: facts.PlanOpen, Time: at}
	p.Title = input.first("title", "name").text
	p.Text = input.first("plan", "response", "spec").text
	if p.Text == "" && tool != "planmoderespond" { // it is in a file, which was written before
		p.Text = r.written
	}
	p.Text = cmp.Or(p.Text, input.first("overview", "summary").text)
	if v, ok := input.member("todos"); ok {
		entries, _ := v.objects("content", "title", "description")
		for _, e := range entries {
			t := taskOf(e)
			t.State, t.Time = cmp.Or(t.State, facts.TaskPending), at
			p.Tasks = append(p.Tasks, t)
		}
	}
	r.add(p)
	return len(r.proposals)
}

func (r *reader) add(p facts.Plan) {
	if len(p.Text) > mostText {
		p.Text, p.Cut = clean.Prefix(p.Text, mostText), true
	}
	p.Text = strings.Trim(p.Text, "\n")
	p.Title = titleOf(p.Title, p.Text)
	r.proposals = append(r.proposals, p)
	r.touched = true
	r.asked = len(r.proposals)
}

// titleOf returns what a plan calls itself: its first heading, or first line.
func titleOf(title, text string) string {
	if title == "" {
		first := ""
		for line := range strings.Lines(clean.Prefix(text, 4<<10)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "#") {
				first = line
				break
			}
			first = cmp.Or(first, line)
		}
		title = strings.TrimLeft(first, "# ")
	}
	title = clean.Line(title)
	for _, word := range []string{"Plan:", "Implementation Plan:", "PLAN:"} {
		title = strings.TrimSpace(strings.TrimPrefix(title, word))
	}
	return clean.Cut(title, 160)
}

// decide takes what became of a proposal from the result of its call.
func (r *reader) decide(n int, result render.Block) {
	p := &r.proposals[n]
	text := r.whole(result)
	p.State, p.Said = verdict(text, result.Error)
	p.Time = cmp.Or(result.Time, p.Time)
	if p.Text == "" {
		for _, head := range []string{"## Approved Plan (edited by user):\n", "## Approved Plan:\n", "## Plan:\n"} {
			if _, plan, ok := strings.Cut(text, head); ok {
				p.Text = strings.Trim(clean.Prefix(plan, mostText), "\n")
				p.Title = titleOf("", p.Text)
				break
			}
		}
	}
	if p.State == facts.PlanRejected && p.Said == "" {
		r.asked = n + 1 // an interruption may follow, which says more
	} else if r.asked == n+1 && p.State != facts.PlanOpen {
		r.asked = 0
	}
}

// verdict returns what a result says of a plan. Each agent has its own words for it.
func verdict(text string, failed bool) (state facts.PlanState, said string) {
	head := strings.ToLower(clean.Prefix(text, 600))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(head, w) })
	}
	for _, before := range []string{"the user said:", "Feedback:", "feedback:", "User feedback:"} {
		if _, rest, ok := strings.Cut(text, before); ok {
			rest, _, _ = strings.Cut(rest, "\n\nThe plan is stored at:") // Gemini
			said = clean.Cut(clean.Line(clean.Prefix(rest, 4<<10)), 400)
			break
		}
	}
	switch {
	case has("request interrupted by user", "was interrupted", "aborted", "operation cancelled", "operation canceled", "cancelled the plan", "dismissed"):
		return facts.PlanInterrupted, ""
	case has("doesn't want to proceed", "does not want to proceed", "rejected", "not approved", "declined", "denied", "disapproved", "keep planning", "stay in plan mode"):
		return facts.PlanRejected, said
	case failed: // it is no answer of a person
		return facts.PlanInterrupted, ""
	case has("approved", "accepted", "has been created", "switching to", "start coding", "proceed with", "exited plan mode", "switched to"):
		return facts.PlanAccepted, ""
	}
	return facts.PlanOpen, ""
}

// carriedOut is what stands before and after an accepted plan where a session of its own
// carries it out: of Claude Code, and of Codex (codex-rs/tui,
// PLAN_IMPLEMENTATION_CLEAR_CONTEXT_PREFIX).
var carriedOut = [...]struct{ first, last string }{
	{"Implement the following plan:", "\n\nIf you need specific details from before exiting plan mode"},
	{"A previous agent produced the plan below", "\x00"},
}

// heard takes what a person said: it may decide what was proposed last.
func (r *reader) heard(b render.Block) {
	text := strings.TrimSpace(b.Body)
	for _, c := range carriedOut {
		if strings.HasPrefix(text, c.first) {
			_, plan, _ := strings.Cut(strings.TrimSpace(r.whole(b)), "\n\n")
			plan, _, _ = strings.Cut(plan, c.last)
			r.carry(strings.TrimSpace(plan), b.Time)
			return
		}
	}
	n := r.asked - 1
	if n < 0 {
		return
	}
	p := &r.proposals[n]
	switch {
	case strings.HasPrefix(text, "[Request interrupted by user"):
		p.State = facts.PlanInterrupted
	case b.Name == event.Injected || b.Name == event.SDK:
		return
	case p.State != facts.PlanOpen:
	case strings.HasPrefix(text, "Implement the plan"): // Codex, for the person
		p.State, p.Time = facts.PlanAccepted, cmp.Or(b.Time, p.Time)
	default:
		return // the next words may decide
	}
	r.asked = 0
}

// carry takes a plan that is carried out, whatever was said to it before: Claude Code ends
// the conversation in which it was proposed as if it were rejected.
func (r *reader) carry(text string, at time.Time) {
	r.asked = 0
	for i := range r.proposals {
		if p := &r.proposals[i]; strings.Join(strings.Fields(p.Text), " ") == strings.Join(strings.Fields(text), " ") {
			p.State, p.Said, p.Time, r.touched = facts.PlanAccepted, "", cmp.Or(at, p.Time), true
			return
		}
	}
	r.add(facts.Plan{Kind: facts.Proposal, State: facts.PlanAccepted, Text: text, Time: at})
	r.asked = 0
}

// said takes what the model said: Codex marks plans in it.
func (r *reader) said(b render.Block) {
	const begin, end = "<proposed_plan>", "</proposed_plan>"
	if !strings.Contains(b.Body, begin) {
		return
	}
	_, rest, _ := strings.Cut(r.whole(b), begin)
	text, _, _ := strings.Cut(rest, end)
	if strings.TrimSpace(text) == "" {
		return
	}
	if n := r.asked - 1; n >= 0 && r.proposals[n].State == facts.PlanOpen {
		r.proposals[n].State = facts.PlanRejected // another one took its place
	}
	r.add(facts.Plan{Kind: facts.Proposal, State: facts.PlanOpen, Text: text, Time: b.Time})
}

// planWritten returns the text that a call writes to a file of plans.
func planWritten(input value) string {
	path := input.first("file_path", "filePath", "path", "absolute_path").text
	if !strings.HasSuffix(path, ".md") || !strings.Contains(path, "/plans/") && !strings.HasSuffix(path, "/plan.md") {
		return ""
	}
	return input.first("content", "text", "file_text", "contents").text
}
