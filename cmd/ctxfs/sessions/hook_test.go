package sessions

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
)

// TestHookText is the answer without a process of its own.
func TestHookText(t *testing.T) {
	t.Parallel()
	a := &cli.App{Streams: console.Streams{In: slowly(`{"session_id":"a","hook_event_name":"SessionStart"}`)}}
	a.State = filepath.Join(t.TempDir(), "nothing")
	text, err := hookText(t.Context(), a)
	if err != nil || !strings.HasPrefix(text, `{"hookSpecificOutput":`) || !strings.HasSuffix(text, "}\n") {
		t.Errorf("%q, %v", text, err)
	}
}

// slowly is a reader that gives a byte at a time.
func slowly(s string) io.Reader { return &oneByOne{strings.NewReader(s)} }

type oneByOne struct{ from io.Reader }

func (r *oneByOne) Read(p []byte) (int, error) { return r.from.Read(p[:1]) }

// FuzzHook: no input of a hook makes ctxfs fail, or say what is not JSON.
func FuzzHook(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"a","hook_event_name":"SessionStart"}`, `{"conversation_id":"a","hook_event_name":"preCompact"}`,
		`{"session_id":"a","turn_id":"t","hook_event_name":"PreCompact"}`, `{"transcript_path":"/a/b.jsonl","hook_event_name":"PreCompress"}`,
		`{"session_id":null}`, "\xef\xbb\xbf{}", `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := parseHook(text)
		if err != nil {
			return
		}
		id, err := in.session()
		if err != nil {
			return
		}
		if name := filepath.Clean(id); name != id || strings.ContainsAny(id, "/\n\x1b $`;") {
			t.Fatalf("the id %q is no name", id)
		}
		answer, err := in.answer("the line of " + id)
		if err == nil && !strings.Contains(answer, id) {
			t.Fatalf("%q does not name %q", answer, id)
		}
		if err == nil && strings.HasPrefix(answer, "{") && !json.Valid([]byte(answer)) {
			t.Fatalf("%q is not JSON", answer)
		}
	})
}
