package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/config"
)

// everything connects to the real @modelcontextprotocol/server-everything.
func everything(t *testing.T, kind string, d *Dialer) *Connection {
	t.Helper()
	const server = "@modelcontextprotocol/server-everything"
	script := filepath.Join(fstest.NodeModules(t, server), server, "dist/index.js")
	if kind == config.Stdio {
		return everythingByPipes(t, exec.Command("node", script, "stdio"), d)
	}
	arg, path := "streamableHttp", "/mcp"
	if kind == config.SSE {
		arg, path = "sse", "/sse"
	}
	d.HTTP, d.Def = http.DefaultTransport, &config.Server{Transport: kind, URL: "http://" + fstest.NodeServer(t, script, arg) + path}
	c, err := d.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// pipe returns the ends of a pipe.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// everythingByPipes connects to a process.
func everythingByPipes(t *testing.T, cmd *exec.Cmd, d *Dialer) *Connection {
	t.Helper()
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	cmd.Stdin, cmd.Stdout = inR, outW
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	c := d.connection(context.Background(), config.Stdio)
	c.speak(inW, outR)
	t.Cleanup(func() {
		c.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		outR.Close()
	})
	if err := c.handshake(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	return c
}

// text returns the text of the result of a call.
func text(t *testing.T, result json.RawMessage, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var is struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(result, &is); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, c := range is.Content {
		all.WriteString(c.Text + "\n")
	}
	return all.String()
}

// TestEverything has the reference server ask everything that it can, over each
// transport.
func TestEverything(t *testing.T) {
	for _, kind := range []string{config.Stdio, config.StreamableHTTP, config.SSE} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := usual()
			d.Roots, d.Samples = []string{"/src/one"}, true
			var mu sync.Mutex
			var logged []LogMessage
			d.Log = func(m LogMessage) {
				mu.Lock()
				defer mu.Unlock()
				logged = append(logged, m)
			}
			c := everything(t, kind, d)
			call := func(tool, args string, p *Pending) string {
				t.Helper()
				result, _, err := c.Send(t.Context(), Outgoing{
					Method: "tools/call", Params: map[string]any{"name": tool, "arguments": json.RawMessage(args)}, Pending: p, TaskSupport: "required",
				})
				return text(t, result, err)
			}
			contains := func(what, text string, wants ...string) {
				t.Helper()
				for _, want := range wants {
					if !strings.Contains(text, want) {
						t.Errorf("%s: %q is not in:\n%s", what, want, text)
					}
				}
			}
			plain := func(tool, args string, a form.Answer, check func(q Question)) string {
				t.Helper()
				p := &Pending{OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
					check(q)
					return a, nil
				}}
				result, _, err := c.Send(t.Context(), Outgoing{
					Method: "tools/call", Params: map[string]any{"name": tool, "arguments": json.RawMessage(args)}, Pending: p,
				})
				return text(t, result, err)
			}

			got := plain("trigger-elicitation-request", `{}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"name":"Ada","integer":7}`)}, func(q Question) {
				if q.Kind != form.AskForm || !strings.Contains(string(q.Schema), `"birthdate"`) || q.Message == "" {
					t.Errorf("%+v", q)
				}
			})
			contains("a form", got, "User provided the requested information", "- Name: Ada", "- Favorite Integer: 7")
			contains("a form declined", plain("trigger-elicitation-request", `{}`, form.Answer{Action: form.Decline}, func(Question) {}), "User declined")

			asked := 0
			got = plain("trigger-url-elicitation", `{"url":"https://example.com/x","errorPath":true}`, form.Answer{Action: form.Accept}, func(q Question) {
				asked++
				if q.Kind != form.AskURL || q.Again != (asked == 1) || q.URL != [...]string{"https://modelcontextprotocol.io", "https://example.com/x"}[asked-1] {
					t.Errorf("question %d: %+v", asked, q)
				}
			})
			contains("an address", got, "User completed the URL elicitation flow")

			got = plain("trigger-sampling-request", `{"prompt":"Say hi","maxTokens":5}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"hi there"}}`)}, func(q Question) {
				if q.Kind != form.AskSampling || !strings.Contains(string(q.Request), "Say hi") {
					t.Errorf("%+v", q)
				}
			})
			contains("sampling", got, "hi there")

			contains("roots", plain("get-roots-list", `{}`, form.Answer{}, func(Question) {}), "file:///src/one")
			// What a real server has taken notice of no channel announces.
			fstest.Eventually(t, "the server has logged that", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return strings.Contains(fmt.Sprint(logged), "root(s)")
			})
			if err := c.SetLogLevel(t.Context(), "error"); err != nil {
				t.Error(err)
			}
			if err := c.SetLogLevel(t.Context(), "loud"); err == nil {
				t.Error("a level that is none is set")
			}

			var states []string
			p := &Pending{
				OnTask: func(is Task) {
					mu.Lock()
					defer mu.Unlock()
					states = append(states, is.State)
				},
				OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
					if !strings.Contains(q.Message, "python") || q.Uncertain {
						t.Errorf("%+v", q)
					}
					return form.Answer{Action: form.Accept, Content: json.RawMessage(`{"interpretation":"snake"}`)}, nil
				},
			}
			contains("a task", call("simulate-research-query", `{"topic":"python","ambiguous":true}`, p), "Research Report: python (snake)")
			mu.Lock()
			defer mu.Unlock()
			contains("its states", strings.Join(states, " "), TaskWorking, TaskAsks)
		})
	}
}
