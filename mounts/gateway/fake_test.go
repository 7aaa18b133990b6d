package gateway

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	ctxtest "ctxfs/fs/fstest"

	"ctxfs/fs/form"
)

// fake is a backend over files in memory.
type fake struct {
	files    fstest.MapFS
	overview string
	find     func(Query) (string, error)
	call     func(context.Context, Call, func(Progress)) (*Result, error)
	tasks    func(ctx context.Context, task string) (*Result, error) // Continue
	answer   func(question string, a form.Answer) error              // Answer
	answered func(ctx context.Context, q form.Question) error        // nil waits for ever
	cancels  atomic.Int64
	reads    atomic.Int64
}

func (f *fake) Overview(context.Context) (string, error) { return f.overview, nil }

func (f *fake) Wait(_ context.Context, w Wait) (string, error) {
	return fmt.Sprintf("met: %s any=%v %v %s", w.For, w.Any, w.Timeout, w.Root), nil
}

func (f *fake) List(_ context.Context, name string) ([]Entry, error) {
	if name == "" {
		name = "."
	}
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return nil, &Fault{What: name + ": no such file or folder"}
	}
	if !info.IsDir() {
		return []Entry{{Name: path.Base(name), Size: info.Size(), Itself: true}}, nil
	}
	listed, err := f.files.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, e := range listed {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{Name: e.Name(), Dir: e.IsDir(), Size: info.Size()})
	}
	return entries, nil
}

func (f *fake) Read(_ context.Context, name string, w io.Writer) error {
	f.reads.Add(1)
	file, ok := f.files[name]
	if !ok {
		return &Fault{What: name + ": no such file or folder"}
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{strings.NewReader(string(file.Data))}, make([]byte, 4096))
	return err
}

func (f *fake) Find(_ context.Context, q Query) (string, error) { return f.find(q) }

func (f *fake) Call(ctx context.Context, c Call, progress func(Progress)) (*Result, error) {
	return f.call(ctx, c, progress)
}

func (f *fake) Continue(ctx context.Context, task string, _ func(Progress)) (*Result, error) {
	return f.tasks(ctx, task)
}

func (f *fake) Answered(ctx context.Context, q form.Question) error {
	if f.answered == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return f.answered(ctx, q)
}

func (f *fake) Answer(_ context.Context, a form.Answer) error {
	return f.answer(a.ID, a)
}

func (f *fake) CancelTask(context.Context, string) error {
	f.cancels.Add(1)
	return nil
}

func newGateway(t *testing.T, f *fake) *Gateway {
	t.Helper()
	return New(Options{Backend: f, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(newOutput(t), nil))})
}

// way is a way to reach a gateway, in one version of the protocol.
type way struct {
	name      string
	http      bool
	options   []client.ClientOption
	transport []transport.StreamableHTTPCOption
	can       mcp.ClientCapabilities // besides what the options say
}

func ways() []way {
	legacy := []client.ClientOption{client.WithProtocolVersion("2025-06-18")}
	return []way{{name: "stdio"}, {name: "stdio, legacy", options: legacy}, {name: "http", http: true}, {name: "http, legacy", http: true, options: legacy}}
}

// everyWay runs a test over each way.
func everyWay(t *testing.T, f *fake, test func(t *testing.T, c *peer, w way)) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) { test(t, connect(t, newGateway(t, f), w), w) })
	}
}

// connect returns a client of a gateway.
func connect(t *testing.T, g *Gateway, w way) *peer {
	t.Helper()
	var c *client.Client
	if w.http {
		url, network := serveMemory(t, g)
		tr, err := transport.NewStreamableHTTP(url, append(w.transport, transport.WithHTTPBasicClient(&http.Client{Transport: network}))...)
		must(t, err)
		c = client.NewClient(tr, w.options...)
	} else {
		in, out := serveStdio(t, g)
		c = client.NewClient(transport.NewIO(out, in, nil), w.options...)
	}
	must(t, c.Start(context.Background()))
	t.Cleanup(func() { c.Close() })
	hello, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "tester", Version: "1"},
		Capabilities:    w.can,
	}})
	must(t, err)
	return &peer{c, hello}
}

// peer is a client that has said hello.
type peer struct {
	*client.Client
	hello *mcp.InitializeResult
}

// output is that of a test until it ends: handlers of requests that nobody waits for any
// more may go on longer.
type output struct {
	mu sync.Mutex
	t  *testing.T // nil once it has ended
}

func newOutput(t *testing.T) *output {
	o := &output{t: t}
	t.Cleanup(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.t = nil
	})
	return o
}

func (o *output) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.t == nil {
		return len(line), nil
	}
	return o.t.Output().Write(line)
}

// serveStdio serves over pipes, and returns their other ends.
func serveStdio(t *testing.T, g *Gateway) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- g.ServeStdio(ctx, inR, outW)
		inR.Close()
		outW.Close()
	}()
	t.Cleanup(func() {
		cancel()
		outR.Close()
		<-done
	})
	return inW, outR
}

// serveMemory serves over a network in memory.
func serveMemory(t *testing.T, g *Gateway) (url string, network *ctxtest.Network) {
	t.Helper()
	g.peer = func(_, _ net.Addr) error { return nil }
	network = ctxtest.NewNetwork(t)
	l, err := network.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	return serve(t, g, l), network
}

// serveHTTP serves over sockets.
func serveHTTP(t *testing.T, g *Gateway) (url string) {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	must(t, err)
	return serve(t, g, l)
}

func serve(t *testing.T, g *Gateway, l net.Listener) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.ServeHTTP(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ServeHTTP: %v", err)
		}
	})
	return "http://" + l.Addr().(*net.TCPAddr).String() + Endpoint
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask calls one of the gateway's tools.
func ask(t *testing.T, c *peer, tool string, args any) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	return result
}

// text returns all text of a result.
func text(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}
