package aider

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const aiderTwoRuns = `
# aider chat started at 2024-08-05 19:33:02

> /usr/bin/aider --lint  
> Aider v0.47.2-dev  
> Model: gpt-4o with diff edit format  

# aider chat started at 2024-08-05 19:33:32

> Main model: claude with diff edit format  

#### Use the Spinner  
####   
#### instead  

Certainly!

#### What it does
> a quotation

main.go
` + "```" + `
<<<<<<< SEARCH
=======
>>>>>>> REPLACE
` + "```" + `

> Tokens: 5,244 sent, 604 received.  
> Applied edit to main.go  

#### /exit  
`

// aiderRuns reads all runs of a history.
func aiderRuns(t testing.TB, path string) ([]history.Entry, [][]event.Event, []event.Session) {
	t.Helper()
	list, err := listRuns(context.Background(), path)
	fstest.Must(t, err)
	var events [][]event.Event
	var of []event.Session
	for _, l := range list {
		var c event.Collector
		fstest.Must(t, readRun(context.Background(), path, l.Key, &c))
		if c.Of.ID != l.ID || !c.Of.Start.Equal(l.Start) {
			t.Errorf("listed as %+v, read as %+v", l.Session, c.Of)
		}
		events, of = append(events, c.Events), append(of, c.Of)
	}
	return list, events, of
}

func TestAider(t *testing.T) {
	path := historytest.WriteFile(t, t.TempDir(), "repo/"+defaultName, aiderTwoRuns)
	list, events, of := aiderRuns(t, path)
	want := []string{
		"system (quiet) # aider chat started at 2024-08-05 19:33:02\n" +
			"system /usr/bin/aider --lint⏎Aider v0.47.2-dev⏎Model: gpt-4o with diff edit format\n",
		"system (quiet) # aider chat started at 2024-08-05 19:33:32\n" +
			"system Main model: claude with diff edit format\n" +
			"user Use the Spinner⏎⏎instead\n" +
			"assistant Certainly!⏎⏎#### What it does⏎> a quotation⏎⏎main.go⏎```⏎<<<<<<< SEARCH⏎=======⏎>>>>>>> REPLACE⏎```\n" +
			"system (quiet) Tokens: 5,244 sent, 604 received.\nsystem Applied edit to main.go\nuser /exit\n",
	}
	if len(list) != len(want) {
		t.Fatalf("%d runs, want %d", len(list), len(want))
	}
	for i := range want {
		fstest.Equal(t, historytest.Lines(events[i]), want[i], "run", i)
	}
	if list[1].Title != "Use the Spinner" || list[1].CWD != filepath.Dir(path) || of[1].Model != "claude" || of[0].Program != "0.47.2-dev" {
		t.Errorf("listed %+v, read %+v %+v", list[1], of[0], of[1])
	}
	start := time.Date(2024, 8, 5, 19, 33, 2, 0, time.Local)
	if !list[0].Start.Equal(start) {
		t.Errorf("started %v, want %v", list[0].Start, start)
	}
}

// TestAiderGrows: only the stamp of the run that has grown changes.
func TestAiderGrows(t *testing.T) {
	path := historytest.WriteFile(t, t.TempDir(), defaultName, aiderTwoRuns)
	before, _, _ := aiderRuns(t, path)
	historytest.WriteFile(t, filepath.Dir(path), defaultName, aiderTwoRuns+"\n#### more  \n\n# aider chat started at 2024-08")
	after, events, _ := aiderRuns(t, path)
	if len(after) != 2 || after[0].Key != before[0].Key || after[0].Stamp != before[0].Stamp {
		t.Errorf("the first run changed: %+v, %+v", before[0], after[0])
	}
	if after[1].ID != before[1].ID || after[1].Key != before[1].Key || after[1].Stamp == before[1].Stamp {
		t.Errorf("the last run: %+v, %+v", before[1], after[1])
	}
	if !historytest.HasText(events[1], "more") {
		t.Errorf("the line that was added is not told:\n%s", historytest.Lines(events[1]))
	}
	historytest.WriteFile(t, filepath.Dir(path), defaultName, "anew\n")
	if err := readRun(context.Background(), path, after[1].Key, &event.Collector{}); err == nil {
		t.Error("a run that is gone was read")
	}
}

func TestAiderPlaces(t *testing.T) {
	m := history.Machine{Home: "/home/u", Projects: []string{"/src"}, LookupEnv: func(name string) (string, bool) {
		return "/var/log/aider.md", name == "AIDER_CHAT_HISTORY_FILE"
	}}
	found := make(map[string]bool)
	for _, place := range places(m) {
		for _, rel := range []string{defaultName, "a/b/" + defaultName, "aider.md", "a/aider.md", ".aider.input.history", "README.md"} {
			if place.File(rel) != nil {
				found[filepath.Join(place.Dir, rel)] = true
			}
		}
	}
	want := map[string]bool{"/var/log/aider.md": true, "/src/" + defaultName: true, "/src/a/b/" + defaultName: true}
	for path := range found {
		if !want[path] {
			t.Errorf("%s would be opened", path)
		}
	}
	for path := range want {
		if !found[path] {
			t.Errorf("%s would not be opened", path)
		}
	}
	m.LookupEnv, m.Projects = func(string) (string, bool) { return "", false }, nil
	if places := places(m); len(places) != 0 {
		t.Errorf("%d places where the user has allowed none", len(places))
	}
}

// TestAiderReal compares with the lines of the real history.
func TestAiderReal(t *testing.T) {
	path := historytest.RealSessions(t, "aider", "aider.chat.history.md")
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	list, events, of := aiderRuns(t, path)
	if want := bytes.Count(text, []byte("\n"+runHead)) + 1; len(list) != want { // one before the first head
		t.Errorf("%d runs, want %d", len(list), want)
	}
	var all strings.Builder
	typed, models, titles := 0, 0, 0
	for i, run := range events {
		for _, e := range run {
			all.WriteString(e.Text + "\n")
			if e.Kind == event.User {
				typed += strings.Count(e.Text, "\n") + 1
			}
		}
		if of[i].Model != "" {
			models++
		}
		if list[i].Title != "" {
			titles++
		}
		if list[i].Title != of[i].Title && !strings.HasPrefix(of[i].Title, list[i].Title) {
			t.Errorf("listed as %q, read as %q", list[i].Title, of[i].Title)
		}
	}
	// Every line of the file is emitted as often as the file has it.
	bare := func(line string) string {
		return strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(line), "#### "), "> "))
	}
	said := make(map[string]int)
	for line := range strings.Lines(all.String()) {
		said[bare(line)]++
	}
	lost, want := 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#### ") && (strings.HasSuffix(line, "  ") || strings.HasPrefix(line, "#### /")) {
			want++
		}
		if line = bare(line); line == "" || line == "####" {
			continue
		}
		if said[line]--; said[line] < 0 {
			lost++
			t.Logf("not told: %.80q", line)
		}
	}
	if lost > 0 {
		t.Errorf("%d lines are not told", lost)
	}
	t.Logf("%d runs, %d lines typed, %d with a model, %d with a title", len(list), typed, models, titles)
	if typed > want || typed < want*98/100 { // empty lines around a prompt are left out
		t.Errorf("%d lines typed, want %d", typed, want)
	}
}

func FuzzAider(f *testing.F) {
	dir := f.TempDir()
	historytest.FuzzText(f, func(t *testing.T, text string) {
		aiderRuns(t, historytest.WriteFile(t, dir, defaultName, text))
	}, aiderTwoRuns, "0\n# aider chat started at ", "> a\n#### b  \nc\n")
}
