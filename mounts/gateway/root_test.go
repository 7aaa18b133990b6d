package gateway

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
)

// rooted is a client that has roots, and counts how often it is asked for them.
type rooted struct {
	roots atomic.Pointer[[]string]
	asked atomic.Int64
}

func (r *rooted) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	r.asked.Add(1)
	var result mcp.ListRootsResult
	for _, uri := range *r.roots.Load() {
		result.Roots = append(result.Roots, mcp.Root{URI: uri})
	}
	return &result, nil
}

// TestRootOfTheClient: a call has the first folder among the roots of the client,
// which is asked once, and again when it says that they have changed.
func TestRootOfTheClient(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Pointer[Call]
				f := &fake{call: func(_ context.Context, c Call, _ func(Progress)) (*Result, error) {
					calls.Store(&c)
					return &Result{Text: "done"}, nil
				}}
				r := new(rooted)
				r.roots.Store(&[]string{"https://example.org/", "file:///home/u/my%20project", "file:///other"})
				w.options = append(slices.Clone(w.options), client.WithRootsHandler(r))
				legacy := len(w.options) > 1
				if w.http && legacy { // later versions do not listen so
					//lint:ignore SA1019 clients of the old era are asked only there
					w.transport = append(w.transport, transport.WithContinuousListening())
				}
				c := connect(t, newGateway(t, f), w)
				call := func() string {
					t.Helper()
					if got := text(ask(t, c, "call", map[string]any{"server": "s", "tool": "t"})); got != "done" {
						t.Fatalf("call: %q", got)
					}
					return calls.Load().Root
				}
				synctest.Wait() // until the client listens
				for range 3 {
					fstest.Equal(t, call(), "/home/u/my project", "the root")
				}
				remembers := legacy || !w.http
				if n := r.asked.Load(); remembers && n != 1 || n > 3 {
					t.Errorf("asked %d times", n)
				}
				r.roots.Store(&[]string{"file:///changed"})
				if !legacy {
					return // that version announces nothing
				}
				must(t, c.RootListChanges(t.Context()))
				synctest.Wait() // until the gateway has heard it
				fstest.Equal(t, call(), "/changed", "the root")
				fstest.Equal(t, r.asked.Load(), 2, "times asked")
			})
		})
	}
}

// TestNoRootOfTheClient: a client without roots, or without an answer, is served.
func TestNoRootOfTheClient(t *testing.T) {
	everyWay(t, &fake{call: func(_ context.Context, c Call, _ func(Progress)) (*Result, error) {
		return &Result{Text: "root " + c.Root}, nil
	}}, func(t *testing.T, c *peer, _ way) {
		fstest.Equal(t, text(ask(t, c, "call", map[string]any{"server": "s", "tool": "t"})), "root ")
	})
}

func TestFirstFolder(t *testing.T) {
	for want, uris := range map[string][]string{
		"":      {"", "file://elsewhere/x", "file:relative", "http://localhost/x", "%"},
		"/":     {"file:///"},
		"/a":    {"untitled:x", "file://localhost/a/b/..", "file:///c"},
		"/ü/#?": {"file:///%C3%BC/%23%3F"},
	} {
		var roots []mcp.Root
		for _, uri := range uris {
			roots = append(roots, mcp.Root{URI: uri})
		}
		fstest.Equal(t, firstFolder(roots), want, uris)
	}
}

// TestSlowRoots: requests at once ask once, and a cancelled one does not ask.
func TestSlowRoots(t *testing.T) {
	s := newClientState()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fstest.Equal(t, s.ask(ctx, func() string { return "/x" }), "", "from a client that does not listen")
	s.listen()
	var asked atomic.Int64
	got := make(chan string)
	for range 10 {
		go func() {
			got <- s.ask(t.Context(), func() string { asked.Add(1); return "/x" })
		}()
	}
	for range 10 {
		select {
		case root := <-got:
			fstest.Equal(t, root, "/x")
		case <-time.After(time.Minute):
			t.Fatal("it hangs")
		}
	}
	fstest.Equal(t, asked.Load(), 1, "times asked")
}
