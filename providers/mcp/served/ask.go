package served

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"ctxfs/providers/internal/clean"
)

// Request sends a request to a server, and returns its raw result.
type Request func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)

const (
	// maxPages is how many pages a list may have, maxEntries how many entries.
	maxPages   = 100
	maxEntries = 5000
)

// List asks for the list of skills, which may be empty or partial. Entries that cannot be
// named are left out; notes say so.
func List(ctx context.Context, request Request) (entries []*Entry, notes []string, err error) {
	params, seen, odd := map[string]any{}, make(map[string]bool), 0
	for range maxPages {
		raw, err := request(ctx, "skills/list", params)
		if err != nil {
			return nil, nil, err
		}
		var page struct {
			Skills     []json.RawMessage `json:"skills"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, nil, fmt.Errorf("skills/list: the result has a wrong form: %w", err)
		}
		for _, raw := range page.Skills {
			e, err := Parse(raw)
			switch {
			case err != nil:
				odd++
			case !seen[e.URI] && len(entries) < maxEntries:
				seen[e.URI] = true
				entries = append(entries, e)
			}
		}
		if page.NextCursor == "" || params["cursor"] == page.NextCursor {
			break
		}
		params = map[string]any{"cursor": page.NextCursor}
	}
	if odd > 0 {
		notes = append(notes, fmt.Sprintf("%d entries have no URI and are left out", odd))
	}
	return entries, notes, nil
}

// Get asks for the entry of one URI.
func Get(ctx context.Context, request Request, uri string) (*Entry, error) {
	raw, err := request(ctx, "skills/get", map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	var result struct {
		Skill json.RawMessage `json:"skill"`
	}
	if json.Unmarshal(raw, &result) == nil && len(result.Skill) > 0 {
		raw = result.Skill
	}
	e, err := Parse(raw)
	if err == nil && e.URI != uri {
		err = errors.New("the server answers with another skill")
	}
	return e, err
}

// Fetch reads the files of an entry and verifies them.
func Fetch(ctx context.Context, request Request, e *Entry) (map[string][]byte, error) {
	if e.Fault != "" {
		return nil, errors.New(e.Fault)
	}
	files := make(map[string][]byte, len(e.Resources))
	for _, r := range e.Resources {
		rel, _ := e.relative(r.URI)
		raw, err := request(ctx, "resources/read", map[string]any{"uri": r.URI})
		if err != nil {
			return nil, err
		}
		body, err := content(raw, r.URI)
		if err != nil {
			return nil, err
		}
		if err := r.check(body); err != nil {
			return nil, err // nothing more is fetched
		}
		files[rel] = body
	}
	return files, e.Verify(files)
}

// content returns the bytes of a resource in a result of resources/read.
func content(raw json.RawMessage, uri string) ([]byte, error) {
	var result struct {
		Contents []struct {
			URI  string  `json:"uri"`
			Text *string `json:"text"`
			Blob *string `json:"blob"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("resources/read: the result has a wrong form: %w", err)
	}
	for _, c := range result.Contents {
		switch {
		case c.URI != uri:
		case c.Text != nil:
			return []byte(*c.Text), nil
		case c.Blob != nil:
			return base64.StdEncoding.DecodeString(*c.Blob)
		}
	}
	return nil, fmt.Errorf("the server sends nothing for %s", clean.Line(uri))
}
