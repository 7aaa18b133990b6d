package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/form"
	"ctxfs/providers/mcp/lines"
)

const colourForm = `{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}}}}`

// answers returns a caller who answers each question in the same way.
func answers(a form.Answer) *Pending {
	return &Pending{OnQuestion: func(context.Context, Question) (form.Answer, error) { return a, nil }}
}

// TestQuestionsOfTheOldEra are asked, and the answers are those of the protocol.
func TestQuestionsOfTheOldEra(t *testing.T) {
	for _, c := range []struct {
		name, method, params string
		answer               form.Answer
		err                  error
		want                 string // of the answer to the server, result or error
	}{
		{"accepted", "elicitation/create", colourForm, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"colour":"red"}`)}, nil, `{"action":"accept","content":{"colour":"red"}}`},
		{"accepted without content", "elicitation/create", `{"message":"Really?"}`, form.Answer{Action: form.Accept}, nil, `{"action":"accept","content":{}}`},
		{"declined", "elicitation/create", colourForm, form.Answer{Action: form.Decline, Content: json.RawMessage(`{"a":1}`)}, nil, `{"action":"decline"}`},
		{"dismissed", "elicitation/create", colourForm, form.Answer{Action: form.Cancel}, nil, `{"action":"cancel"}`},
		{"a fault", "elicitation/create", colourForm, form.Answer{}, errors.New("no\nterminal"), `{"code":-32603,"message":"the question could not be answered: no terminal"}`},
		{"an address", "elicitation/create", `{"mode":"url","message":"Log in","url":"https://example.com/a","elicitationId":"e1"}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{}`)}, nil, `{"action":"accept"}`},
		{"sampling", "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":10}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"Ho"}}`)}, nil, `{"role":"assistant","model":"m","content":{"type":"text","text":"Ho"}}`},
		{"sampling declined", "sampling/createMessage", `{"messages":[{}]}`, form.Answer{Action: form.Decline}, nil, `{"code":-1,"message":"the user has not approved the request for a model's answer"}`},
		{"no answer of a model", "sampling/createMessage", `{"messages":[{}]}`, form.Answer{Action: form.Accept}, nil, `{"code":-32603,"message":"the model has given no answer"}`},
		{"an answer that is none", "elicitation/create", colourForm, form.Answer{Action: "perhaps"}, nil, `{"code":-32603,"message":"the question could not be answered"}`},
		{"an answer that is not JSON", "elicitation/create", colourForm, form.Answer{Action: form.Accept, Content: json.RawMessage(`{`)}, nil, `{"code":-32603,"message":"the question could not be answered"}`},
		{"a script", "elicitation/create", `{"mode":"url","message":"","url":"javascript:alert(1)"}`, form.Answer{Action: form.Accept}, nil, `{"code":-32602,"message":"the address is not a URL with http or https"}`},
		{"roots", "roots/list", `{}`, form.Answer{}, nil, `{"roots":[{"uri":"file:///src/a%20b%25","name":"a b%"}]}`},
		{"a ping", "ping", `{}`, form.Answer{}, nil, `{}`},
		{"unknown", "tools/list", `{}`, form.Answer{}, nil, `{"code":-32601,"message":"no user can be asked here: tools/list"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
				f := &fake{}
				f.call = func(m fakeMessage, say func(string, ...any)) {
					say(`{"jsonrpc":"2.0","id":"q1","method":%q,"params":%s}`, c.method, c.params)
					f.answer(`"q1"`)
					say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
				}
				d := usual()
				d.Roots, d.Samples = []string{"/src/a b%"}, true
				p := &Pending{OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
					if q.Uncertain || q.Again || (q.Done != nil) != (c.name == "an address") {
						t.Errorf("%+v", q)
					}
					return c.answer, c.err
				}}
				if _, _, err := connect(f, d).Send(t.Context(), called("a", p)); err != nil {
					t.Fatal(err)
				}
				is := f.answer(`"q1"`)
				if got := string(is.Result) + string(is.Error); !sameJSON(got, c.want) {
					t.Errorf("%s, not %s", got, c.want)
				}
			})
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// TestOffer has a server told what it may ask, and nothing else.
func TestOffer(t *testing.T) {
	both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		for _, c := range []struct {
			roots   []string
			samples bool
			has     []string
			lacks   []string
		}{
			{nil, false, []string{`"elicitation":{"form":{},"url":{}}`}, []string{`"roots"`, `"sampling"`, `"tasks":`}},
			{[]string{}, true, []string{`"roots":{"listChanged":true}`, `"sampling":{}`}, nil},
		} {
			f, d := &fake{}, usual()
			d.Roots, d.Samples = c.roots, c.samples
			connect(f, d)
			for _, want := range c.has {
				if !strings.Contains(string(f.init), want) {
					t.Errorf("%s is not in %s", want, f.init)
				}
			}
			for _, bad := range c.lacks {
				if strings.Contains(string(f.init), bad) {
					t.Errorf("%s is in %s", bad, f.init)
				}
			}
		}
	})
}

// TestNobodyIsAsked where no request waits, or only one whose caller cannot be
// asked: the server is told that nobody has decided.
func TestNobodyIsAsked(t *testing.T) {
	both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		f := &fake{}
		f.call = func(m fakeMessage, say func(string, ...any)) {
			say(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":%s}`, colourForm)
			say(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[{}]}}`)
			say(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
			f.answer("1")
			f.answer("2")
			f.answer("3")
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
		c, p := connect(f, usual()), &Pending{}
		if _, _, err := c.Send(t.Context(), called("a", p)); err != nil {
			t.Fatal(err)
		}
		if is := f.answer("1"); string(is.Result) != `{"action":"cancel"}` {
			t.Errorf("%s %s", is.Result, is.Error)
		}
		for _, id := range []string{"2", "3"} {
			if is := f.answer(id); !strings.Contains(string(is.Error), "-32601") {
				t.Errorf("%s %s", is.Result, is.Error)
			}
		}
		if is := p.Unmet(); is.What == "" || is.Uncertain {
			t.Errorf("the caller learns that it wanted %+v", is)
		}
	})
}

// secondAsks returns a server that asks something when the second of two calls is
// made, and answers both calls afterwards, and a channel that is closed when the first
// is made.
func secondAsks(t *testing.T, method, params string) (f *fake, first <-chan struct{}) {
	f = &fake{}
	begun, asked := make(chan struct{}), make(chan struct{})
	f.call = func(m fakeMessage, say func(string, ...any)) {
		if strings.Contains(string(m.Params), `"first"`) {
			close(begun)
			<-asked
		} else {
			say(`{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}`, method, params)
			f.answer("1")
			close(asked)
		}
		say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
	return f, begun
}

// TestWhoseRequestIsRefused is told by the stream in which the server asks, or by the
// task that it names; where neither says it, each call that it may have been for
// learns that this is not certain.
func TestWhoseRequestIsRefused(t *testing.T) {
	both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		f, first := secondAsks(t, "sampling/createMessage", `{"messages":[{}]}`)
		c := connect(f, usual())
		ofTask := c.pending.begin(t.Context(), &Pending{})
		defer c.pending.end(ofTask)
		c.pending.becomes(ofTask, "a-task")
		var all sync.WaitGroup
		one, two := &Pending{}, &Pending{}
		all.Go(func() {
			if _, _, err := c.Send(t.Context(), called("first", one)); err != nil {
				t.Error(err)
			}
		})
		<-first
		if _, _, err := c.Send(t.Context(), called("second", two)); err != nil {
			t.Error(err)
		}
		all.Wait()
		wantOne, wantTwo := Unmet{}, Unmet{What: "sampling/createMessage"}
		if c.http == nil { // there are no streams
			wantTwo.Uncertain = true
			wantOne = wantTwo
		}
		if one.Unmet() != wantOne || two.Unmet() != wantTwo || ofTask.Unmet() != (Unmet{}) {
			t.Errorf("the first call learns of %+v, the second of %+v, a task of %+v", one.Unmet(), two.Unmet(), ofTask.Unmet())
		}
	})
}

// TestWithdrawnQuestions end: because the server withdraws them, because it
// answers the request, because the caller goes, and because the connection is
// closed.
func TestWithdrawnQuestions(t *testing.T) {
	for _, how := range []string{"withdrawn", "answered", "left", "closed"} {
		t.Run(how, func(t *testing.T) {
			both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
				f, asked, ended := &fake{}, make(chan struct{}), make(chan struct{})
				f.call = func(m fakeMessage, say func(string, ...any)) {
					if m.Method != "tools/call" {
						return
					}
					say(`{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":%s}`, colourForm)
					<-asked
					switch how {
					case "withdrawn":
						say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
						<-ended
					case "closed":
						<-ended // the end of its stream would be the end of the request
						return
					case "left":
						return
					}
					say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				}
				c := connect(f, usual())
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				p := &Pending{OnQuestion: func(ctx context.Context, q Question) (form.Answer, error) {
					close(asked)
					if how == "left" {
						leave()
					}
					if how == "closed" {
						go c.Close()
					}
					<-ctx.Done()
					close(ended)
					return form.Answer{}, ctx.Err()
				}}
				_, _, err := c.Send(ctx, called("a", p))
				<-ended
				if (err != nil) != (how == "left" || how == "closed") {
					t.Error(err)
				}
				switch how {
				case "withdrawn":
					if n := f.count("4"); n > 0 {
						t.Errorf("%d answers to a question that was withdrawn", n)
					}
				case "closed": // the server does not end its work as if somebody had decided
					synctest.Wait()
					if n := f.count("4"); n > 0 {
						t.Errorf("%d answers over a connection that was closed", n)
					}
				case "answered", "left":
					if is := f.answer("4"); string(is.Result) != `{"action":"cancel"}` {
						t.Errorf("%s %s", is.Result, is.Error)
					}
				}
			})
		})
	}
}

// endedContext is a context that ends when its value says so: who waits for it hears
// nothing of that, as where something else that is waited for comes at the same time.
type endedContext struct {
	context.Context
	ended atomic.Bool
}

func (c *endedContext) Err() error {
	if c.ended.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestAnAnswerThatComesWithTheEnd is not the result: whoever cancels a request, or the wait
// for a task, learns that it was cancelled.
func TestAnAnswerThatComesWithTheEnd(t *testing.T) {
	for _, modern := range []bool{false, true} {
		both(t, modern, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
			ctx := &endedContext{Context: t.Context()}
			f := &fake{}
			f.call = func(m fakeMessage, say func(string, ...any)) {
				ctx.ended.Store(true)
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"resultType":"complete"}}`, m.ID)
			}
			c := connect(f, usual())
			if result, begun, err := c.Send(ctx, called("a", nil)); !errors.Is(err, context.Canceled) || !begun || result != nil {
				t.Errorf("%s, begun: %v, %v", result, begun, err)
			}
		})
	}
}

// TestWhoIsAsked is the request in whose stream the server asks, where there is
// one; else the one that began last, which learns that it is uncertain.
func TestWhoIsAsked(t *testing.T) {
	both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		f, first := secondAsks(t, "elicitation/create", colourForm)
		c := connect(f, usual())
		var all sync.WaitGroup
		all.Go(func() {
			p := &Pending{OnQuestion: func(context.Context, Question) (form.Answer, error) {
				t.Error("the wrong caller is asked")
				return form.Answer{}, nil
			}}
			if _, _, err := c.Send(t.Context(), called("first", p)); err != nil {
				t.Error(err)
			}
		})
		<-first
		p := &Pending{OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
			if q.Uncertain != (c.http == nil) {
				t.Errorf("uncertain: %t", q.Uncertain)
			}
			return form.Answer{Action: form.Accept}, nil
		}}
		if _, _, err := c.Send(t.Context(), called("second", p)); err != nil {
			t.Error(err)
		}
		all.Wait()
	})
}

// TestTooManyQuestions are refused, and none is lost: each gets one answer.
func TestTooManyQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		f, release := &fake{}, make(chan struct{})
		f.call = func(m fakeMessage, say func(string, ...any)) {
			for i := range n {
				say(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":%s}`, i, colourForm)
			}
			say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
			f.answer(`"last"`)
			close(release)
			for i := range n {
				f.answer(fmt.Sprint(i))
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
		var asked sync.WaitGroup
		c := f.connect(t, usual())
		p := &Pending{OnQuestion: func(context.Context, Question) (form.Answer, error) {
			asked.Add(1)
			defer asked.Done()
			<-release
			return form.Answer{Action: form.Accept}, nil
		}}
		if _, _, err := c.Send(t.Context(), called("a", p)); err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for i := range n {
			is := f.answer(fmt.Sprint(i))
			if is.Error == nil {
				accepted++
			} else if !strings.Contains(string(is.Error), "-32600") {
				t.Errorf("%s", is.Error)
			}
			if f.count(fmt.Sprint(i)) != 1 {
				t.Fatalf("question %d has several answers", i)
			}
		}
		if accepted != maxQuestions {
			t.Errorf("%d were asked", accepted)
		}
	})
}

// FuzzQuestions has whatever a server sends be answered or ignored, whether or not
// a call waits, and never more than once.
func FuzzQuestions(f *testing.F) {
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list", "ping", "x"} {
		f.Add(method, []byte(colourForm), []byte("1"), true)
		f.Add(method, []byte(`{"mode":"url","url":"https://a.b","elicitationId":"x"}`), []byte(`"a"`), false)
	}
	f.Add("elicitation/create", []byte(`{"requestedSchema":{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}}`), []byte(`{"a":1}`), true)
	f.Add("elicitation/create", []byte(`{"message":5}`), []byte(`1.5`), true)
	f.Add("elicitation/create", []byte(`[`), []byte(`[1]`), true)
	f.Add("elicitation/create", []byte(`null`), []byte(`true`), true)
	f.Fuzz(func(t *testing.T, method string, params, id []byte, waits bool) {
		c := usual().connection(context.Background(), "")
		defer c.cancel(nil)
		c.capabilities.Sampling = &mcp.SamplingCapability{}
		c.replies = make(chan []byte, 4)
		if waits {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			c.pending.begin(ctx, answers(form.Answer{Action: form.Decline}))
		}
		c.handle(incoming{Message: lines.Message{ID: id, Method: method, Params: params}})
		var decoded any
		if json.Unmarshal(id, &decoded) != nil {
			return
		}
		if _, ok := keyOf(decoded); !ok {
			if len(c.replies) != 0 {
				t.Error("an answer to no request")
			}
			return
		}
		var m fakeMessage
		if line := <-c.replies; json.Unmarshal(line, &m) != nil || (m.Result == nil) == (m.Error == nil) {
			t.Errorf("%s", line)
		}
	})
}
