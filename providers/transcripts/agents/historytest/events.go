package historytest

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/event"
)

// shown returns one line for each event: the kind, and what a test needs to see of
// the rest. Quiet events are left out.
func shown(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		if e.Quiet {
			continue
		}
		b.WriteString(string(e.Kind))
		if e.Origin != "" {
			b.WriteString(" (" + e.Origin + ")")
		}
		if e.Agent != "" {
			b.WriteString(" in " + e.Agent)
		}
		switch {
		case e.Call != nil:
			fmt.Fprintf(&b, " %s %s %s", e.Call.ID, e.Call.Name, e.Call.Input)
		case e.Result != nil:
			fmt.Fprintf(&b, " %s %s", e.Result.CallID, e.Result.Name)
			if e.Result.Error {
				b.WriteString(" failed")
			}
			fmt.Fprintf(&b, " %q", e.Result.Text)
		case e.Compact != nil:
			fmt.Fprintf(&b, " %q %d %q", e.Compact.Trigger, e.Compact.Tokens, e.Compact.Summary)
		case e.Rewound != nil:
			fmt.Fprintf(&b, " to %d, %d", e.Rewound.To, e.Rewound.Count)
		}
		if e.Text != "" {
			fmt.Fprintf(&b, " %q", e.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// CheckShown compares events with the expected lines, which may be indented.
func CheckShown(t testing.TB, events []event.Event, want string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	got := strings.TrimSuffix(shown(events), "\n")
	if want := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// LogOf returns a log of the lines.
func LogOf(lines ...string) []byte {
	return []byte(strings.Join(lines, "\n") + "\n")
}

// AllText returns all texts of events.
func AllText(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Text)
		if e.Call != nil {
			b.WriteString("\n" + e.Call.Input)
		}
		if e.Result != nil {
			b.WriteString("\n" + e.Result.Text)
		}
		if e.Compact != nil {
			b.WriteString("\n" + e.Compact.Summary)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// kinds counts visible events by kind, typed prompts separately.
func kinds(events []event.Event) map[string]int {
	n := make(map[string]int)
	for _, e := range events {
		switch {
		case e.Quiet:
		case e.Kind == event.User && e.Origin == event.Typed:
			n["typed"]++
		default:
			n[string(e.Kind)]++
		}
	}
	return n
}
