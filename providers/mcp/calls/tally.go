package calls

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

// Tally counts the calls in the log, see [facts.CallSource]. A log that does not exist
// counts no calls.
func (l *Log) Tally(ctx context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error) {
	t := tally{query: q, tools: make(map[[2]string]*called)}
	for _, path := range []string{l.path + olderSuffix, l.path} {
		err := eachCalled(path, nil, func(c *Called) bool {
			if !c.Time.IsZero() && t.wants(c) {
				t.add(c)
			}
			return ctx.Err() == nil
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return t.all(), ctx.Err()
}

// tally counts calls.
type tally struct {
	query facts.CallsQuery
	tools map[[2]string]*called // by server and tool
}

// called is what is known of a tool's calls: their sums, and how long each took.
type called struct {
	facts.ToolCalls
	ms []int64
}

// wants reports whether a call is asked for.
func (t *tally) wants(c *Called) bool {
	q := &t.query
	return !c.Time.Before(q.Since) && (q.Until.IsZero() || c.Time.Before(q.Until)) &&
		(q.Server == "" || c.Server == q.Server) && (q.Agent == "" || c.Agent == q.Agent) &&
		(q.Project == "" || fs.Within(cmp.Or(c.Project, c.Dir), q.Project))
}

func (t *tally) add(c *Called) {
	server, tool := clean.Line(c.Server), clean.Line(c.Tool)
	one := t.tools[[2]string{server, tool}]
	if one == nil {
		one = &called{ToolCalls: facts.ToolCalls{Server: server, Tool: tool, Outcomes: make(map[string]int)}}
		t.tools[[2]string{server, tool}] = one
	}
	one.Calls++
	one.Outcomes[clean.Line(c.Outcome)]++
	if c.ended() != facts.Worked {
		one.Failed++
	}
	one.ms = append(one.ms, max(c.MS, 0))
	one.Total += max(c.MS, 0)
	one.Bytes += int64(max(c.Bytes, 0))
	if c.File != "" {
		one.Filed++
		one.FiledBytes += int64(max(c.Bytes, 0))
	}
	if c.Time.After(one.Last) {
		one.Last = c.Time
	}
}

// all returns the tools with their sums, in the order of their names.
func (t *tally) all() []facts.ToolCalls {
	all := make([]facts.ToolCalls, 0, len(t.tools))
	for _, one := range t.tools {
		slices.Sort(one.ms)
		one.Median, one.P95 = quantile(one.ms, 50), quantile(one.ms, 95)
		all = append(all, one.ToolCalls)
	}
	slices.SortFunc(all, func(a, b facts.ToolCalls) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return all
}

// quantile returns the least of some sorted values, at least one, that percent of 100 of them
// are at most.
func quantile(sorted []int64, percent int) int64 {
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// Uses returns the calls in the log of clients that had searched before, a part for
// each session of a client. Clients with a shell state their wants in a transcript. A
// log that cannot be read yields nothing.
func (l *Log) Uses() (all []facts.Part[facts.Use]) {
	at := make(map[string]int)
	for _, path := range []string{l.path + olderSuffix, l.path} {
		_ = eachCalled(path, []byte(`"wanted":"`), func(c *Called) bool {
			if c.Wanted == "" {
				return true
			}
			name := strings.Join([]string{"mcps/calls", c.Agent, c.Session}, "/")
			n, known := at[name]
			if !known {
				n = len(all)
				at[name] = n
				all = append(all, facts.Part[facts.Use]{Name: name})
			}
			all[n].Facts = append(all[n].Facts, facts.Use{
				Used: facts.Used{Kind: "tool", Server: c.Server, Name: c.Tool}, Said: c.Wanted, Outcome: c.ended(), Time: c.Time,
			})
			return true
		})
	}
	for i := range all {
		p := &all[i]
		p.Version = fmt.Sprintf("%d.%d", len(p.Facts), p.Facts[len(p.Facts)-1].Time.UnixNano())
	}
	slices.SortFunc(all, func(a, b facts.Part[facts.Use]) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// ended returns the outcome as others see it: whatever kept the call from working.
func (c *Called) ended() facts.UseOutcome {
	switch c.Outcome {
	case OutcomeOK, OutcomeAsked:
		return facts.Worked
	case OutcomeDenied, OutcomeCancelled:
		return facts.Denied
	}
	return facts.Failed
}

// eachCalled calls yield with each line of a log that has a mark, until it returns false.
func eachCalled(path string, mark []byte, yield func(*Called) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, func(line []byte) bool {
		var c Called
		return !bytes.Contains(line, mark) || json.Unmarshal(line, &c) != nil || yield(&c)
	})
}
