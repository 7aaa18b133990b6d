package providers

import (
	"ctxfs/providers/mcp"
	"ctxfs/providers/results"
)

// Results is the store of long results. What is saved in it is in the tree at
// once.
func (s *Set) Results() *results.Store { return s.results.Store() }

// toolResults is the store as the calls of tools use it.
type toolResults struct{ store *results.Store }

// Limit implements mcp.Results.
func (r toolResults) Limit() int { return r.store.Limit() }

// Save implements mcp.Results.
func (r toolResults) Save(server, tool, ext string, body []byte) (mcp.SavedResult, error) {
	saved, err := r.store.Save(results.Origin{Source: "call", Server: server, Tool: tool}, ext, body)
	return mcp.SavedResult{Path: saved.Path, Bytes: saved.Bytes, Lines: saved.Lines}, err
}
