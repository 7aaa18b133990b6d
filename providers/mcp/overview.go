package mcp

import (
	"cmp"
	"fmt"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	servers, problems := p.briefs()
	status := fs.Status{State: overall(servers, problems), Problems: slices.Clone(problems)}
	p.shown.mu.Lock()
	status.Since = p.shown.since
	p.shown.mu.Unlock()
	total := 0
	for _, b := range servers {
		total += len(b.tools)
		status.Items = append(status.Items, fs.Item{
			Name: b.file, State: b.condition.state, Count: len(b.tools), Unit: "tools", About: b.about, Since: b.condition.since,
		})
		if b.condition.failing() && !b.condition.told {
			status.Problems = append(status.Problems, fs.Problem{
				What: fmt.Sprintf("server %s (%s): %s", b.file, b.condition.state, b.condition.what),
				Mend: cmp.Or(b.condition.mend, "ctxfs restart "+b.file),
			})
		}
		if b.drifted != nil {
			status.Problems = append(status.Problems, *b.drifted)
		}
	}
	status.Summary = wording.Count(len(servers), "servers") + ", " + wording.Count(total, "tools")
	return status
}

// overall is the state of the whole in one word. As long as a server has not
// had its time to start, that is the news.
func overall(servers []brief, problems []fs.Problem) string {
	starting, failing := false, len(problems) > 0
	for _, b := range servers {
		starting = starting || underWay(b.condition.state)
		failing = failing || b.condition.failing() || b.drifted != nil
	}
	switch {
	case starting:
		return stateStarting
	case failing:
		return "degraded"
	case len(servers) == 0:
		return "empty"
	}
	return "ready"
}
