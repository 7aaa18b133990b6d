package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/wire"
)

// eachCallee runs a test with a server whose tools can be called, over both
// transports and in both eras. Count counts lines of the server's journal.
func eachCallee(t *testing.T, test func(t *testing.T, w *world, count func(string) int)) {
	for _, era := range []string{"", "-modern"} {
		for _, way := range []string{"stdio", "http"} {
			t.Run(way+era, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					journal, count := w.journal()
					entry := stub("calls"+era, stubJournal, journal)
					if way == "http" {
						entry = map[string]any{"url": w.serve(newCallee(remoteStub(stubJournal, journal), era))}
					}
					w.claude(map[string]any{"callee": entry})
					test(t, w.open(), count)
				})
			})
		}
	}
}

// call calls a tool of the callee.
func (w *world) call(tool, args string) (*calls.Result, error) {
	return w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: tool, Arguments: json.RawMessage(args)})
}

func TestCall(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		r, err := w.call("echo", `{"text":"good\u001b[31m day\u202e"}`)
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Text) != "good day" || r.Failed || r.IsJSON || calls.Outcome(r, err) != "ok" {
			t.Errorf("%+v", r)
		}
		if r, err = w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "give_result", Words: []calls.Word{{Text: "--result"}, {Text: `{"isError":true,"content":[{"type":"text","text":"no"}]}`}}}); err != nil || !r.Failed || string(r.Text) != "no" || calls.Outcome(r, err) != "tool-error" {
			t.Errorf("%+v, %v", r, err)
		}
		_, err = w.call("refuses", "")
		if err == nil || calls.Outcome(nil, err) != "bad-arguments" || !strings.Contains(err.Error(), "these arguments will not do") {
			t.Error(err)
		}
		if n := count("start"); n > 1 {
			t.Errorf("%d processes", n)
		}
	})
}

// TestCallsThatAreNotMade are judged by what is known, once it is known.
func TestCallsThatAreNotMade(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal), "off": map[string]any{"command": "x", "disabled": true}})
		w.open()
		if _, err := w.p.Tool("callee", "echo"); calls.Outcome(nil, err) != "unreachable" {
			t.Error(err)
		}
		for _, known := range []bool{false, true} {
			for call, want := range map[string]string{
				"callee ecko {}":           `server callee has no tool "ecko"; did you mean "echo"?`,
				`callee echo {"txt":"x"}`:  `unknown "txt"; did you mean "text"?`,
				`callee echo [1]`:          `object`,
				`kallee echo {"text":"x"}`: `no server is called "kallee"; did you mean "callee"?`,
			} {
				f := strings.SplitN(call, " ", 3)
				_, err := w.p.Call(context.Background(), calls.Call{Server: f[0], Tool: f[1], Arguments: json.RawMessage(f[2])})
				if err == nil || !strings.Contains(err.Error(), want) || calls.Outcome(nil, err) != "bad-arguments" {
					t.Errorf("%s: %v", call, err)
				}
			}
			if known {
				break
			}
			if n := count("start"); n != 1 {
				t.Fatalf("%d starts: nothing was known of the server", n)
			}
			w.reopen()
		}
		if n := count("start"); n != 1 {
			t.Errorf("%d starts", n)
		}
		if n := count("call echo"); n != 0 {
			t.Errorf("%d calls", n)
		}
		if _, err := w.p.Call(context.Background(), calls.Call{Server: "off", Tool: "x"}); calls.Outcome(nil, err) != "unreachable" {
			t.Error(err)
		}
		info, err := w.p.Tool("callee", "delete_all")
		if err != nil || !info.Destructive || info.File != "delete_all" || info.Schema == nil {
			t.Errorf("%+v, %v", info, err)
		}
		w.opts.Watch = false
		w.reopen()
		if _, err := w.call("echo", `{"text":"x"}`); err == nil {
			t.Error("an offline tree makes calls")
		}
	})
}

func TestCallCancelled(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := w.p.Call(ctx, calls.Call{Server: "callee", Tool: "wait"})
			done <- err
		}()
		w.await("the call", func() bool { return count("waits") == 1 })
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || calls.Outcome(nil, err) != "cancelled" {
			t.Error(err)
		}
		w.await("the end of the call", func() bool {
			return count("cancelled by a message")+count("cancelled by the end of the stream") == 1
		})
		if r, err := w.call("echo", `{"text":"x"}`); err != nil || string(r.Text) != "x" {
			t.Error(r, err)
		}
	})
}

// TestCallProgress has progress put the end off, but not forever.
func TestCallProgress(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		news := make(chan wire.Progress, 10)
		c := calls.Call{Server: "callee", Tool: "steps", Timeout: 4 * stepTime, Progress: func(p wire.Progress) { news <- p }}
		if _, err := w.call("echo", `{"text":"started"}`); err != nil {
			t.Fatal(err)
		}
		r, err := w.p.Call(context.Background(), c)
		if err != nil || string(r.Text) != "all steps done" {
			t.Fatal(r, err)
		}
		for i := range 5 {
			if p, want := <-news, (wire.Progress{Done: float64(i + 1), Total: 5, Message: fmt.Sprint("step ", i+1)}); p != want {
				t.Errorf("%+v, not %+v", p, want)
			}
		}
		w.opts.timing.toolMax = 4 * stepTime
		w.reopen()
		if _, err = w.p.Call(context.Background(), c); calls.Outcome(nil, err) != "timeout" || !strings.Contains(err.Error(), "the tool has not answered within 2 s") {
			t.Error(err)
		}
		c.Tool = "wait"
		if _, err = w.p.Call(context.Background(), c); calls.Outcome(nil, err) != "timeout" {
			t.Error(err)
		}
	})
}

// TestCallsInAnyOrder has every caller get its own answers of one server.
func TestCallsInAnyOrder(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		var all sync.WaitGroup
		for caller := range 40 {
			all.Go(func() {
				for i := range 5 {
					want := fmt.Sprintf("answer %d of %d", i, caller)
					r, err := w.call("echo", fmt.Sprintf(`{"text":%q}`, want))
					if err != nil || string(r.Text) != want {
						t.Errorf("%s: %v, %v", want, r, err)
						return
					}
				}
			})
		}
		all.Wait()
		if n := count("call echo"); n != 200 {
			t.Errorf("%d calls were made", n)
		}
		if n := count("start"); n > 1 {
			t.Errorf("%d processes", n)
		}
	})
}

// TestCallsAreMadeOnce: one that the server may have got is not sent again, one
// that it cannot have got is.
func TestCallsAreMadeOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
		w.open()
		_, err := w.call("dies", "")
		if calls.Outcome(nil, err) != "unreachable" || !strings.Contains(err.Error(), "exited with status 5") || !strings.Contains(err.Error(), "whether the tool has done its work is not known") {
			t.Error(err)
		}
		if n := count("call dies"); n != 1 {
			t.Errorf("it was made %d times", n)
		}
		for i := range 5 {
			if r, err := w.call("echo", `{"text":"x"}`); err != nil || string(r.Text) != "x" {
				t.Fatal(r, err)
			}
			conn := w.p.All()[0].Instances()[0].Connection()
			// It is gone, and the next call may be before anybody has noticed.
			w.programs.kill(conn.Process.Group())
			if i%2 == 0 {
				<-conn.Process.Exited()
			} else {
				<-conn.Lost
			}
		}
	})
}

// TestCallsThatAreRefused by a status: a status about the session is not an answer,
// and the call is sent in another session, once.
func TestCallsThatAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const asTypeScript = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":ID}`
		w := newWorld(t)
		journal, count := w.journal()
		s := newCallee(remoteStub(stubJournal, journal), "")
		w.claude(map[string]any{"callee": map[string]any{"url": w.serve(s)}})
		w.open()
		if _, err := w.call("echo", `{"text":"x"}`); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			refusedCall
			outcome string
			sent    int
		}{
			{refusedCall{404, "no such session"}, "ok", 2},
			{refusedCall{400, "no such session"}, "ok", 2},
			{refusedCall{400, asTypeScript}, "ok", 2},
			{refusedCall{400, strings.ReplaceAll(asTypeScript, "ID", "null")}, "ok", 2},
			{refusedCall{404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":ID}`}, "ok", 2},
			{refusedCall{400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"the title is too long"},"id":ID}`}, "bad-arguments", 1},
			{refusedCall{400, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"it broke"},"id":ID}`}, "tool-error", 1},
			{refusedCall{500, "it broke"}, "unreachable", 1},
			{refusedCall{503, "later"}, "unreachable", 1},
			{refusedCall{200, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"x"}]},"id":"raw-999"}`}, "unreachable", 1},
			{refusedCall{200, `{"jsonrpc":"2.0","result":{`}, "unreachable", 1},
		} {
			before := count("tools/call")
			s.forgets.Store(&c.refusedCall)
			r, err := w.call("echo", `{"text":"x"}`)
			if got := calls.Outcome(r, err); got != c.outcome {
				t.Errorf("%v: %s: %v", c.refusedCall, got, err)
			}
			if n := count("tools/call") - before; n != c.sent {
				t.Errorf("%v: sent %d times", c.refusedCall, n)
			}
			if r, err = w.call("echo", `{"text":"x"}`); err != nil || string(r.Text) != "x" {
				t.Errorf("%v: then %v, %v", c.refusedCall, r, err)
			}
		}
	})
}

func TestCallOfAServerThatWantsALogin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"callee": remote(w.serve(httpStub{token: "x", status: 401}), bearer)})
		w.open()
		if _, err := w.call("echo", `{"text":"x"}`); calls.Outcome(nil, err) != "needs-auth" {
			t.Error(err)
		}
	})
}

// TestCallHeaders has arguments stand in headers where the tool wants that.
func TestCallHeaders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for era, want := range map[string]int{"": 0, "-modern": 1} {
			w := newWorld(t)
			journal, count := w.journal()
			w.claude(map[string]any{"callee": map[string]any{"url": w.serve(newCallee(remoteStub(stubJournal, journal), era))}})
			w.open()
			if _, err := w.call("headed", `{"region":"eu"}`); err != nil {
				t.Fatal(err)
			}
			if n := count("region eu"); n != want {
				t.Errorf("era %q: the header was there %d times", era, n)
			}
		}
	})
}

// TestCallIsInterrupted tells the caller what has interrupted the call, rather than
// how the process ended.
func TestCallIsInterrupted(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		for want, interrupt := range map[string]func() error{
			"it was restarted meanwhile": func() error { return w.p.Restart("callee") },
		} {
			waiting := count("waits")
			done := make(chan error, 1)
			go func() {
				_, err := w.call("wait", "{}")
				done <- err
			}()
			w.await("the call", func() bool { return count("waits") > waiting })
			if err := interrupt(); err != nil {
				t.Fatal(err)
			}
			err := <-done
			if err == nil || !strings.Contains(err.Error(), want+"; whether the tool has done its work is not known") || calls.Outcome(nil, err) != calls.OutcomeUnreachable {
				t.Errorf("%v, not %q", err, want)
			}
		}
		done := make(chan error, 1)
		waiting := count("waits")
		go func() {
			_, err := w.call("wait", "{}")
			done <- err
		}()
		w.await("the call", func() bool { return count("waits") > waiting })
		w.reopen()
		if err := <-done; err == nil || !strings.Contains(err.Error(), "ctxfs is stopping; whether the tool has done its work is not known") {
			t.Error(err)
		}
	})
}
