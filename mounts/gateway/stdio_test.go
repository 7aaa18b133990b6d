package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

// hanging is a backend whose calls wait for their end, and report both.
func hanging() (f *fake, begun chan string, ended chan error) {
	begun, ended = make(chan string, 1000), make(chan error, 1000)
	return &fake{files: someFiles(), call: func(ctx context.Context, c Call, _ func(Progress)) (*Result, error) {
		begun <- c.Tool
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}}, begun, ended
}

const hangingCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"call","arguments":{"server":"s","tool":"t%[1]d"}}}` + "\n"

func say(t *testing.T, in io.Writer, format string, args ...any) {
	t.Helper()
	_, err := fmt.Fprintf(in, format, args...)
	must(t, err)
}

// TestCancelled: a call that the client cancels gets no answer, and no other
// call ends.
func TestCancelled(t *testing.T) {
	f, begun, ended := hanging()
	in, out := serveStdio(t, newGateway(t, f))
	say(t, in, hangingCall, 1)
	say(t, in, hangingCall, 2)
	<-begun
	<-begun
	say(t, in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"x"}}`+"\n")
	if err := <-ended; !errors.Is(err, errCancelled) {
		t.Errorf("ended by %v", err)
	}
	say(t, in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`+"\n")
	say(t, in, `{"jsonrpc":"2.0","id":"three","method":"ping"}`+"\n")
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	fstest.Contains(t, line, `"three"`)
	if len(ended) > 0 {
		t.Error("the other call ended too")
	}
}

// TestManyCallsHang: with more waiting calls than any pool has workers, all are
// under way, and the rest works.
func TestManyCallsHang(t *testing.T) {
	f, begun, _ := hanging()
	in, out := serveStdio(t, newGateway(t, f))
	for i := range 500 {
		say(t, in, hangingCall, i)
	}
	for range 500 {
		<-begun
	}
	say(t, in, `{"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"list","arguments":{}}}`+"\n")
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	fstest.Contains(t, line, "AGENTS.md")
}

// TestEnds: the end of the input, the context or the output ends the
// conversation at once, and what is under way with it.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(in io.Closer, out io.Closer, cancel func()){
		"input":   func(in, _ io.Closer, _ func()) { in.Close() },
		"context": func(_, _ io.Closer, cancel func()) { cancel() },
		"output":  func(_, out io.Closer, _ func()) { out.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f, begun, ended := hanging()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error)
			go func() { done <- newGateway(t, f).ServeStdio(ctx, inR, outW) }()
			say(t, inW, hangingCall, 1)
			<-begun
			end(inW, outR, cancel)
			if name == "output" {
				say(t, inW, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
			}
			err := <-done
			if name == "input" && err != nil || name != "input" && !errors.Is(err, context.Canceled) {
				t.Errorf("it returned %v", err)
			}
			<-ended
			inR.Close()
		})
	}
}

func TestNoise(t *testing.T) {
	in, out := serveStdio(t, newGateway(t, &fake{files: someFiles()}))
	lines := bufio.NewReader(out)
	for _, c := range []struct{ said, want string }{
		{"not json\n", `"code":-32700`},
		{"[]\n", `"code":-32700`},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n", `"code":-32600`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/none"}` + "\n", `"code":-32601`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}` + "\n", `not found`},
		{"\n\n" + `{"jsonrpc":"2.0","id":7,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n", `"id":2`},
	} {
		say(t, in, "%s", c.said)
		line, err := lines.ReadString('\n')
		must(t, err)
		if !strings.Contains(line, c.want) {
			t.Errorf("%q: %s", c.said, line)
		}
	}
}

// TestTooLong: a client that sends an endless message is disconnected.
func TestTooLong(t *testing.T) {
	inR, inW := io.Pipe()
	go func() {
		block := []byte(strings.Repeat("x", 1<<20))
		for {
			if _, err := inW.Write(block); err != nil {
				return
			}
		}
	}()
	err := newGateway(t, &fake{}).ServeStdio(t.Context(), inR, io.Discard)
	inR.Close()
	if err == nil || err.Error() != "a message is longer than 64 MiB" {
		t.Errorf("it returned %v", err)
	}
}

// TestManyCallers: of many concurrent callers each gets its own answer.
func TestManyCallers(t *testing.T) {
	f := &fake{call: func(_ context.Context, c Call, _ func(Progress)) (*Result, error) {
		return &Result{Text: c.Tool}, nil
	}}
	everyWay(t, f, func(t *testing.T, c *peer, _ way) {
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				for j := range 3 {
					want := fmt.Sprint("tool-", i, "-", j)
					fstest.Equal(t, text(ask(t, c, "call", map[string]any{"server": "s", "tool": want})), want, "for")
				}
			})
		}
		all.Wait()
	})
}
