package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

func (g *Gateway) read(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Path   string `json:"path"`
		Offset int    `json:"offset"`
		Limit  int    `json:"limit"`
		Skip   int    `json:"skip"`
	}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	name := treePath(args.Path)
	if name == "" {
		return nil, &Fault{What: "read: the path is empty", Mend: "name a file, such as AGENTS.md"}
	}
	w := &window{first: args.Offset, lines: args.Limit, skip: max(args.Skip, 0), room: MaxText - noticeRoom - 2*len(name)}
	if w.first < 0 {
		last := &window{first: 1}
		if err := g.scan(ctx, name, last); err != nil {
			return nil, err
		}
		w.first += last.total() + 1
	}
	w.first = max(w.first, 1)
	if err := g.scan(ctx, name, w); err != nil {
		return nil, err
	}
	switch {
	case w.image != "":
		return &mcp.CallToolResult{Content: []mcp.Content{
			mcp.NewImageContent(base64.StdEncoding.EncodeToString(w.body), w.image),
		}}, nil
	case w.total() == 0:
		return texts(name + " is empty."), nil
	case w.first > w.total():
		return nil, &Fault{
			What: fmt.Sprintf("%s has %d lines, and none at %d", name, w.total(), w.first),
			Mend: "read the last: read " + object("path", name, "offset", -20),
		}
	}
	return texts(strings.ToValidUTF8(string(w.body), "\uFFFD"), w.notice(name)), nil
}

// scan reads a file into w.
func (g *Gateway) scan(ctx context.Context, name string, w *window) error {
	err := g.backend.Read(ctx, name, w)
	switch {
	case errors.Is(err, errNotText), errors.Is(err, errFull):
		return &Fault{
			What: fmt.Sprintf("%s is not text, but %s", name, w.kind),
			Mend: "your user can look at it: ctxfs cat " + name + " >FILE",
		}
	case err != nil:
		return g.notFound(ctx, name, err)
	}
	return nil
}

// object returns a JSON object of name and value pairs, as an argument for a
// tool.
func object(pairs ...any) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteString(",")
		}
		value, _ := json.Marshal(pairs[i+1]) // strings and numbers always encode
		fmt.Fprintf(&b, "%q:%s", pairs[i], value)
	}
	return "{" + b.String() + "}"
}
