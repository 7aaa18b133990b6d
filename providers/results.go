package providers

import (
	"path/filepath"

	"ctxfs/providers/mcp"
	"ctxfs/providers/results"
)

// Results is the store of long results. What is saved in it is in the tree at
// once.
func (s *Set) Results() *results.Store { return s.results.Store() }

// ResultsFolder is where users find what is in the store: in a mount, if there
// is one, since that is what agents may read, or else on the disk.
func (s *Set) ResultsFolder() string {
	if s.opts.MountPoint != nil {
		if dir := s.opts.MountPoint(); dir != "" {
			return filepath.Join(dir, "results")
		}
	}
	return filepath.Join(s.opts.State, "results")
}

// toolResults is the store as the calls of tools use it.
type toolResults struct{ set *Set }

// Limit implements mcp.Results.
func (r toolResults) Limit() int { return r.set.Results().Limit() }

// Save implements mcp.Results.
func (r toolResults) Save(server, tool, ext string, body []byte) (mcp.SavedResult, error) {
	saved, err := r.set.Results().Save(results.Origin{Source: "call", Server: server, Tool: tool}, ext, body)
	if err != nil {
		return mcp.SavedResult{}, err
	}
	return mcp.SavedResult{Path: filepath.Join(r.set.ResultsFolder(), saved.Name), Bytes: saved.Bytes, Lines: saved.Lines}, nil
}
