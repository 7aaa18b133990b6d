package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
)

// nameForm is the schema of a form.
const nameForm = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`

// asking is a backend whose one call asks the given questions, one after the other,
// and returns what was answered.
type asking struct {
	fake

	mu      sync.Mutex
	open    []form.Question
	answers []string
	left    chan struct{} // closed when the first question needs no answer any more
}

func newAsking(questions ...form.Question) *asking {
	a := &asking{left: make(chan struct{})}
	for i := range questions {
		q := &questions[i]
		q.Task, q.Server, q.Until = "t1", "shop", time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
		q.ID = "q" + string(rune('1'+i))
	}
	a.open = questions
	next := func() (*Result, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.open) > 0 {
			q := a.open[0]
			return &Result{Question: &q}, nil
		}
		return &Result{Text: "answers: " + strings.Join(a.answers, " ")}, nil
	}
	a.call = func(context.Context, Call, func(Progress)) (*Result, error) { return next() }
	a.tasks = func(_ context.Context, task string) (*Result, error) {
		if task != "t1" {
			return nil, &Fault{What: "no task has the ID " + task}
		}
		return next()
	}
	a.answer = func(id string, answer form.Answer) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		switch {
		case len(a.open) == 0 || id != a.open[0].ID && id != "t1":
			return ErrAnswered
		case strings.Contains(string(answer.Content), "bad"):
			return &Fault{What: "--age must be a number"}
		}
		a.open = a.open[1:]
		a.answers = append(a.answers, answer.Action+string(answer.Content))
		return nil
	}
	a.answered = func(ctx context.Context, _ form.Question) error {
		select {
		case <-a.left:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return a
}

// replies is a client that replies to what it is asked.
type replies struct {
	mu     sync.Mutex
	asked  []mcp.ElicitationParams
	reply  func(ctx context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, error)
	sample func(mcp.CreateMessageParams) string
}

func (r *replies) Elicit(ctx context.Context, q mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	r.mu.Lock()
	r.asked = append(r.asked, q.Params)
	r.mu.Unlock()
	return r.reply(ctx, q.Params)
}

func (r *replies) CreateMessage(_ context.Context, q mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(r.sample(q.CreateMessageParams))},
		Model:           "model",
	}, nil
}

func (r *replies) messages() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.asked {
		all = append(all, p.Message)
	}
	return all
}

func result(action mcp.ElicitationResponseAction, content any) *mcp.ElicitationResult {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: action, Content: content}}
}

// everyAskedWay runs a test over each way, with a client that can be asked.
func everyAskedWay(t *testing.T, test func(t *testing.T, w way)) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if w.http && len(w.options) > 0 { // later versions do not listen so
					//lint:ignore SA1019 clients of the old era are asked only there
					w.transport = append(w.transport, transport.WithContinuousListening())
				}
				test(t, w)
			})
		})
	}
}

// with returns the way with a client that answers.
func (w way) with(options ...client.ClientOption) way {
	w.options = append(slices.Clone(w.options), options...)
	return w
}

var shopCall = map[string]any{"server": "shop", "tool": "buy"}

// TestQuestionPassedOn: a question goes to a client that can ask, an answer that does
// not fit is asked for again with the reason, and the result is that of the call.
func TestQuestionPassedOn(t *testing.T) {
	everyAskedWay(t, func(t *testing.T, w way) {
		a := newAsking(
			form.Question{Kind: form.AskForm, Message: "Who are you?", Schema: json.RawMessage(nameForm), Warning: "it is odd"},
			form.Question{Kind: form.AskForm, Message: "Sure?", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		)
		names := []string{"bad", "Ann"}
		r := &replies{reply: func(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			if strings.Contains(p.Message, "Sure?") {
				return result("decline", nil), nil
			}
			name := names[0]
			names = names[1:]
			return result("accept", map[string]any{"name": name}), nil
		}}
		c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
		fstest.Equal(t, text(ask(t, c, "call", shopCall)), `answers: accept{"name":"Ann"} decline`)
		want := []string{"shop asks: Who are you?\n\nCareful: it is odd.", "--age must be a number\n\nshop asks: Who are you?\n\nCareful: it is odd.", "shop asks: Sure?"}
		fstest.EqualSlices(t, r.messages(), want, "asked")
		if schema, _ := json.Marshal(r.asked[0].RequestedSchema); !strings.Contains(string(schema), `"age"`) {
			t.Errorf("schema %s", schema)
		}
	})
}

// TestQuestionOfStubbornClient: a client whose answers never fit is not asked without
// end; its agent reads the question.
func TestQuestionOfStubbornClient(t *testing.T) {
	for _, w := range ways() {
		if !strings.Contains(w.name, "legacy") {
			continue // its client asks itself
		}
		t.Run(w.name, func(t *testing.T) {
			a := newAsking(form.Question{Kind: form.AskForm, Message: "Who are you?", Schema: json.RawMessage(nameForm)})
			r := &replies{reply: func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				return result("accept", map[string]any{"name": "bad"}), nil
			}}
			if w.http {
				//lint:ignore SA1019 clients of the old era are asked only there
				w.transport = append(w.transport, transport.WithContinuousListening())
			}
			c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
			if got := text(ask(t, c, "call", shopCall)); !strings.Contains(got, "Who are you?") || len(r.messages()) != maxUnfit {
				t.Errorf("asked %d times: %q", len(r.messages()), got)
			}
		})
	}
}

// TestAddressPassedOn: an address goes to a client that can open it.
func TestAddressPassedOn(t *testing.T) {
	everyAskedWay(t, func(t *testing.T, w way) {
		a := newAsking(form.Question{Kind: form.AskURL, Message: "Log in", URL: "https://shop.example/login"})
		r := &replies{reply: func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			return result("accept", nil), nil
		}}
		w.can.Elicitation = &mcp.ElicitationCapability{URL: &struct{}{}}
		c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
		fstest.Equal(t, text(ask(t, c, "call", shopCall)), "answers: accept")
		if p := r.asked[0]; p.URL != "https://shop.example/login" || p.Mode != "url" || p.ElicitationID == "" {
			t.Errorf("%+v", p)
		}
	})
}

// TestSamplingPassedOn: a prompt goes to the model of a client that has one.
func TestSamplingPassedOn(t *testing.T) {
	everyAskedWay(t, func(t *testing.T, w way) {
		a := newAsking(form.Question{Kind: form.AskSampling, Message: "Add", Request: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"2+2"}}],"maxTokens":10}`)})
		r := &replies{sample: func(p mcp.CreateMessageParams) string { return "four" }}
		c := connectBackend(t, a, w.with(client.WithSamplingHandler(r)))
		synctest.Wait() // until the client listens
		got := text(ask(t, c, "call", shopCall))
		if !strings.HasPrefix(got, "answers: ") || !strings.Contains(got, "accept{") || !strings.Contains(got, `"text":"four"`) {
			t.Errorf("%q", got)
		}
	})
}

// TestQuestionAsText: an agent whose client cannot ask reads the question, and
// answers it by the tool itself.
func TestQuestionAsText(t *testing.T) {
	who := form.Question{Kind: form.AskForm, Message: "Who are you?", Schema: json.RawMessage(nameForm), Fields: []form.Field{{Name: "name", Type: "string", Required: true}, {Name: "age", Type: "integer"}}}
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(who, form.Question{Kind: form.AskURL, Message: "Log in", URL: "https://shop.example/login"}, who)
			c := connectBackend(t, a, w)
			got := text(ask(t, c, "call", shopCall))
			for _, want := range []string{
				"shop asks before it goes on (question q1, until 2026-01-31T08:00:00Z): Who are you?\n", "Fields: name: string, age?: integer\n",
				`call {"continue":"t1","answer":{"FIELD":VALUE}}`, `call {"continue":"t1","decline":true}`,
			} {
				fstest.Contains(t, got, want)
			}
			fstest.Equal(t, text(ask(t, c, "call", map[string]any{"continue": "t1"})), got, "again")
			if got = text(ask(t, c, "call", map[string]any{"continue": "t1", "answer": map[string]any{"name": "bad"}})); got != "--age must be a number" {
				t.Errorf("unfit: %q", got)
			}
			got = text(ask(t, c, "call", map[string]any{"continue": "t1", "answer": map[string]any{"name": "Ann"}}))
			if !strings.Contains(got, "Address for your user to open: https://shop.example/login\n") || !strings.Contains(got, `"answer":{}}`) {
				t.Errorf("%q", got)
			}
			ask(t, c, "call", map[string]any{"continue": "t1", "answer": map[string]any{}})
			got = text(ask(t, c, "call", map[string]any{"continue": "t1", "decline": true}))
			fstest.Equal(t, got, `answers: accept{"name":"Ann"} accept decline`)
			fstest.Equal(t, text(ask(t, c, "call", map[string]any{"continue": "t1", "decline": true})), got, "answered twice")
			for _, args := range []map[string]any{{"continue": "t1", "server": "shop", "tool": "buy"}, {"answer": map[string]any{}}, {"server": "shop"}, {"continue": "t2"}} {
				if r := ask(t, c, "call", args); !r.IsError {
					t.Errorf("%v: %s", args, text(r))
				}
			}
		})
	}
}

// TestQuestionAnsweredElsewhere: the client is not asked any more when somebody else
// has answered, or no answer is needed.
func TestQuestionAnsweredElsewhere(t *testing.T) {
	w := ways()[1]
	a := newAsking(form.Question{Kind: form.AskForm, Message: "Who are you?", Schema: json.RawMessage(nameForm)})
	asked := make(chan struct{})
	withdrawn := make(chan struct{})
	r := &replies{reply: func(ctx context.Context, _ mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		close(asked)
		<-withdrawn
		return result("accept", map[string]any{"name": "late"}), nil
	}}
	t.Cleanup(func() { close(withdrawn) })
	c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
	go func() {
		<-asked
		if err := a.answer("q1", form.Answer{Action: "accept", Content: json.RawMessage(`{"name":"Bob"}`)}); err != nil {
			t.Error(err)
		}
		close(a.left)
	}()
	fstest.Equal(t, text(ask(t, c, "call", shopCall)), `answers: accept{"name":"Bob"}`)
}

// TestQuestionOfClientThatLeaves: a call is cancelled when its client cancels the
// request, or leaves, while it is asked.
func TestQuestionOfClientThatLeaves(t *testing.T) {
	for _, w := range ways() {
		if !strings.Contains(w.name, "legacy") {
			continue // it is not asked while the request lasts
		}
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAsking(form.Question{Kind: form.AskForm, Message: "Who are you?", Schema: json.RawMessage(nameForm)})
				ctx, cancel := context.WithCancel(t.Context())
				stay := make(chan struct{})
				t.Cleanup(func() { close(stay) })
				r := &replies{reply: func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
					cancel()
					<-stay
					return result("cancel", nil), nil
				}}
				c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
				_, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "call", Arguments: shopCall}})
				if err == nil {
					t.Error("the cancelled request has a result")
				}
				if synctest.Wait(); a.cancels.Load() != 1 {
					t.Errorf("cancelled %d times", a.cancels.Load())
				}
			})
		})
	}
}

func connectBackend(t *testing.T, a *asking, w way) *peer {
	t.Helper()
	return connect(t, newGateway(t, &a.fake), w)
}

// TestAddressDone: of an address that the server may never say is done, the client is
// asked whether it is.
func TestAddressDone(t *testing.T) {
	everyAskedWay(t, func(t *testing.T, w way) {
		a := newAsking(form.Question{Kind: form.AskURL, Message: "Log in", URL: "https://shop.example/login", Again: true})
		a.answer = func(_ string, answer form.Answer) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.answers = append(a.answers, answer.Action+string(answer.Content)); len(a.answers) == 2 {
				a.open = nil
			}
			return nil
		}
		r := &replies{reply: func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			return result("accept", map[string]any{"needless": true}), nil
		}}
		w.can.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
		c := connectBackend(t, a, w.with(client.WithElicitationHandler(r)))
		fstest.Equal(t, text(ask(t, c, "call", shopCall)), "answers: accept accept")
		want := []string{"shop asks: Log in", "shop waits until you have finished at https://shop.example/login. Accept when you have."}
		fstest.EqualSlices(t, r.messages(), want, "asked")
	})
}
