package gateway

import (
	"context"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// How many matches are returned by default: of a single want, and of each of several.
const (
	mostOfOne  = 8
	mostOfEach = 5
)

func (g *Gateway) find(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Query string `json:"query"`
		In    string `json:"in"`
		Limit *int   `json:"limit"`
	}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	q := Query{In: treePath(args.In), Limit: mostOfOne}
	for line := range strings.Lines(args.Query) {
		if line = strings.TrimSpace(line); line != "" {
			q.Wants = append(q.Wants, line)
		}
	}
	switch {
	case len(q.Wants) == 0:
		return nil, &Fault{What: "find: the query is empty", Mend: "say in a few words what is wanted"}
	case len(q.Wants) > maxWants:
		q.Wants = q.Wants[:maxWants]
	}
	if len(q.Wants) > 1 {
		q.Limit = mostOfEach
	}
	if args.Limit != nil {
		q.Limit = min(max(*args.Limit, 1), 50)
	}
	found, err := g.backend.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	if found == "" {
		return texts("Nothing fits. Say it in other words, or look around: list mcps, list skills."), nil
	}
	if len(found) > MaxText { // the best are in
		found = found[:strings.LastIndexByte(found[:MaxText], '\n')+1]
	}
	return texts(found), nil
}

// maxWants is how many wants a query has at most.
const maxWants = 10

// treePath returns a path of the tree from one that an agent wrote.
func treePath(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }
