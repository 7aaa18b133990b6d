// Package uses finds in transcripts what was used, and what had been wanted before:
// the tools of MCP servers, however an agent names them and also where its shell
// called them through ctxfs, prompts that it asked for so, and skills.
//
// It reads transcript.md (see package render), which is the same for all agents and
// has no secrets. What a person wanted is in that person's own words (package spoken);
// what a program said in that person's name is not, and neither are results of tools:
// whatever a server, a file or a page says, it cannot be learned.
package uses

import (
	"io"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

const (
	// mostUses is how many uses of one session are taken: the last ones.
	mostUses = 400
	// mostRead is how much of a block is read, in bytes.
	mostRead = 8 << 10
)

// Read returns the uses in a transcript of the agent with that id. In the transcript
// of a subagent only another agent spoke.
func Read(agent string, subagent bool, transcript io.Reader) ([]facts.Use, error) {
	r := &reader{agent: agents.ByID(agent), subagent: subagent, open: make(map[string][]int)}
	if err := render.Blocks(transcript, mostRead, r.block); err != nil {
		return nil, err
	}
	return r.uses[max(0, len(r.uses)-mostUses):], nil
}

// reader reads the blocks of one transcript.
type reader struct {
	agent      agents.Agent
	subagent   bool
	want, said string
	open       map[string][]int // the uses by calls without a result, by the end of the call's id
	uses       []facts.Use
}

func (r *reader) block(b render.Block) {
	switch b.Kind {
	case event.User:
		r.heard(b.Name, b.Body)
	case event.Assistant:
		r.said = lastSentence(b.Body)
	case event.ToolCall:
		r.called(b.Name, b.Call, b.Body, b.Time)
	case event.ToolResult:
		r.ended(b.Error, b.Call, b.Body)
	}
}

// heard takes what the agent was sent.
func (r *reader) heard(origin, text string) {
	switch {
	case r.subagent:
		r.said = lastSentence(text)
	case origin == event.Injected || origin == event.SDK: // no person said it
	case isAssent(text): // to what had been wanted before
	default:
		r.want, r.said = ownWords(text), ""
	}
}

// called takes a call. One without an id has no result.
func (r *reader) called(tool, id, arguments string, at time.Time) {
	if r.want == "" && r.said == "" {
		return
	}
	for _, used := range r.usedBy(tool, arguments) {
		if id != "" {
			r.open[id] = append(r.open[id], len(r.uses))
		}
		r.uses = append(r.uses, facts.Use{Used: used, Want: r.want, Said: r.said, Time: at})
	}
}

// ended takes the result of a call.
func (r *reader) ended(failed bool, id, text string) {
	for _, n := range r.open[id] {
		switch {
		case isDenial(text):
			r.uses[n].Outcome = facts.Denied
		case failed:
			r.uses[n].Outcome = facts.Failed
		}
	}
	delete(r.open, id)
}

// isDenial reports whether a result says that a person, or a rule, did not allow the
// call. Each agent has its own words for it.
func isDenial(text string) bool {
	text = strings.ToLower(text[:min(len(text), 200)])
	for _, words := range []string{
		"doesn't want to proceed", "does not want to proceed", "user rejected", "rejected by user", "rejected by the user", "user denied", "denied by user",
		"denied by the user", "denied this operation", "user refused", "permission denied by", "request was denied", "user cancelled", "user canceled",
		"the policy denies", "not allowed by the policy",
	} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
