package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// defaultMatches is how many matches are returned by default.
const defaultMatches = 8

func (g *Gateway) find(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := struct {
		Query string `json:"query"`
		In    string `json:"in"`
		Limit int    `json:"limit"`
	}{Limit: defaultMatches}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	if strings.TrimSpace(args.Query) == "" {
		return nil, &Fault{What: "find: the query is empty", Mend: "say in a few words what is wanted"}
	}
	matches, err := g.backend.Find(ctx, Query{Words: args.Query, In: treePath(args.In), Limit: min(max(args.Limit, 1), 50)})
	if err != nil {
		return nil, err
	}
	if len(matches) == 0 {
		return texts("Nothing fits. Say it in other words, or look around: list mcps, list skills."), nil
	}
	var b strings.Builder
	if matches[0].Poor {
		b.WriteString("Nothing good; nearest:\n")
	}
	for _, m := range matches {
		line := m.Path + " — " + m.Why + "\n"
		if args := g.argumentsOf(ctx, m.Path); args != "" {
			line += "  arguments: " + args + "\n"
		}
		if m.More > 0 {
			line += fmt.Sprintf("  and %d more in %s\n", m.More, m.In)
		}
		if b.Len()+len(line) > MaxText {
			break // the best are in
		}
		b.WriteString(line)
	}
	return texts(b.String()), nil
}

// maxDefinition is the size in bytes of the largest definition of a tool that
// is read for its arguments.
const maxDefinition = 1 << 20

// argumentsOf returns the signature of a tool, or "" for anything else.
func (g *Gateway) argumentsOf(ctx context.Context, name string) string {
	dir, file := path.Split(name)
	if path.Ext(file) != ".json" || path.Base(dir) != "tools" || !strings.HasPrefix(name, "mcps/") {
		return ""
	}
	text := bounded{limit: maxDefinition}
	if err := g.backend.Read(ctx, name, &text); err != nil {
		return "" // gone, or too large: reading it will show that
	}
	return signature(text.Bytes())
}

var errFull = errors.New("there is enough")

// bounded is a buffer that fails when it is full.
type bounded struct {
	bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}

// treePath returns a path of the tree from one that an agent wrote.
func treePath(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }
