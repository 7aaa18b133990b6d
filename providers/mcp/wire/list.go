package wire

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// maxPages is the largest number of pages of one list: a server may produce them
// without end.
const maxPages = 1000

// Listing is the outcome of requesting one list.
type Listing struct {
	Asked bool // the server offers it
	List  catalogue.List
	Note  string // a remark for STATUS.md
	Err   error
}

// Lists requests the lists of those kinds that the server offers; without kinds, all.
func (c *Connection) Lists(ctx context.Context, kinds ...catalogue.Kind) (all [catalogue.Kinds]Listing) {
	for k := range catalogue.Kinds {
		if !c.offers(k) || len(kinds) > 0 && !slices.Contains(kinds, k) {
			continue
		}
		if err := ctx.Err(); err != nil {
			all[k].Err = err
		} else {
			all[k] = c.fetch(ctx, k)
		}
		all[k].Asked = true
	}
	return all
}

// fetch requests one list, page by page.
func (c *Connection) fetch(ctx context.Context, k catalogue.Kind) (l Listing) {
	var (
		params  = map[string]any{}
		cursors = map[string]bool{}
		seen    = map[[sha256.Size]byte]bool{}
		odd     int
	)
	for range maxPages {
		result, err := c.Request(ctx, k.Method(), params)
		if unknownMethod(err) && k != catalogue.Tools {
			return l // some servers announce lists that they do not know
		}
		if err != nil {
			l.Err = err
			return l
		}
		items, next, err := readPage(result, k)
		if err != nil {
			l.Err = fmt.Errorf("%s: the result has a wrong form: %w", k.Method(), err)
			return l
		}
		odd += l.List.Add(items, seen)
		switch {
		case next == "":
			l.List.Items, l.Note = c.withoutUnusable(k, l.List.Items)
			if odd > 0 {
				l.Note = fmt.Sprintf("%s: %d definitions are not objects and are left out", k.Method(), odd)
			}
			return l
		case cursors[next]:
			l.Note = fmt.Sprintf("%s: the server repeats a page, so the list may not be complete", k.Method())
			return l
		}
		cursors[next] = true
		params = map[string]any{"cursor": next}
	}
	l.Note = fmt.Sprintf("%s: the server has more than %d pages, the rest is left out", k.Method(), maxPages)
	return l
}

// readPage returns the definitions in the result of a list method, and the cursor
// of the next page, or "".
func readPage(result json.RawMessage, k catalogue.Kind) (items []json.RawMessage, next string, err error) {
	var members map[string]json.RawMessage
	if err = json.Unmarshal(result, &members); err != nil {
		return nil, "", err
	}
	switch list := members[k.Member()]; {
	case len(list) == 0, string(list) == "null":
	case list[0] != '[':
		return nil, "", fmt.Errorf("%s is not an array", k.Member())
	default:
		for _, item := range rawjson.Parts(list) {
			items = append(items, item)
		}
	}
	if raw, ok := members["nextCursor"]; ok {
		err = json.Unmarshal(raw, &next)
	}
	return items, next, err
}

// withoutUnusable leaves out the tools that a client over HTTP in the new era must
// not offer, because their headers cannot be sent.
func (c *Connection) withoutUnusable(k catalogue.Kind, items []catalogue.Definition) (usable []catalogue.Definition, note string) {
	if k != catalogue.Tools || c.legacy || c.http == nil {
		return items, ""
	}
	for _, d := range items {
		var tool mcp.Tool
		if json.Unmarshal(d.Raw, &tool) == nil && mcp.ValidateParamHeaderAnnotations(&tool) != nil {
			note = "tools/list: a tool with an invalid x-mcp-header annotation is left out"
			continue
		}
		usable = append(usable, d)
	}
	return usable, note
}
