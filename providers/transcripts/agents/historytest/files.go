package historytest

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// RealSessions returns the path of a file or folder of the sessions of real
// agents.
func RealSessions(t testing.TB, path ...string) string {
	t.Helper()
	return fstest.Data(t, append([]string{"sessions"}, path...)...)
}

// ReadText reads a log with [RoundTrip].
func ReadText(t testing.TB, open func() history.Reader, text string) *event.Collector {
	t.Helper()
	return RoundTrip(t, open, []byte(strings.TrimSuffix(text, "\n")+"\n"))
}

// ReadOne reads the only session of a store.
func ReadOne(t testing.TB, f history.Format, path string) (history.Entry, *event.Collector) {
	t.Helper()
	store := f.(history.Store)
	list, err := store.Sessions(context.Background(), path)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	c := &event.Collector{}
	if err := store.Read(context.Background(), path, list[0].Key, c); err != nil {
		t.Fatal(err)
	}
	if c.Of.ID != list[0].ID {
		t.Errorf("listed as %q, read as %q", list[0].ID, c.Of.ID)
	}
	return list[0], c
}

// WriteFile writes a file below dir, and returns its path.
func WriteFile(t testing.TB, dir, rel, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Tally counts visible events by kind, those of users by origin, and failed
// results.
func Tally(events []event.Event) map[string]int {
	n := make(map[string]int)
	for _, e := range events {
		switch {
		case e.Quiet:
			continue
		case e.Kind == event.User && e.Origin != event.Typed:
			n["user "+e.Origin]++
		default:
			n[string(e.Kind)]++
		}
		if e.Result != nil && e.Result.Error {
			n["failed"]++
		}
	}
	return n
}

// CheckTally compares a [Tally] of events with the expected one.
func CheckTally(t testing.TB, events []event.Event, want map[string]int) {
	t.Helper()
	if got := Tally(events); !maps.Equal(got, want) {
		t.Errorf("the counts are %v, want %v", got, want)
	}
}

// HasText reports whether some event contains a text.
func HasText(events []event.Event, text string) bool {
	for _, e := range events {
		if strings.Contains(e.Text, text) || e.Result != nil && strings.Contains(e.Result.Text, text) ||
			e.Call != nil && strings.Contains(e.Call.Input, text) || e.Compact != nil && strings.Contains(e.Compact.Summary, text) {
			return true
		}
	}
	return false
}

// DecodeJSON decodes a text with encoding/json, independently of the readers.
func DecodeJSON(t testing.TB, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Lines returns one line for each event, quiet ones included, for comparing with a
// text.
func Lines(events []event.Event) string {
	var out strings.Builder
	for _, e := range events {
		out.WriteString(string(e.Kind))
		if e.Origin != "" {
			out.WriteString("/" + e.Origin)
		}
		if e.Quiet {
			out.WriteString(" (quiet)")
		}
		if e.Text != "" {
			out.WriteString(" " + strings.ReplaceAll(e.Text, "\n", "⏎"))
		}
		if c := e.Call; c != nil {
			out.WriteString(" " + c.ID + " " + c.Name + " " + c.Input)
		}
		if r := e.Result; r != nil {
			out.WriteString(" " + r.CallID + " " + r.Name + " " + strings.ReplaceAll(r.Text, "\n", "⏎"))
			if r.Error {
				out.WriteString(" FAILED")
			}
		}
		if c := e.Compact; c != nil {
			out.WriteString(strings.TrimRight(" "+c.Trigger+" "+strconv.Itoa(c.Tokens)+" "+c.Summary, " "))
		}
		if r := e.Rewound; r != nil {
			out.WriteString(" to " + strconv.Itoa(r.To) + " count " + strconv.Itoa(r.Count))
		}
		out.WriteString("\n")
	}
	return out.String()
}
