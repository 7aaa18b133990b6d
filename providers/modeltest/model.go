// Package modeltest runs coding agents themselves, offline: a [Model] stands in for the
// services of models that four of them use, and an [Agent] says how each is told so.
// It is for tests only.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Step is a call that the model makes. It is made, or made again, in each request that has
// tools and the prompt, and lacks a text that shows that it was done.
type Step struct {
	// Until is what shows that.
	Until string
	// Calls has, by the name that an agent has for the tool, the arguments as JSON. The
	// first of the agent's tools is called.
	Calls []Call
	// Meanwhile, if not nil, is run before the call is made.
	Meanwhile func()
}

// Call is a call of an agent's tool.
type Call struct {
	Tool, Arguments string
	id              string
}

// Shell returns calls that have any of the agents run a command.
func Shell(command string) []Call {
	described := object("command", command, "description", "a command of the test")
	return []Call{
		{Tool: "Bash", Arguments: described}, {Tool: "bash", Arguments: described}, {Tool: "run_shell_command", Arguments: described},
		{Tool: "exec_command", Arguments: object("cmd", command)}, {Tool: "shell_command", Arguments: object("command", command)},
		{Tool: "shell", Arguments: object("command", []string{"bash", "-lc", command})},
	}
}

// object returns a JSON object of names and values.
func object(pairs ...any) string {
	all := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i].(string)] = pairs[i+1]
	}
	text, _ := json.Marshal(all) // of strings
	return string(text)
}

// Model stands in for the services of models.
type Model struct {
	// URL is its address.
	URL string

	prompt, answer string
	steps          []Step

	mu     sync.Mutex
	seen   []string
	bodies []string
}

// Start starts a model that, once it has the prompt, makes the calls of the steps and gives
// the answer. It ends with the test.
func Start(t testing.TB, prompt, answer string, steps ...Step) *Model {
	m := &Model{prompt: prompt, answer: answer, steps: steps}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(server.Close)
	m.URL = server.URL
	return m
}

// Asked returns the method and the path of each request so far.
func (m *Model) Asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// Requests returns the bodies of the requests so far that had the prompt.
func (m *Model) Requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bodies)
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	prompted := strings.Contains(text, m.prompt)
	m.mu.Lock()
	m.seen = append(m.seen, r.Method+" "+r.URL.Path)
	if prompted {
		m.bodies = append(m.bodies, text)
	}
	m.mu.Unlock()
	var next Call
	answer := m.answer
	if prompted {
		for i, s := range m.steps {
			if strings.Contains(text, s.Until) {
				continue
			}
			answer = "Numbers" // a request without tools asks for a title
			at := slices.IndexFunc(s.Calls, func(c Call) bool { return strings.Contains(text, `"name":"`+c.Tool+`"`) })
			if at >= 0 {
				next = s.Calls[at]
				next.id = fmt.Sprintf("stub%d", i+1)
				if s.Meanwhile != nil {
					s.Meanwhile()
				}
			}
			break
		}
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		anthropic(w, next, answer)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		responses(w, next, answer)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		completions(w, next, answer)
	case strings.Contains(r.URL.Path, ":streamGenerateContent"):
		gemini(w, next, answer, true)
	case strings.Contains(r.URL.Path, ":generateContent"):
		gemini(w, next, answer, false)
	case strings.Contains(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[],"models":[]}`)
	default:
		http.NotFound(w, r)
	}
}

// events writes events as servers send them.
func events(w http.ResponseWriter, named bool, all ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		if named {
			var typed struct{ Type string }
			_ = json.Unmarshal([]byte(e), &typed)
			fmt.Fprintf(w, "event: %s\n", typed.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

func anthropic(w http.ResponseWriter, c Call, answer string) {
	block, delta, stop := `{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":%q}`, answer), "end_turn"
	if c.Tool != "" {
		block, delta, stop = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, "toolu_"+c.id, c.Tool), fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, c.Arguments), "tool_use"
	}
	events(w, true,
		`{"type":"message_start","message":{"id":"msg_stub","type":"message","role":"assistant","model":"stub-model","content":[],"stop_reason":null,"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":`+block+`}`, `{"type":"content_block_delta","index":0,"delta":`+delta+`}`,
		`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`)
}

func responses(w http.ResponseWriter, c Call, answer string) {
	item := fmt.Sprintf(`{"type":"message","id":"msg_stub","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, answer)
	if c.Tool != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_stub","call_id":%q,"name":%q,"arguments":%q,"status":"completed"}`, "call_"+c.id, c.Tool, c.Arguments)
	}
	events(w, true, `{"type":"response.created","response":{"id":"resp_stub"}}`, `{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		`{"type":"response.completed","response":{"id":"resp_stub","output":[],"usage":{"input_tokens":10,"input_tokens_details":null,"output_tokens":9,"output_tokens_details":null,"total_tokens":19}}}`)
}

func completions(w http.ResponseWriter, c Call, answer string) {
	delta, stop := fmt.Sprintf(`{"role":"assistant","content":%q}`, answer), "stop"
	if c.Tool != "" {
		delta, stop = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}`, "call_"+c.id, c.Tool, c.Arguments), "tool_calls"
	}
	const head = `{"id":"stub","object":"chat.completion.chunk","created":1,"model":"stub-model","choices":[{"index":0,`
	events(w, false, head+`"delta":`+delta+`,"finish_reason":null}]}`, head+`"delta":{},"finish_reason":"`+stop+`"}],"usage":{"prompt_tokens":10,"completion_tokens":9,"total_tokens":19}}`, "[DONE]")
}

func gemini(w http.ResponseWriter, c Call, answer string, stream bool) {
	part := fmt.Sprintf(`{"text":%q}`, answer)
	if c.Tool != "" {
		part = fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, c.Tool, c.Arguments)
	}
	text := `{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":9,"totalTokenCount":19},"modelVersion":"stub-model"}`
	if stream {
		events(w, false, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
}
