package gateway

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"ctxfs/fs/wording"

	"github.com/mark3labs/mcp-go/mcp"
)

func (g *Gateway) list(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := struct {
		Path   string `json:"path"`
		Offset int    `json:"offset"`
	}{Offset: 1}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	name := treePath(args.Path)
	entries, err := g.backend.List(ctx, name)
	if err != nil {
		return nil, g.notFound(ctx, name, err)
	}
	if len(entries) == 1 && entries[0].Itself {
		return texts(fmt.Sprintf("%s is a file of %s: read it.", name, wording.Size(entries[0].Size))), nil
	}
	if len(entries) == 0 {
		return texts(cmp.Or(name, "the root") + " is empty."), nil
	}
	first := min(max(args.Offset, 1), len(entries))
	var b strings.Builder
	next := first
	for _, e := range entries[first-1:] {
		line := e.Name + "/\n"
		if !e.Dir {
			line = e.Name + "  " + wording.Size(e.Size) + "\n"
		}
		if b.Len()+len(line) > MaxText-noticeRoom-len(name) {
			break
		}
		b.WriteString(line)
		next++
	}
	notice := ""
	if first > 1 || next <= len(entries) {
		notice = fmt.Sprintf("[entries %d-%d of %d", first, next-1, len(entries))
		if next <= len(entries) {
			notice += fmt.Sprintf("; next: list %s", object("path", name, "offset", next))
		}
		notice += "]"
	}
	return texts(b.String(), notice), nil
}

// noticeRoom is how many bytes a notice takes, besides a path.
const noticeRoom = 160

// notFound returns the error for a path that cannot be read, with the nearest
// folder that can.
func (g *Gateway) notFound(ctx context.Context, name string, err error) error {
	f := &Fault{What: words(err)}
	for dir := name; dir != ""; {
		if dir = path.Dir(dir); dir == "." {
			dir = ""
		}
		if _, err := g.backend.List(ctx, dir); err == nil {
			f.Mend = "see what there is: list " + object("path", dir)
			return f
		}
	}
	return f
}
