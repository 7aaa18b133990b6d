package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
)

// working is a client that works in a folder, which may change.
type working struct{ in atomic.Pointer[string] }

func workingIn(dir string) *working {
	w := new(working)
	w.in.Store(&dir)
	return w
}

// ListRoots implements client.RootsHandler.
func (w *working) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file://" + *w.in.Load()}}}, nil
}

// TestServeCallsForTheProject: the calls of an agent reach the instance of the folder
// that its client names first, or else of that where the gateway was started, or of
// the one that --project names.
func TestServeCallsForTheProject(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	var dirs []string
	for _, name := range []string{"one", "two", "three"} {
		b.write("src/"+name+"/.git/HEAD", "ref: refs/heads/main\n")
		b.write("src/"+name+"/sub/file", "")
		dirs = append(dirs, filepath.Join(b.home, "src", name))
	}
	b.stub("zoo", "stands", nil)
	b.ok("tools", "zoo")
	where := func(a *agent, want string) {
		t.Helper()
		if text, failed := a.ask("call", callOf("zoo", "greet", nil)); failed || strings.TrimSpace(text) != want {
			t.Errorf("in %q, not in %q", strings.TrimSpace(text), want)
		}
	}
	legacy := client.WithProtocolVersion("2025-06-18")
	where(b.agentThat(client.WithRootsHandler(workingIn(dirs[0]+"/sub"))), dirs[0])
	moves := workingIn(dirs[1])
	moving := b.agentThat(client.WithRootsHandler(moves), legacy)
	where(moving, dirs[1])
	moves.in.Store(&dirs[2])
	must(t, moving.RootListChanges(t.Context()))
	where(moving, dirs[2])
	where(b.agentIn(dirs[1]+"/sub", nil), dirs[1])
	where(b.agentIn(dirs[1], []string{"--project", dirs[2]}), dirs[2])
	where(b.agentIn(dirs[1], []string{"--project", "../three/sub"}, client.WithRootsHandler(workingIn(dirs[0]))), dirs[2])
	b.refused(exitUsage, []string{"--project must name an existing folder"}, "serve", "--project", "nowhere")

	// Over HTTP each client has a folder of its own.
	cmd := b.command(b.Context(), b.program(), "serve", "--http", "127.0.0.1:0")
	cmd.Dir = dirs[2]
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	url := strings.TrimPrefix(strings.TrimSpace(line), "serving on ")
	for i, c := range []struct {
		want string
		can  []client.ClientOption
	}{
		{dirs[0], []client.ClientOption{client.WithRootsHandler(workingIn(dirs[0])), legacy}},
		{dirs[1], []client.ClientOption{client.WithRootsHandler(workingIn(dirs[1]))}},
		{dirs[2], []client.ClientOption{legacy}},
	} {
		t.Run(fmt.Sprint("http ", i), func(t *testing.T) {
			t.Parallel()
			var options []transport.StreamableHTTPCOption
			if len(c.can) > 1 {
				//lint:ignore SA1019 clients of the old era are asked only there
				options = append(options, transport.WithContinuousListening())
			}
			over, err := transport.NewStreamableHTTP(url, options...)
			must(t, err)
			peer := client.NewClient(over, c.can...)
			t.Cleanup(func() { peer.Close() })
			a := &agent{t: t, Client: peer}
			must(t, peer.Start(context.Background()))
			_, err = peer.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
				ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "tester", Version: "1"},
			}})
			must(t, err)
			fstest.Eventually(t, "it is called in "+c.want, func() bool { // the client does not say when it listens
				text, _ := a.ask("call", callOf("zoo", "greet", nil))
				return strings.TrimSpace(text) == c.want
			})
		})
	}
}
