package transcripts

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

// What the stub model does: it has a command run, whose output does not stand in
// it, and answers once it has seen that.
const (
	stubCommand = "printf number-%d 7391"
	stubOutput  = "number-7391"
	stubAnswer  = "The number is number-7391. Shall I run it again?"
)

// stubModel stands in for the model servers of four agents.
type stubModel struct {
	url string

	mu   sync.Mutex
	seen []string
}

func startStubModel(t *testing.T) *stubModel {
	m := new(stubModel)
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *stubModel) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// stubTools are the tools that run a command, with their arguments.
var stubTools = []struct {
	name string
	args string
}{
	{"Bash", `{"command":"` + stubCommand + `","description":"tell the number"}`}, {"bash", `{"command":"` + stubCommand + `","description":"tell the number"}`},
	{"exec_command", `{"cmd":"` + stubCommand + `"}`}, {"shell_command", `{"command":"` + stubCommand + `"}`},
	{"shell", `{"command":["bash","-lc","` + stubCommand + `"]}`}, {"run_shell_command", `{"command":"` + stubCommand + `","description":"tell the number"}`},
}

func (m *stubModel) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	m.mu.Lock()
	m.seen = append(m.seen, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	tool, args := "", ""
	if !strings.Contains(text, stubOutput) && strings.Contains(text, madePrompt) {
		for _, t := range stubTools {
			if strings.Contains(text, `"name":"`+t.name+`"`) {
				tool, args = t.name, t.args
				break
			}
		}
	}
	answer := stubAnswer
	if !strings.Contains(text, stubOutput) {
		answer = "Numbers" // a request without tools asks for a title
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		stubAnthropic(w, tool, args, answer)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		stubResponses(w, tool, args, answer)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		stubCompletions(w, tool, args, answer)
	case strings.Contains(r.URL.Path, ":streamGenerateContent"):
		stubGemini(w, tool, args, answer, true)
	case strings.Contains(r.URL.Path, ":generateContent"):
		stubGemini(w, tool, args, answer, false)
	case strings.Contains(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":10}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[],"models":[]}`)
	default:
		http.NotFound(w, r)
	}
}

// stubEvents writes events as servers send them.
func stubEvents(w http.ResponseWriter, named bool, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if named {
			var typed struct{ Type string }
			_ = json.Unmarshal([]byte(e), &typed)
			fmt.Fprintf(w, "event: %s\n", typed.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

func stubAnthropic(w http.ResponseWriter, tool, args, answer string) {
	block, delta, stop := `{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":%q}`, answer), "end_turn"
	if tool != "" {
		block, delta, stop = fmt.Sprintf(`{"type":"tool_use","id":"toolu_stub1","name":%q,"input":{}}`, tool), fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, args), "tool_use"
	}
	stubEvents(w, true,
		`{"type":"message_start","message":{"id":"msg_stub","type":"message","role":"assistant","model":"stub-model","content":[],"stop_reason":null,"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":`+block+`}`, `{"type":"content_block_delta","index":0,"delta":`+delta+`}`,
		`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`)
}

func stubResponses(w http.ResponseWriter, tool, args, answer string) {
	item := fmt.Sprintf(`{"type":"message","id":"msg_stub","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, answer)
	if tool != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_stub","call_id":"call_stub1","name":%q,"arguments":%q,"status":"completed"}`, tool, args)
	}
	stubEvents(w, true, `{"type":"response.created","response":{"id":"resp_stub"}}`, `{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		`{"type":"response.completed","response":{"id":"resp_stub","output":[],"usage":{"input_tokens":10,"input_tokens_details":null,"output_tokens":9,"output_tokens_details":null,"total_tokens":19}}}`)
}

func stubCompletions(w http.ResponseWriter, tool, args, answer string) {
	delta, stop := fmt.Sprintf(`{"role":"assistant","content":%q}`, answer), "stop"
	if tool != "" {
		delta, stop = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_stub1","type":"function","function":{"name":%q,"arguments":%q}}]}`, tool, args), "tool_calls"
	}
	const head = `{"id":"stub","object":"chat.completion.chunk","created":1,"model":"stub-model","choices":[{"index":0,`
	stubEvents(w, false, head+`"delta":`+delta+`,"finish_reason":null}]}`, head+`"delta":{},"finish_reason":"`+stop+`"}],"usage":{"prompt_tokens":10,"completion_tokens":9,"total_tokens":19}}`, "[DONE]")
}

func stubGemini(w http.ResponseWriter, tool, args, answer string, stream bool) {
	part := fmt.Sprintf(`{"text":%q}`, answer)
	if tool != "" {
		part = fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, tool, args)
	}
	text := `{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":9,"totalTokenCount":19},"modelVersion":"stub-model"}`
	if stream {
		stubEvents(w, false, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
}
