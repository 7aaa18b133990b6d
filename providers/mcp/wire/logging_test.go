package wire

import (
	"ctxfs/providers/mcp/lines"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// TestTooManyLogMessages are dropped, and counted in the next that is passed on.
func TestTooManyLogMessages(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	var got []LogMessage
	g := &logGate{to: func(m LogMessage) { got = append(got, m) }, now: func() time.Time { return now }}
	for range 10 * logMessages {
		g.message(json.RawMessage(`{"level":"info","data":"x"}`))
	}
	if len(got) != logMessages || got[0].Dropped != 0 {
		t.Errorf("%d messages, %d dropped", len(got), got[0].Dropped)
	}
	now = now.Add(time.Second / 2)
	for range logMessages {
		g.message(json.RawMessage(`{"level":"info","data":"x"}`))
	}
	if len(got) != 3*logMessages/2 || got[logMessages].Dropped != 9*logMessages {
		t.Errorf("%d messages, %d dropped", len(got), got[logMessages].Dropped)
	}
	now = now.Add(time.Hour)
	g.message(json.RawMessage(`{"data":"` + strings.Repeat("x", logBytes) + `"}`)) // longer than all that may be taken
	g.message(json.RawMessage(`{"level":5,"data":"y"}`))
	if last := got[len(got)-1]; last.Dropped != logMessages/2+1 || last.Text != `{"level":5,"data":"y"}` {
		t.Errorf("%+v", last)
	}
}

// TestRequestsInAStreamOfEvents are found, also after an event that is longer than
// any request, and whatever the pieces are in which it comes.
func TestRequestsInAStreamOfEvents(t *testing.T) {
	text := "event: message\r\ndata: {\"id\":1,\"method\":\"a\"}\r\n\r\n" +
		"data: {\"id\":2,\"result\":{}}\n\n: a comment\n\n" +
		"data: {\"id\":3,\ndata: \"method\":\"b\",\"params\":{\"x\":1}}\n\n" +
		"data: {\"method\":\"notice\"}\n\ndata: {\"id\":null,\"method\":\"notice\"}\n\n" +
		"data: {\"id\":4,\"method\":\"" + strings.Repeat("x", tapped) + "\"}\n\n" +
		"data: {\"id\":5,\"method\":\"c\"}\n\ndata: {\"id\":6,\"method\":\"cut off\"}\n"
	for _, size := range []int{1 << 20, 7} {
		var got []string
		r := &tap{ReadCloser: io.NopCloser(strings.NewReader(text)), asked: func(in lines.Message) {
			got = append(got, string(in.ID)+" "+in.Method+string(in.Params))
		}}
		var out strings.Builder
		if _, err := io.CopyBuffer(&out, struct{ io.Reader }{r}, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if out.String() != text {
			t.Error("the stream is changed")
		}
		if is := strings.Join(got, ","); is != `1 a,3 b{"x":1},5 c` {
			t.Error(is)
		}
	}
}

// FuzzResults has any result be an answer, a task or input that is asked for.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"task":{"taskId":"t","status":"working","ttl":-1,"pollInterval":1e300,"createdAt":"x"}}`), true)
	f.Add([]byte(`{"resultType":"task","taskId":"t","status":"input_required","ttlMs":null,"inputRequests":{"a":{"method":"roots/list"}}}`), false)
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{"a":{"method":5}},"requestState":{}}`), false)
	f.Add([]byte(`{"taskId":[],"task":7}`), true)
	f.Fuzz(func(t *testing.T, result []byte, legacy bool) {
		c := &Connection{legacy: legacy}
		if is, ok := c.taskIn(result); ok && (is.ID == "" || is.poll < pollLeast || is.poll > pollMost || is.TTL < 0 || strings.ContainsAny(is.Message+is.State, "\n\x1b")) {
			t.Errorf("%+v", is)
		}
		if is, ok, err := readInputRequired(result); ok && err == nil && len(is.requests) > 0 {
			_ = firstMethod(is.requests)
		}
		e := ResponseError{Code: -32042, data: result}
		for _, q := range e.addresses() {
			if !strings.HasPrefix(q.URL, "http") || !q.Again {
				t.Errorf("%+v", q)
			}
		}
	})
}
