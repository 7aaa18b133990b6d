package historytest

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// EachObject decodes the lines of a log with encoding/json, independently of the
// readers.
func EachObject(t *testing.T, log []byte, do func(map[string]any)) {
	t.Helper()
	for line := range bytes.Lines(log) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err == nil {
			do(v)
		}
	}
}

// Field returns the string at a path of a decoded object.
func Field(v any, path ...string) string {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// Texts returns the texts of the parts of a content, or of a content that is a
// string.
func Texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, p := range v {
			if s := Field(p, "text"); s != "" {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// ReadRealLog reads a real log, whose last line may be incomplete.
func ReadRealLog(t *testing.T, open func() history.Reader, path string) (log []byte, c *event.Collector) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log = append(bytes.TrimRight(log, "\n"), '\n')
	return log, RoundTrip(t, open, log)
}

// CheckCounts compares how often kinds occur among the events.
func CheckCounts(t *testing.T, events []event.Event, want map[string]int) {
	t.Helper()
	got := kinds(events)
	for kind, n := range want {
		if got[kind] != n {
			t.Errorf("%d of %s, want %d", got[kind], kind, n)
		}
	}
}

// CheckTexts checks that every text is in some event. White space is ignored: a
// thought that is repeated in another layout is emitted once.
func CheckTexts(t *testing.T, events []event.Event, want []string) {
	t.Helper()
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	all := squeeze(AllText(events))
	for _, text := range want {
		if !strings.Contains(all, squeeze(text)) {
			t.Errorf("no event holds %.200q", text)
		}
	}
	if len(want) == 0 {
		t.Error("nothing was looked for")
	}
}
