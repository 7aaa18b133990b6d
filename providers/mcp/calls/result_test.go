package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
)

func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"\u001b[1mx\r"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"text":"x"}}]}`,
		`{"structuredContent":{"result":"x"},"content":[{"type":"text","text":"x"}],"isError":true}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"x"}}}`, `{"content":{"a":1},"structuredContent":[}`,
	} {
		f.Add([]byte(seed), 20)
	}
	full := func(limit int) ResultOptions {
		return ResultOptions{Server: "s", Tool: &Tool{Name: "t", File: "t"}, Limit: limit, Results: fullStore{}}
	}
	for _, seed := range []string{`{"a":1,"b":[{"c":"]}\""}]}`, `[1,"\\",null]`, ` {} `, `"x"`, `{"a":1,}`} {
		f.Add([]byte(seed), 20)
	}
	f.Fuzz(func(t *testing.T, raw []byte, limit int) {
		if _, err := readCallResult(raw); err == nil && !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			t.Error("a result that is no object")
		}
		r, err := NewResult(raw, full(max(1, limit%1000)))
		if err != nil {
			return
		}
		for _, text := range [][]byte{r.Text, r.Aside} {
			if !utf8.Valid(text) || clean.Text(string(text)) != string(text) {
				t.Errorf("%q", text)
			}
		}
		if r.IsJSON && r.Fault == "" && (!json.Valid(r.Text) || !json.Valid(r.Structured)) {
			t.Errorf("%q is not JSON", r.Text)
		}
	})
}

// fullStore has no room for results.
type fullStore struct{}

func (fullStore) Limit() int { return 12_000 }

func (fullStore) Save(server, tool, ext string, body []byte) (SavedResult, error) {
	return SavedResult{}, errors.New("full")
}
