package wire

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ctxfs/fs/form"
)

// TestInputRounds has a call of the new era sent again with the answers to what
// its result asks for, and with the server's state as it was.
func TestInputRounds(t *testing.T) {
	both(t, true, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		f := &fake{}
		var round atomic.Int32
		var last struct {
			Answers map[string]json.RawMessage `json:"inputResponses"`
			State   json.RawMessage            `json:"requestState"`
			Meta    struct {
				Caps json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
			} `json:"_meta"`
		}
		f.call = func(m fakeMessage, say func(string, ...any)) {
			last.Answers, last.State = nil, nil
			if err := json.Unmarshal(m.Params, &last); err != nil {
				t.Error(err)
			}
			switch round.Add(1) {
			case 1:
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"c":{"method":"elicitation/create","params":%s},`+
					`"r":{"method":"roots/list"},"m":{"method":"sampling/createMessage","params":{"messages":[{}]}}},"requestState":"a\u0000<1>"}}`, m.ID, colourForm)
			case 2:
				for key, want := range map[string]string{"c": `{"action":"accept","content":{"colour":"red"}}`, "r": `{"roots":[{"uri":"file:///src","name":"src"}]}`, "m": `{"role":"assistant"}`} {
					if got := string(last.Answers[key]); !sameJSON(got, want) {
						t.Errorf("%s: %s, not %s", key, got, want)
					}
				}
				if !sameJSON(string(last.State), `"a\u0000<1>"`) {
					t.Errorf("state %s", last.State)
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":"later"}}`, m.ID)
			case 3:
				if last.Answers != nil || string(last.State) != `"later"` {
					t.Errorf("%s %s", last.Answers, last.State)
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"x":{"method":"elicitation/create","params":%s}}}}`, m.ID, colourForm)
			default:
				if last.State != nil {
					t.Errorf("a state that is over: %s", last.State)
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[]}}`, m.ID)
			}
		}
		d := usual()
		d.Roots, d.Samples = []string{"/src"}, true
		p := &Pending{OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
			if q.Kind == form.AskSampling {
				return form.Answer{Action: form.Accept, Content: json.RawMessage(`{"role":"assistant"}`)}, nil
			}
			return form.Answer{Action: form.Accept, Content: json.RawMessage(`{"colour":"red"}`)}, nil
		}}
		result, begun, err := connect(f, d).Send(t.Context(), called("a", p))
		if err != nil || !begun || !strings.Contains(string(result), "content") || round.Load() != 4 {
			t.Errorf("%s, %t, %v after %d rounds", result, begun, err, round.Load())
		}
		for _, want := range []string{`"elicitation":{"form":{},"url":{}}`, `"io.modelcontextprotocol/tasks":{}`, `"sampling":{}`, `"roots":`} {
			if !strings.Contains(string(last.Meta.Caps), want) {
				t.Errorf("%s is not in %s", want, last.Meta.Caps)
			}
		}
	})
}

// TestInputThatIsNotGiven ends a call with the reason.
func TestInputThatIsNotGiven(t *testing.T) {
	many := `{"a0":{"method":"roots/list"}`
	for i := range 20 {
		many += `,"b` + string(rune('a'+i)) + `":{"method":"roots/list"}`
	}
	for _, c := range []struct{ name, asked, want string }{
		{"endless", `{"a":{"method":"elicitation/create","params":` + colourForm + `}}`, "it has asked 20 times"},
		{"many", many + "}", "it asks for 21 things at once, more than 20"},
		{"unknown", `{"a":{"method":"files/delete\u001b[2J"}}`, "no user can be asked here"},
		{"not offered", `{"a":{"method":"sampling/createMessage","params":{"messages":[{}]}}}`, "no user can be asked here"},
		{"no map", `[1]`, "has a wrong form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			both(t, true, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
				f := &fake{}
				f.call = func(m fakeMessage, say func(string, ...any)) {
					say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":%s}}`, m.ID, c.asked)
				}
				_, _, err := connect(f, usual()).Send(t.Context(), called("a", answers(form.Answer{Action: form.Accept})))
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
					t.Errorf("%v, not %s", err, c.want)
				}
			})
		})
	}
}

// TestAddressesBeforeARequest are opened by the user; then the request is sent
// again. That the server says when it is done, the one who is asked can wait for.
func TestAddressesBeforeARequest(t *testing.T) {
	both(t, false, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
		f, tries, asked := &fake{}, 0, make(chan struct{})
		f.call = func(m fakeMessage, say func(string, ...any)) {
			if tries++; tries > 1 {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
				return
			}
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"Log in first.","data":{"elicitations":[`+
				`{"mode":"url","message":"Log in","url":"https://example.com/login","elicitationId":"e1"},{"mode":"url","url":"file:///etc/passwd","elicitationId":"e2"}]}}}`, m.ID)
			<-asked
		}
		c := connect(f, usual())
		p := &Pending{OnQuestion: func(ctx context.Context, q Question) (form.Answer, error) {
			if !q.Again || q.URL != "https://example.com/login" || q.Message != "Log in" || q.Done == nil {
				t.Errorf("%+v", q)
			}
			close(asked)
			c.completions.complete("unknown")
			go c.completions.complete("e1")
			<-q.Done
			return form.Answer{Action: form.Accept}, nil
		}}
		if result, _, err := c.Send(t.Context(), called("a", p)); err != nil || tries != 2 {
			t.Errorf("%s, %v after %d tries", result, err, tries)
		}
		c.completions.mu.Lock()
		defer c.completions.mu.Unlock()
		if len(c.completions.open) > 0 {
			t.Error("an address is left")
		}
	})
	t.Run("refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{}
			f.call = func(m fakeMessage, say func(string, ...any)) {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"Log in first.","data":{"elicitations":[{"mode":"url","message":"Log in","url":"https://example.com/login","elicitationId":"e1"}]}}}`, m.ID)
			}
			c := f.connect(t, usual())
			for _, p := range []*Pending{answers(form.Answer{Action: form.Decline}), {}, nil} {
				_, _, err := c.Send(t.Context(), called("a", p))
				var answered *ResponseError
				if !errors.As(err, &answered) || !strings.Contains(err.Error(), "to go on, open https://example.com/login (Log in)") {
					t.Error(err)
				}
			}
			if _, _, err := c.Send(t.Context(), called("a", answers(form.Answer{Action: form.Accept}))); !strings.Contains(err.Error(), "it has asked 20 times") {
				t.Error(err)
			}
		})
	})
}
