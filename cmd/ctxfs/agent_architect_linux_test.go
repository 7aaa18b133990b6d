package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/executor/request"
)

// TestArchitect runs the example that people copy, with a stand-in for the model and
// stand-ins for the agents.
func TestArchitect(t *testing.T) {
	t.Parallel()
	need(t, "python3", "git")
	script, err := filepath.Abs("../../testdata/architect.py")
	must(t, err)
	if lines := strings.Count(readFile(t, script), "\n"); lines > 60 {
		t.Errorf("it has %d lines", lines)
	}
	b := newBox(t)
	b.kinds("", map[string]string{
		"coder":    `echo 10 >>a; git commit -qam ten; echo "$1" | head -1`,
		"reviewer": `diff=$(printf '%s' "$1" | sed -n 's/.*the diff in \(.*\)\. The task.*/\1/p'); echo x >>a; grep '^+1' "$diff"; git log -1 --format=%s`,
	})
	repo := b.repository("repo")
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Content string }
			Tools    []struct {
				Function struct {
					Name       string
					Parameters struct{ Required []string }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/chat/completions" || len(asked.Tools) != 1 {
			t.Errorf("%s is asked %+v, %v", r.URL, asked, err)
			return
		}
		if f := asked.Tools[0].Function; f.Name != request.Name || len(f.Parameters.Required) < 6 || !strings.Contains(asked.Messages[0].Content, repo) {
			t.Errorf("%+v", asked)
		}
		// As strict functions are called: every key is given.
		arguments, _ := json.Marshal(map[string]any{
			"agent": "coder", "prompt": "add a line: " + asked.Messages[1].Content, "repoDir": repo, "readOnly": nil, "worktree": nil, "timeoutMs": 60000, "schema": nil,
		})
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{
			"role": "assistant", "tool_calls": []any{map[string]any{"id": "1", "type": "function", "function": map[string]any{"name": request.Name, "arguments": string(arguments)}}},
		}}}})
	}))
	defer model.Close()
	b.setenv("OPENAI_BASE_URL", model.URL+"/v1")
	b.setenv("REVIEWER", "reviewer")
	text := b.sh("cd " + repo + " && python3 " + script + " 'count to ten'")
	if !containsAll(text, []string{": success: add a line: count to ten\n", "review: +10\nten\n", "take it: ctxfs agent adopt coder-"}) {
		t.Errorf("%s", text)
	}
	_, id, _ := strings.Cut(strings.TrimSpace(text), "adopt ")
	b.ok("agent", "adopt", id)
	if status := b.sh("cd " + repo + " && git status --short && tail -1 a"); status != " M a\n10\n" {
		t.Errorf("%s", status)
	}
}
