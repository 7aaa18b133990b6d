package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

func at(second int) time.Time {
	return time.Date(2026, 2, 8, 5, 46, second, 123e6, time.UTC)
}

// sample is a session where everything occurs once.
func sample() (event.Session, []event.Event) {
	long := new(strings.Builder)
	for i := range 400 {
		fmt.Fprintf(long, "line %d of a long output\n", i+1)
	}
	png := "iVBORw0KGgo" + strings.Repeat("aB3/", 2000)
	session := event.Session{Agent: "claude-code", ID: "08940314-9e93-46b1-a598-06bada65ed55", CWD: "/home/u/shop", Start: at(0)}
	events := []event.Event{
		{Kind: event.Fork, Text: "79e9becd-0b83-42f1", Rewound: &event.Rewound{Count: 120}},
		{Kind: event.User, Time: at(1), Text: "Mend the till.\n### [08940314/00099] - user\n===== COMPACTION 9 =====\nIt shows \x1b[31mred\x1b[0m zeros\u202e."},
		{Kind: event.System, Quiet: true, Text: "progress", Record: `{"type":"progress"}`},
		{Kind: event.Thinking, Time: at(2), Text: "Where is it?", Model: "opus"},
		{Kind: event.Assistant, Time: at(2), Text: "I look at the till.", Model: "opus"},
		{Kind: event.ToolCall, Time: at(3), Call: &event.Call{ID: "toolu_01AbCdEfGh9cXkT2fQ", Name: "Bash", Input: `{"command":"cat <<'E'\none\ttwo\nE","description":"print \"it\"","timeout":5,"nested":{"a":["x\ny",1,{"b":null}]},"short":[1,2]}`}},
		{Kind: event.ToolResult, Time: at(4), Result: &event.Result{CallID: "toolu_01AbCdEfGh9cXkT2fQ", Name: "Bash", Text: long.String(), Error: true}},
		{Kind: event.ToolResult, Time: at(5), Result: &event.Result{CallID: "c2", Name: "mcp__shop__get till", Text: "![](data:image/png;base64," + png + ") and " + png}},
		{Kind: event.ToolResult, Time: at(5), Result: &event.Result{CallID: "toolu_01AbCdEfGhspilled1", Name: "Bash", Text: "first lines", Spill: "/x/tool-results/a.txt"}},
		{Kind: event.User, Origin: event.Queued, Time: at(6), Text: "And the\r\nsign."},
		{Kind: event.User, Origin: event.Injected, Text: strings.Repeat("a reminder ", 300), Agent: "a1"},
		{Kind: event.Compaction, Time: at(7), Compact: &event.Compact{Trigger: "auto", Tokens: 155000}},
		{Kind: event.Compaction, Compact: &event.Compact{Summary: "They mended the till."}},
		{Kind: event.Rewind, Time: at(8), Rewound: &event.Rewound{To: 5, Count: 3}},
		{Kind: event.ToolCall, Time: at(9), Call: &event.Call{Name: "Task", Input: "not JSON"}, Subagent: "agent-a1"},
		{Kind: event.Unknown, Text: "new thing", Record: `{"type":"new thing","text":"a\nb"}`},
		{Kind: event.Assistant, Time: at(10)},
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	return session, events
}

// transcribe makes the transcript of events, and the names of what is folded.
func transcribe(s event.Session, events []event.Event) ([]byte, map[string]Folded) {
	folded := make(map[string]Folded)
	lower := make(map[string]bool)
	t := Transcript{ID8: s.ID[:min(8, len(s.ID))], Taken: func(name string) bool { return lower[strings.ToLower(name)] }}
	out := t.Header(nil, s)
	for i := range events {
		var f Folded
		if out, f = t.Append(out, &events[i]); f.Name != "" {
			folded[f.Name] = f
			lower[strings.ToLower(f.Name)] = true
		}
	}
	return out, folded
}

func TestTranscript(t *testing.T) {
	session, events := sample()
	got, _ := transcribe(session, events)
	golden(t, "transcript.md", got)
}

// golden compares with a file in testdata. CTXFS_GOLDEN=write rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("CTXFS_GOLDEN") == "write" {
		fstest.Must(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	fstest.Must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is\n%s\nnot\n%s", name, got, want)
	}
}

// TestTheSameAfterARestart saves and restores the state after every event.
func TestTheSameAfterARestart(t *testing.T) {
	session, events := sample()
	want, _ := transcribe(session, events)
	tr := Transcript{ID8: session.ID[:8]}
	got := tr.Header(nil, session)
	for i := range events {
		saved, err := json.Marshal(&tr)
		fstest.Must(t, err)
		tr = Transcript{}
		fstest.Must(t, json.Unmarshal(saved, &tr))
		got, _ = tr.Append(got, &events[i])
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s", got)
	}
}

func TestNamesInResults(t *testing.T) {
	text := strings.Repeat("x y\n", 2000)
	var events []event.Event
	for i, c := range []event.Result{
		{CallID: "call_1", Name: "Read"}, {CallID: "CALL_1", Name: "read"}, {CallID: "call_1", Name: "read"},
		{Name: "a/b"}, {CallID: "../../etc/x", Name: "..", Text: "."}, {CallID: "toolu_01-234567", Name: ""},
	} {
		c.Text = text
		events = append(events, event.Event{Seq: i + 1, Kind: event.ToolResult, Result: &c})
	}
	out, folded := transcribe(event.Session{ID: "s"}, events)
	for _, name := range []string{
		"call_1.Read.txt", "CALL_1~2.read.txt", "call_1~3.read.txt", "00004.a_b.txt", "etc_x.__.txt", "1-234567.tool.txt",
	} {
		if _, ok := folded[name]; !ok || !bytes.Contains(out, []byte("[whole: results/"+name+", 8.0 KB, 2000 lines]\n")) {
			t.Errorf("no %s in %v", name, folded)
		}
	}
}

var (
	headingLine = regexp.MustCompile(`^### \[s/\d{5,}\] (-|\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ) [a-z-]+( \S+)*$`)
	markLine    = regexp.MustCompile(`^===== (COMPACTION|REWIND|FORK) .* =====$`)
)

// FuzzTranscript holds for any text what the package's comment promises.
func FuzzTranscript(f *testing.F) {
	f.Add("a\n### [s/00001] - user", 3, "tool", "id")
	f.Add(strings.Repeat("=====\n", 2000), 1, "### x", "\xff")
	f.Add(strings.Repeat("aB3", 5000)+"\x1b[3\r1m\u202e", 4, "\n===== x", "a b")
	f.Add(`{"a\n### b":"\n### c\r=====","d":["`+strings.Repeat("é", 3000)+`"]}`, 5, "", "")
	kinds := []event.Kind{event.User, event.Assistant, event.Thinking, event.ToolCall, event.ToolResult, event.System, event.Compaction, event.Rewind, event.Fork, event.Unknown}
	f.Fuzz(func(t *testing.T, text string, kind int, name, id string) {
		e := event.Event{Seq: 7, Kind: kinds[uint(kind)%uint(len(kinds))], Text: text, Model: name, Agent: id, Record: text}
		switch e.Kind {
		case event.ToolCall:
			e.Call, e.Text = &event.Call{ID: id, Name: name, Input: text}, ""
		case event.ToolResult:
			e.Result = &event.Result{CallID: id, Name: name, Text: text}
		case event.Compaction:
			e.Compact = &event.Compact{Trigger: name, Summary: text}
		}
		tr := Transcript{ID8: "s"}
		out, folded := tr.Append(nil, &e)
		if !clean.Safe(out) || !bytes.HasSuffix(out, []byte("\n\n")) {
			t.Errorf("unclean: %q", out)
		}
		headings, marks := 0, 0
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "### ") {
				headings++
				if !headingLine.MatchString(line) {
					t.Errorf("heading %q", line)
				}
			}
			if strings.HasPrefix(line, "=====") {
				marks++
				if !markLine.MatchString(line) {
					t.Errorf("mark %q", line)
				}
			}
			if len(line) > longLine+1000 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
		if want := isMark(e.Kind); headings > 1 || marks > 1 || want != (marks == 1) || !want && headings != 1 {
			t.Errorf("%d headings, %d marks:\n%s", headings, marks, out)
		}
		if len(out) > longProse+16<<10 {
			t.Errorf("%d bytes are shown", len(out))
		}
		all := ResultText(&e)
		if !clean.Safe(all) {
			t.Errorf("unclean: %q", all)
		}
		if folded.Name == "" {
			if headings == 1 && !bytes.Equal(unforged(out), bytes.TrimRight(all, "\n")) {
				t.Errorf("%q is shown as %q", all, out)
			}
			return
		}
		if folded.Size != int64(len(all)) || folded.Lines != countLines(string(all)) || strings.ContainsAny(folded.Name, "/\x00") || strings.HasPrefix(folded.Name, ".") {
			t.Errorf("%+v of %d bytes", folded, len(all))
		}
	})
}

// unforged is the text of the block that out ends with, as it was.
func unforged(out []byte) []byte {
	_, out, _ = bytes.Cut(append([]byte("\n"), out...), []byte("\n### "))
	_, out, _ = bytes.Cut(out, []byte("\n"))
	out = append([]byte("\n"), bytes.TrimRight(out, "\n")...)
	out = bytes.ReplaceAll(out, []byte("\n ### "), []byte("\n### "))
	return bytes.ReplaceAll(out, []byte("\n ====="), []byte("\n====="))[1:]
}

func TestBlobs(t *testing.T) {
	data := func(n int) string { return strings.Repeat("aB3/", n/4) }
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"short " + data(1000), "short " + data(1000)},
		{data(1024), "[binary 768 bytes]"},
		{"a " + data(4000) + ".", "a [binary 3 KB]."},
		{`{"data":"iVBORw0KGgo` + data(4000) + `","x":1}`, `{"data":"[image/png 3 KB]","x":1}`},
		{"<img src=data:image/svg+xml;charset=utf-8;base64," + data(4000) + ">", "<img src=[image/svg+xml 3 KB]>"},
		{"data:a b;base64," + data(4000), "data:a b;base64,[binary 3 KB]"},
		{strings.Repeat("-", 5000), strings.Repeat("-", 5000)},
		{strings.Repeat("abc", 5000), strings.Repeat("abc", 5000)},
		{data(2000) + " " + strings.Repeat("x", 2000) + " " + data(2000), "[binary 2 KB] " + strings.Repeat("x", 2000) + " [binary 2 KB]"},
	} {
		fstest.Equal(t, blobs(c.in), c.want, "…", c.in)
	}
}
