// Package historytest has what the tests of readers have in common: reading a log
// in one piece and saved and restored after every line ([RoundTrip]), databases as
// agents write them ([MakeDatabase]), comparing events ([CheckShown],
// [CheckOutline], [Lines]), fuzz targets ([FuzzLog], [FuzzText]) and the real
// histories ([RealSessions]).
package historytest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// CompleteLines returns the lines of a log without their endings. What follows
// the last line ending is incomplete and left out.
func CompleteLines(log []byte) [][]byte {
	lines := bytes.Split(log, []byte("\n"))
	return lines[:len(lines)-1]
}

// ReadLog reads all complete lines. The reader receives each in a buffer that is
// overwritten afterwards, so that a reader that retains the line fails.
func ReadLog(r history.Reader, log []byte, out event.Sink) {
	var buffer []byte
	for _, line := range CompleteLines(log) {
		buffer = append(buffer[:0], line...)
		r.Record(buffer, out)
		for i := range buffer {
			buffer[i] = 'x'
		}
	}
}

// RoundTrip reads a log twice: in one piece, and by readers that are saved as
// JSON after every line and restored into a newly opened one. Both must emit the
// same events, which it returns. inherited are the ids that the session inherits.
func RoundTrip(t testing.TB, open func() history.Reader, log []byte, inherited ...string) *event.Collector {
	t.Helper()
	whole, pieces := newCollector(inherited), newCollector(inherited)
	ReadLog(open(), log, whole)
	r := open()
	for n, line := range CompleteLines(log) {
		r.Record(bytes.Clone(line), pieces)
		state, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("saving after line %d: %v", n+1, err)
		}
		r = open()
		if err := json.Unmarshal(state, r); err != nil {
			t.Fatalf("restoring after line %d: %v", n+1, err)
		}
	}
	if !reflect.DeepEqual(whole.Of, pieces.Of) {
		t.Errorf("the session is another where the reader is saved and restored:\n%+v\n%+v", whole.Of, pieces.Of)
	}
	for i := range max(len(whole.Events), len(pieces.Events)) {
		switch {
		case i >= len(whole.Events):
			t.Fatalf("saved and restored gives more: %+v", pieces.Events[i])
		case i >= len(pieces.Events):
			t.Fatalf("saved and restored does not give %+v", whole.Events[i])
		case !reflect.DeepEqual(whole.Events[i], pieces.Events[i]):
			t.Fatalf("saved and restored gives another event %d:\n%+v\n%+v", i+1, whole.Events[i], pieces.Events[i])
		}
	}
	return whole
}

func newCollector(inherited []string) *event.Collector {
	c := &event.Collector{Parent: make(map[string]bool)}
	for _, id := range inherited {
		c.Parent[id] = true
	}
	return c
}
