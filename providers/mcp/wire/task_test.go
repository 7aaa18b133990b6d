package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ctxfs/fs/form"
)

const taskCaps = `{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`

// tasker is a server with one task, in either era.
type tasker struct {
	fake
	state     string
	message   string
	result    string // the answer to tasks/result, or in the new era what tasks/get adds
	ended     chan struct{}
	asks      string // in the new era, inputRequests
	polls     int
	cancelled bool
	params    []string // of tools/call
	updates   []string // the parameters of tasks/update
}

func newTasker() *tasker {
	s := &tasker{state: TaskWorking, ended: make(chan struct{})}
	s.caps = taskCaps
	s.call = s.answerCall
	return s
}

// describe returns the members of the task.
func (s *tasker) describe() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf(`"taskId":"t1","status":%q,"statusMessage":%q,"createdAt":"2026-11-22T14:00:00Z","lastUpdatedAt":"2026-11-22T14:00:00Z"`, s.state, s.message)
	if !s.modern {
		return text + `,"ttl":60000,"pollInterval":1`
	}
	text += `,"ttlMs":60000,"pollIntervalMs":1`
	if s.state == TaskAsks {
		text += `,"inputRequests":` + s.asks
	}
	if s.state == TaskCompleted || s.state == TaskFailed {
		text += "," + s.result
	}
	return text
}

// set changes the state of the task.
func (s *tasker) set(state, message string) {
	s.change(func() { s.state, s.message = state, message })
	if (Task{State: state}).Ended() {
		close(s.ended)
	}
}

func (s *tasker) answerCall(m fakeMessage, say func(string, ...any)) {
	switch m.Method {
	case "tools/call":
		s.mu.Lock()
		s.params = append(s.params, string(m.Params))
		s.mu.Unlock()
		if s.modern {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"task",%s}}`, m.ID, s.describe())
		} else {
			say(`{"jsonrpc":"2.0","id":%s,"result":{"task":{%s}}}`, m.ID, s.describe())
		}
	case "tasks/get":
		s.change(func() { s.polls++ })
		say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}`, m.ID, s.describe())
	case "tasks/result":
		s.mu.Lock()
		asks := s.state == TaskAsks
		s.mu.Unlock()
		if asks {
			say(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}},"message":"Which colour?"}}`)
		}
		<-s.ended
		say(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, s.result)
	case "tasks/update":
		s.change(func() { s.updates = append(s.updates, string(m.Params)) })
		say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete"}}`, m.ID)
	case "tasks/cancel":
		s.change(func() { s.cancelled = true })
		say(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, m.ID, s.describe())
	}
}

// polled waits until the task has been asked about n times more.
func (s *tasker) polled(n int) {
	s.mu.Lock()
	until := s.polls + n
	s.mu.Unlock()
	s.await(func() bool { return s.polls >= until })
}

// eachEra runs a test in both eras over both transports.
func eachEra(t *testing.T, test func(t *testing.T, s *tasker, c *Connection)) {
	for name, modern := range map[string]bool{"old era": false, "new era": true} {
		t.Run(name, func(t *testing.T) {
			both(t, modern, func(t *testing.T, connect func(*fake, *Dialer) *Connection) {
				s := newTasker()
				s.modern = modern
				test(t, s, connect(&s.fake, usual()))
			})
		})
	}
}

// TestTasks are waited for: the result is that of the call, and the caller learns
// of the states.
func TestTasks(t *testing.T) {
	eachEra(t, func(t *testing.T, s *tasker, c *Connection) {
		var mu sync.Mutex
		var states []string
		p := &Pending{OnTask: func(is Task) {
			mu.Lock()
			defer mu.Unlock()
			if is.ID != "t1" || is.TTL.Seconds() != 60 || is.Created.IsZero() {
				t.Errorf("%+v", is)
			}
			states = append(states, is.State+" "+is.Message)
		}}
		s.result = `"result":{"content":[{"type":"text","text":"done"}]}`
		go func() {
			s.polled(2)
			s.set(TaskWorking, "half\nway")
			s.polled(2)
			s.set(TaskCompleted, "")
		}()
		out := called("a", p)
		out.TaskSupport = "required"
		result, begun, err := c.Send(t.Context(), out)
		if err != nil || !begun || string(result) != `{"content":[{"type":"text","text":"done"}]}` {
			t.Fatalf("%s, %v", result, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if all := strings.Join(states, ","); !strings.HasPrefix(all, "working ,") || !strings.Contains(all, "working half way,") || !strings.HasSuffix(all, "completed ") {
			t.Error(all)
		}
		if asked := strings.Contains(s.params[0], `"task":{}`); asked == s.modern {
			t.Errorf("asked for a task: %t", asked)
		}
	})
}

// TestTasksThatFail give the error of the call.
func TestTasksThatFail(t *testing.T) {
	for _, c := range []struct{ state, result, want string }{
		{TaskFailed, `"error":{"code":-32603,"message":"the disk is full"}`, "the disk is full (code -32603)"},
		{TaskCancelled, `"error":{"code":-32603,"message":"no result"}`, "the task was cancelled: by hand"},
	} {
		t.Run(c.state, func(t *testing.T) {
			eachEra(t, func(t *testing.T, s *tasker, conn *Connection) {
				s.result = c.result
				s.set(c.state, "by hand")
				_, _, err := conn.Send(t.Context(), called("a", nil))
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Error(err)
				}
			})
		})
	}
}

// TestTasksThatAsk have the caller asked, each thing once, and go on.
func TestTasksThatAsk(t *testing.T) {
	eachEra(t, func(t *testing.T, s *tasker, c *Connection) {
		s.asks = `{"k":{"method":"elicitation/create","params":{"message":"Which colour?"}}}`
		s.result = `"result":{"content":[]}`
		s.set(TaskAsks, "")
		asked := 0
		p := &Pending{OnQuestion: func(_ context.Context, q Question) (form.Answer, error) {
			if q.Message != "Which colour?" || q.Uncertain {
				t.Errorf("%+v", q)
			}
			if asked++; asked == 1 {
				s.polled(3)
			}
			return form.Answer{Action: form.Accept, Content: json.RawMessage(`{"colour":"red"}`)}, nil
		}}
		go func() {
			if s.modern {
				s.await(func() bool { return len(s.updates) > 0 })
			} else if is := s.answer(`"q"`); !sameJSON(string(is.Result), `{"action":"accept","content":{"colour":"red"}}`) {
				t.Errorf("%s", is.Result)
			}
			s.set(TaskWorking, "")
			s.polled(2)
			s.set(TaskCompleted, "")
		}()
		out := called("a", p)
		out.TaskSupport, out.Task = "optional", true
		if result, _, err := c.Send(t.Context(), out); err != nil || string(result) != `{"content":[]}` || asked != 1 {
			t.Errorf("%s, %v; asked %d times", result, err, asked)
		}
		if s.modern && (len(s.updates) != 1 || !strings.Contains(s.updates[0], `"inputResponses":{"k":{"action":"accept","content":{"colour":"red"}}}`)) {
			t.Errorf("%s", s.updates)
		}
	})
}

// TestTasksThatAreLeft go on at the server, and are waited for again, over another
// connection too; a caller that goes for another reason cancels them.
func TestTasksThatAreLeft(t *testing.T) {
	eachEra(t, func(t *testing.T, s *tasker, c *Connection) {
		ctx, leave := context.WithCancelCause(t.Context())
		var id string
		p := &Pending{OnTask: func(is Task) { id = is.ID; leave(ErrLeft) }}
		if _, _, err := c.Send(ctx, called("a", p)); !errors.Is(err, context.Canceled) || id != "t1" {
			t.Fatal(id, err)
		}
		s.result = `"result":{"content":[7]}`
		go func() {
			s.polled(2)
			s.set(TaskCompleted, "")
		}()
		if result, err := c.AwaitTask(t.Context(), id, nil); err != nil || string(result) != `{"content":[7]}` {
			t.Errorf("%s, %v", result, err)
		}
		ended := &endedContext{Context: t.Context()}
		ended.ended.Store(true)
		if result, err := c.AwaitTask(ended, id, nil); !errors.Is(err, context.Canceled) || result != nil {
			t.Errorf("%s, %v", result, err)
		}
		s.mu.Lock()
		cancelled := s.cancelled
		s.mu.Unlock()
		if cancelled {
			t.Error("a task that was left is cancelled")
		}
	})
	eachEra(t, func(t *testing.T, s *tasker, c *Connection) {
		ctx, leave := context.WithCancel(t.Context())
		p := &Pending{OnTask: func(Task) { leave() }}
		if _, _, err := c.Send(ctx, called("a", p)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		s.await(func() bool { return s.cancelled })
	})
}

// TestWhatBecomesATask is a tool that requires it, or may and is asked to; a
// server that has not offered tasks is not asked for one.
func TestWhatBecomesATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			caps, support string
			task, want    bool
		}{
			{taskCaps, "required", false, true},
			{taskCaps, "optional", true, true},
			{taskCaps, "optional", false, false},
			{taskCaps, "forbidden", true, false},
			{taskCaps, "", true, false},
			{`{"tools":{}}`, "required", true, false},
		} {
			f, got := &fake{caps: c.caps}, ""
			f.call = func(m fakeMessage, say func(string, ...any)) {
				got = string(m.Params)
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
			}
			out := called("a", nil)
			out.TaskSupport, out.Task, out.TaskTTL = c.support, c.task, 5e9
			if _, _, err := f.connect(t, usual()).Send(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			if is := strings.Contains(got, `"task":{"ttl":5000}`); is != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	})
}
