package hooks

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/regexps"
)

const (
	// enough is the number of failures of a call at which its agent is told.
	enough = 3
	// maxFailing is how many failing calls are remembered.
	maxFailing = 2000
	// maxRead is how much is read of an output, in bytes: of its beginning and of its end.
	maxRead = 16 << 10
	// causeLength is how much is shown of a failure.
	causeLength = 160
)

// repeats counts the calls that fail in the same way again and again, as far as the hooks of
// sessions tell. It forgets them with the process.
type repeats struct {
	mu      sync.Mutex
	failing map[string]failing // by session and call, until it works
}

// failing is how often a call has failed in one way, and the agent's id of the last time.
type failing struct {
	times   int
	way, id string
}

// News implements facts.HookSource: that a call has failed for the third time in the same way since
// it last worked.
func (r *repeats) News(_ context.Context, m facts.Moment) []facts.News {
	c := m.Call
	if m.Kind != facts.AfterTool || c == nil || c.Command == "" && len(c.Input) == 0 {
		return nil
	}
	what := strings.Join(strings.Fields(c.Command), " ") // its input may describe it, each time otherwise
	if what == "" {
		what = string(c.Input)
	}
	key := sum(strings.Join([]string{m.Agent, m.Session, m.Subagent, c.Server, c.Tool, what}, "\x00"))
	failed, cause := failureOf(c)
	way := sum(changing().ReplaceAllString(cause, "#"))
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failing[key]
	switch {
	case !failed:
		delete(r.failing, key)
		return nil
	case c.ID != "" && c.ID == f.id: // an agent may run several hooks for one call
	case way == f.way:
		f.times++
	default:
		f = failing{times: 1, way: way}
	}
	f.id = c.ID
	if len(r.failing) >= maxFailing {
		clear(r.failing)
	}
	r.failing[key] = f
	if f.times < enough {
		return nil
	}
	shown := "without a word"
	if line := clean.Cut(clean.Line(safe(cause)), causeLength); line != "" {
		shown = "`" + strings.ReplaceAll(line, "`", "'") + "`"
	}
	return []facts.News{{
		Kind: facts.NewsRepeats, Rank: facts.Behind, Key: key + f.way,
		Text: fmt.Sprintf("This call has now failed %d times in the same way: %s. Find the cause, or do something else, before you make it again.", f.times, shown),
	}}
}

var (
	// exitCode is how agents write that a command has failed that do not tell their hooks so:
	// at the beginning of its output, or at the end as Copilot CLI and Gemini CLI do.
	exitCode = regexps.Lazy(`(?i)\A\W*(?:process )?exit(?:ed with)?[ _]?(?:code|status)?[:= ]+[1-9]\d*\b` +
		`|(?:\A|\n)<exited with exit code -?[1-9]\d*>\s*\z` +
		`|\nExit Code: -?[1-9]\d*(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*\z`)
	// changing is what is another one each time that a call fails: times, addresses, numbers.
	changing = regexps.Lazy(`0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+`)
)

// failureOf reports whether a call has failed, and why.
func failureOf(c *facts.AgentCall) (failed bool, cause string) {
	text := c.Output
	if len(text) > 2*maxRead {
		text = text[:maxRead] + "\n" + text[len(text)-maxRead:]
	}
	rest := exitCode().ReplaceAllString(text, "")
	if !c.Failed && rest == text {
		return false, ""
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "Output: "), "(empty)") // as Gemini CLI has it
	return true, clean.Prefix(excerpt.Cause(rest), 4*causeLength)
}
