package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/mcp/calls"
)

// shelf keeps results in a folder.
type shelf struct {
	dir   string
	fault error
	saved []string
}

func (s *shelf) Limit() int { return 12_000 }

func (s *shelf) Save(server, tool, ext string, body []byte) (calls.SavedResult, error) {
	if s.fault != nil {
		return calls.SavedResult{}, s.fault
	}
	if ext == "" {
		ext = "txt"
	}
	path := filepath.Join(s.dir, fmt.Sprintf("%d.%s.%s.%s", len(s.saved), server, tool, ext))
	s.saved = append(s.saved, path)
	return calls.SavedResult{Path: path, Bytes: int64(len(body)), Lines: bytes.Count(body, []byte("\n"))}, os.WriteFile(path, body, 0o600)
}

func TestResults(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		kept := &shelf{dir: w.dir}
		w.opts.Results = kept
		w.claude(map[string]any{"callee": stub("calls")})
		w.open()
		give := func(result string) *calls.Result {
			t.Helper()
			args, err := json.Marshal(map[string]string{"result": result})
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.call("give.result", string(args))
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(r.Raw) {
				t.Errorf("raw: %s", r.Raw)
			}
			return r
		}
		png := []byte("\x89PNG but not really")
		image := fmt.Sprintf(`{"type":"image","mimeType":"image/png","data":%q}`, base64.StdEncoding.EncodeToString(png))
		for _, c := range []struct{ name, result, text, aside, structured string }{
			{"nothing", `{}`, "", "", ""},
			{"texts", `{"content":[{"type":"text","text":"one\r\n"},{"type":"text","text":"two"},{"type":"text","text":"three"}]}`, "one\ntwo\nthree", "", ""},
			{"text that is JSON", `{"content":[{"type":"text","text":"{\"a\":1}"}]}`, `{"a":1}`, "", ""},
			{"structured", `{"structuredContent":{"b":12345678901234567890,"a":"\u202e"}}`,
				"{\n  \"b\": 12345678901234567890,\n  \"a\": \"\\u202e\"\n}\n", "", `{"b":12345678901234567890,"a":"\u202e"}`},
			{"structured and the same", `{"content":[{"type":"text","text":" {\"a\": \"\\u0078\", \"b\":[1.0]}\n"}],"structuredContent":{"b":[1],"a":"x"}}`,
				"{\n  \"b\": [\n    1\n  ],\n  \"a\": \"x\"\n}\n", "", `{"b":[1],"a":"x"}`},
			{"structured and more", `{"content":[{"type":"text","text":"Found one."}],"structuredContent":[1]}`, "[\n  1\n]\n", "Found one.", `[1]`},
			{"wrapped text", `{"content":[{"type":"text","text":"a\nb"}],"structuredContent":{"result":"a\nb"}}`, "a\nb", "", `{"result":"a\nb"}`},
			{"wrapped JSON", `{"content":[{"type":"text","text":"[ 1 ]"}],"structuredContent":{"list":[1]}}`, "{\n  \"list\": [\n    1\n  ]\n}\n", "", `{"list":[1]}`},
			{"no structure", `{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, "x", "", ""},
			{"resources", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"res"}},{"type":"resource_link","uri":"file:///x","name":"X","description":"An\u001b[1m x."}]}`,
				"res\nresource: file:///x X An x.", "", ""},
			{"unknown", `{"content":[{"type":"hologram","depth":3},{"type":7}]}`, "{\n  \"type\": \"hologram\",\n  \"depth\": 3\n}\n{\n  \"type\": 7\n}\n", "", ""},
			{"bad bytes", `{"content":[{"type":"image","mimeType":"image/png","data":"???"}]}`,
				"{\n  \"type\": \"image\",\n  \"mimeType\": \"image/png\",\n  \"data\": \"???\"\n}\n", "", ""},
		} {
			r := give(c.result)
			if string(r.Text) != c.text || string(r.Aside) != c.aside || string(r.Structured) != c.structured || r.File != "" || r.Fault != "" {
				t.Errorf("%s: text %q, aside %q, structured %q", c.name, r.Text, r.Aside, r.Structured)
			}
		}
		if len(kept.saved) > 0 {
			t.Errorf("saved: %v", kept.saved)
		}

		r := give(`{"content":[{"type":"text","text":"A picture:"},` + image + `,{"type":"text","text":"That was it."}]}`)
		if len(r.Files) != 1 || string(r.Text) != "A picture:\nimage/png (19 bytes) has been written to: "+r.Files[0]+"\nThat was it." || !strings.HasSuffix(r.Files[0], ".callee.give_result.png") {
			t.Fatalf("%s %v", r.Text, r.Files)
		}
		if body, err := os.ReadFile(r.Files[0]); err != nil || !bytes.Equal(body, png) {
			t.Error(err, body)
		}
		if r = give(`{"content":[` + image + `],"structuredContent":{"a":1}}`); !r.IsJSON || !json.Valid(r.Text) || !strings.Contains(string(r.Aside), "image/png") {
			t.Errorf("%+v", r)
		}

		long := strings.Repeat("0123456789\n", 5000)
		if r, err := w.call("echo", fmt.Sprintf(`{"text":%q}`, long)); err != nil || len(r.Text) > 12_200 || r.Size != len(long) ||
			!strings.HasSuffix(string(r.Text), "Large output has been written to: "+r.File+" (55.0 KB, 5000 lines)\n") {
			t.Errorf("%v %s", err, r.Text)
		} else if body, err := os.ReadFile(r.File); err != nil || string(body) != long {
			t.Error(err)
		}
		r = give(`{"structuredContent":{"a":"` + strings.Repeat("x", 20_000) + `"}}`)
		if body, err := os.ReadFile(r.File); err != nil || !json.Valid(body) || r.Structured != nil || !r.IsJSON || !strings.HasSuffix(r.File, ".json") {
			t.Errorf("%v %+v", err, r)
		}
		// A tool may ask for more, and the caller for anything.
		if r, err := w.call("large", ""); err != nil || r.File != "" || r.Size < 19_000 {
			t.Errorf("%v %+v", err, r)
		}
		for limit, file := range map[int]bool{-1: false, 100: true} {
			r, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "echo", Arguments: json.RawMessage(fmt.Sprintf(`{"text":%q}`, long)), Limit: limit})
			if err != nil || (r.File != "") != file || file && len(r.Text) > 300 {
				t.Errorf("limit %d: %v %+v", limit, err, r)
			}
		}

		// Nothing is lost of what is seen where it cannot be saved.
		kept.fault = errors.New("no space left on device")
		r, err := w.call("echo", fmt.Sprintf(`{"text":%q}`, long))
		if err != nil || r.File != "" || !strings.HasPrefix(string(r.Text), "0123456789\n") || len(r.Text) > 12_200 ||
			r.Fault != "the whole (55.0 KB) could not be written to a file: no space left on device" || !strings.HasSuffix(string(r.Text), r.Fault+"\n") {
			t.Errorf("%v %+v", err, r)
		}
		if r = give(`{"content":[` + image + `]}`); r.Fault == "" || string(r.Text) != r.Fault {
			t.Errorf("%+v", r)
		}
		w.opts.Results = nil
		w.reopen()
		if r, err := w.call("echo", fmt.Sprintf(`{"text":%q}`, long)); err != nil || string(r.Text) != long {
			t.Error(err)
		}
		if r = give(`{"content":[` + image + `]}`); string(r.Text) != "image/png (19 bytes) is in the raw result alone" {
			t.Errorf("%s", r.Text)
		}
		for _, bad := range []string{`[]`, `{"content":"x"}`, `{"content":{"type":"text","text":"x"}}`, `{"content":[{"type":"text","text":tru}]}`, `{"structuredContent":{a}}`} {
			args, _ := json.Marshal(map[string]string{"result": bad})
			if _, err := w.call("give.result", string(args)); err == nil || !strings.Contains(err.Error(), "wrong form") || calls.Outcome(nil, err) != "failed" {
				t.Errorf("%s: %v", bad, err)
			}
		}
	})
}
