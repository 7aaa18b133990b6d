package wire

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// roots are the folders that a server may ask for.
type roots struct {
	mu       sync.Mutex
	declared bool // the server was told that it may ask
	asked    bool // it has asked
	dirs     []string
}

// result returns the result of roots/list; declared reports whether the server may
// ask for it.
func (r *roots) result() (result json.RawMessage, declared bool) {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	is := struct {
		Roots []root `json:"roots"`
	}{Roots: []root{}}
	for _, dir := range r.dirs {
		u := url.URL{Scheme: "file", Path: dir}
		is.Roots = append(is.Roots, root{URI: u.String(), Name: filepath.Base(dir)})
	}
	r.asked = r.asked || r.declared
	result, err := json.Marshal(is)
	return result, err == nil && r.declared
}

// rootsTaken is how long a server may work on the answer to its question for the
// roots: a few milliseconds are usual, except on a busy machine.
const rootsTaken = 2 * time.Second

// AwaitRoots waits, where the server is a process that has asked for its roots, until
// it has taken notice of the answer: such servers ask as soon as the session begins,
// go on meanwhile, and would treat a call that comes at once as if they had no roots.
// A server that is never idle is waited for until the time is over.
func (c *Connection) AwaitRoots(ctx context.Context) {
	c.roots.mu.Lock()
	asked := c.roots.asked && len(c.roots.dirs) > 0
	c.roots.mu.Unlock()
	if c.Process == nil || !asked {
		return
	}
	ctx, stop := context.WithTimeout(ctx, rootsTaken)
	defer stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for c.unwritten.Load() > 0 {
		select {
		case <-tick.C:
		case <-c.Lost:
			return
		case <-ctx.Done():
			return
		}
	}
	c.Process.AwaitIdle(ctx)
}

// offer returns what the server may ask of the client.
func (d *Dialer) offer() mcp.ClientCapabilities {
	is := mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
		Extensions:  map[string]any{tasksExtension: struct{}{}},
	}
	if d.Roots != nil {
		is.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{true}
	}
	if d.Samples {
		is.Sampling = &mcp.SamplingCapability{}
	}
	return is
}
