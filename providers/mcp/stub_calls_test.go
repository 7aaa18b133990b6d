package mcp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// called is a JSON-RPC message to a server whose tools are called.
type called struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string                     `json:"name"`
		RequestID string                     `json:"requestId"`
		Responses map[string]json.RawMessage `json:"inputResponses"`
		Level     string                     `json:"level"`
		Arguments struct {
			Text   string  `json:"text"`
			Size   int     `json:"size"`
			Result string  `json:"result"`
			ID     float64 `json:"id"`
		} `json:"arguments"`
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// callee is a server with tools. It answers in any order.
type callee struct {
	p       *process
	modern  bool
	forgets atomic.Pointer[refusedCall] // over HTTP, how the next call is refused
	mu      sync.Mutex
	waiting map[string]chan struct{} // requests that wait to be cancelled
	asked   map[string]chan string   // receive the answers to what it has asked, by ID
	task    string                   // the state of its one task; "" while there is none
}

// setTask sets the state of the task.
func (s *callee) setTask(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task = state
}

// taskText describes the task.
func taskText(state string) string {
	return `{"taskId":"the-task","status":"` + state + `","statusMessage":"at it","createdAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":100}`
}

// refusedCall is how a call is refused, once.
type refusedCall struct {
	status int
	body   string
}

// newCallee returns one of an era, which runs in a process, or over HTTP with some
// variables.
func newCallee(p *process, era string) *callee {
	return &callee{p: p, modern: era == "-modern", waiting: make(map[string]chan struct{}), asked: make(map[string]chan string)}
}

// stubDiscovery is a variable: what a callee answers to server/discover.
const stubDiscovery = "CTXFS_TEST_DISCOVERY"

const calledTools = `[
 {"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
 {"name":"give.result","description":"Gives any result.","inputSchema":{"type":"object","properties":{"result":{"type":"string"}}}},
 {"name":"big","inputSchema":{"type":"object","properties":{"size":{"type":"integer"},"text":{"type":"string"}}}},
 {"name":"wait","inputSchema":{"type":"object"}},
 {"name":"steps","inputSchema":{"type":"object"}},
 {"name":"asks","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"result":{"type":"string"}}}},
 {"name":"logs","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},
 {"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},
 {"name":"refuses","inputSchema":{"type":"object"}},
 {"name":"dies","inputSchema":{"type":"object"}},
 {"name":"large","inputSchema":{"type":"object"},"_meta":{"anthropic/maxResultSizeChars":30000}},
 {"name":"headed","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
 {"name":"delete_all","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]`

// stepTime is how long each of five steps takes: all of them take longer than a
// tool may be silent that has four, and one takes so much less that a busy
// machine does not matter.
const stepTime = 500 * time.Millisecond

// serve answers a message by any number of messages.
func (s *callee) serve(ctx context.Context, m called, say func(format string, args ...any)) {
	result := func(text string) { say(`{"result":%s,"jsonrpc":"2.0","id":%s}`, text, m.ID) }
	fault := func(code int, text string) {
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text)
	}
	switch m.Method {
	case "server/discover":
		if answer := s.p.lookup(stubDiscovery); answer != "" {
			result(answer)
		} else if s.modern {
			result(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}},"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"callee","version":"2"}}}`)
		} else {
			fault(-32601, "method not found")
		}
	case "initialize":
		result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"callee","version":"1"}}`)
	case "tools/list":
		tools := cmp.Or(s.p.file(stubTools), calledTools)
		result(strings.ReplaceAll(`{"tools":`+tools+`}`, "\n", ""))
	case "tools/call":
		s.p.journal("call " + m.Params.Name)
		if modern := m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil; modern != s.modern {
			fault(-32000, "a call of the wrong era")
			return
		}
		s.call(ctx, m, say, result, fault)
	case "logging/setLevel":
		s.p.journal("level " + m.Params.Level)
		result("{}")
	case "tasks/get":
		s.mu.Lock()
		state := s.task
		s.mu.Unlock()
		if state == "" {
			fault(-32602, "no such task")
			return
		}
		result(taskText(state))
	case "tasks/result":
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.task == "completed" {
			result(`{"content":[{"type":"text","text":"the work is done"}]}`)
		} else {
			fault(-32602, "not yet")
		}
	case "tasks/cancel":
		s.setTask("cancelled")
		result(taskText("cancelled"))
	case "notifications/cancelled":
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.waiting[m.Params.RequestID]; c != nil {
			close(c)
			delete(s.waiting, m.Params.RequestID)
		}
	default:
		if m.Method == "" { // an answer
			s.mu.Lock()
			defer s.mu.Unlock()
			if to := s.asked[string(m.ID)]; to != nil {
				to <- string(m.Result) + string(m.Error)
				delete(s.asked, string(m.ID))
			}
		} else if m.ID != nil && s.p.lookup(stubDiscovery) != "" {
			result("{}") // it agrees to everything
		} else if m.ID != nil {
			fault(-32601, "method not found")
		}
	}
}

func (s *callee) call(ctx context.Context, m called, say func(string, ...any), result func(string), fault func(int, string)) {
	text := func(text string) {
		encoded, _ := json.Marshal(text)
		result(`{"content":[{"type":"text","text":` + string(encoded) + `}],"resultType":"complete"}`)
	}
	args := m.Params.Arguments
	switch m.Params.Name {
	case "echo":
		select { // a moment's work: concurrent calls are answered in any order
		case <-time.After(time.Duration(rand.IntN(3)) * time.Millisecond):
			text(args.Text)
		case <-ctx.Done():
		}
	case "give.result":
		result(args.Result)
	case "large":
		text(strings.Repeat("0123456789\n", 20_000/11))
	case "big":
		line := args.Text
		if line == "" {
			line = "a line of a large result, \"quoted\" once\n"
		}
		encoded, _ := json.Marshal(line)
		piece := string(encoded[1 : len(encoded)-1])
		result(`{"content":[{"type":"text","text":"` + strings.Repeat(piece, args.Size/len(line)) + `"}]}`)
	case "wait":
		cancelled := make(chan struct{})
		var id string
		_ = json.Unmarshal(m.ID, &id)
		s.mu.Lock()
		s.waiting[id] = cancelled
		s.mu.Unlock()
		s.p.journal("waits")
		select {
		case <-cancelled:
			s.p.journal("cancelled by a message")
		case <-ctx.Done():
			s.p.journal("cancelled by the end of the stream")
		case <-s.p.ended:
		}
	case "steps":
		token, _ := json.Marshal(m.Params.Meta["progressToken"])
		step := time.Tick(stepTime)
		for i := range 5 {
			<-step
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":5,"message":"step\u001b[31m %d"}}`, token, i+1, i+1)
		}
		text("all steps done")
	case "asks":
		if answer, given := s.ask(ctx, m, say, result); given {
			text("answered: " + answer)
		}
	case "logs":
		if level, ok := m.Params.Meta["io.modelcontextprotocol/logLevel"].(string); ok {
			s.p.journal("level " + level)
		}
		encoded, _ := json.Marshal(args.Text)
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"callee","data":%s}}`, encoded)
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"code":[7, 8]}}}`)
		text("logged")
	case "task":
		s.setTask("working")
		result(`{"task":` + taskText("working") + `}`)
	case "refuses":
		fault(-32602, "these arguments will not do")
	case "dies":
		s.p.exit(5)
	default:
		text("done " + m.Params.Name)
	}
}

// colourForm is what the tool asks asks for by default.
const colourForm = `{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","enum":["red","green"]}},"required":["colour"]}}`

// ask asks what the arguments of a call say: text is the method, and result are the
// parameters. It returns the answer, which in the new era is only in the call that
// repeats this one.
func (s *callee) ask(ctx context.Context, m called, say func(string, ...any), result func(string)) (answer string, given bool) {
	method, params := m.Params.Arguments.Text, m.Params.Arguments.Result
	if method == "" {
		method = "elicitation/create"
	}
	if params == "" {
		params = colourForm
	}
	s.p.journal("asks")
	if s.modern {
		if m.Params.Responses == nil {
			result(fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"a":{"method":%q,"params":%s}},"requestState":"s"}`, method, params))
			return "", false
		}
		return string(m.Params.Responses["a"]), true
	}
	id := fmt.Sprint(rand.Int32())
	answers := make(chan string, 1)
	s.mu.Lock()
	s.asked[id] = answers
	s.mu.Unlock()
	say(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	select {
	case answer = <-answers:
		return answer, true
	case <-ctx.Done():
	case <-s.p.ended:
	}
	return "", false
}

// runCalls serves on standard input and output.
func runCalls(p *process, era string) {
	s := newCallee(p, era)
	var out sync.Mutex
	w := bufio.NewWriterSize(p.out, 1<<20)
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		line := fmt.Sprintf(format+"\n", args...)
		if era == "-hostile" {
			line = hostileLines(line)
		}
		_, _ = w.WriteString(line)
		w.Flush()
	}
	in := bufio.NewReaderSize(p.in, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m called
		if json.Unmarshal(line, &m) == nil {
			go s.serve(context.Background(), m, say)
		}
	}
}

// hostileLines are an answer among others: to requests that nobody has made, of
// another version of JSON-RPC, of no form, and again with another content.
func hostileLines(answer string) string {
	if !strings.Contains(answer, `"id":`) {
		return answer
	}
	const wrong = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"the wrong answer"}]}}` + "\n"
	var m called
	_ = json.Unmarshal([]byte(answer), &m) // it is ours
	before := fmt.Sprintf(wrong, `"raw-99999999"`) + fmt.Sprintf(wrong, `-1`) + fmt.Sprintf(wrong, `null`) + fmt.Sprintf(wrong, `{"a":`+string(m.ID)+`}`) +
		fmt.Sprintf(wrong, `[`+string(m.ID)+`]`) + `{"jsonrpc":"2.0","result":{}}` + "\n{}\n{\n{\"id\":\n" + `{"jsonrpc":"2.0","method":5,"id":"x"}` + "\n[]\nnull\n"
	return before + strings.Replace(answer, `"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`, 1) + answer + fmt.Sprintf(wrong, m.ID)
}

// ServeHTTP serves over HTTP: calls by a stream of events, the rest by itself.
func (s *callee) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "no stream here", http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m called
	if json.Unmarshal(body, &m) != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	s.p.journal(m.Method)
	if region := r.Header.Get("Mcp-Param-Region"); region != "" {
		s.p.journal("region " + region)
	}
	if m.Method == "tools/call" {
		if refuse := s.forgets.Swap(nil); refuse != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(refuse.status)
			fmt.Fprint(w, strings.ReplaceAll(refuse.body, "ID", string(m.ID)))
			return
		}
	}
	if m.ID == nil || m.Method == "" {
		s.serve(r.Context(), m, nil)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if m.Method == "tools/call" {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	if !s.modern {
		w.Header().Set("Mcp-Session-Id", "s1")
	}
	s.serve(r.Context(), m, func(format string, args ...any) {
		if m.Method == "tools/call" {
			format = "data: " + format + "\n\n"
		}
		fmt.Fprintf(w, format, args...)
		w.(http.Flusher).Flush()
	})
}
