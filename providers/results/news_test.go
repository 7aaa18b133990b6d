package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// tell returns what an agent is shown in place of an output; "" for the output itself.
func (f *fixture) tell(change func(m *facts.Moment)) string {
	f.t.Helper()
	m := facts.Moment{
		Kind: facts.AfterTool, Agent: "claude-code", Session: "s", Root: "/mnt", Time: time.Unix(1, 0),
		Call: &facts.AgentCall{ID: "call", Tool: "Bash", Command: "make", MayReplace: true},
	}
	change(&m)
	news := f.News(f.t.Context(), m)
	if len(news) == 0 {
		return ""
	}
	if n := news[0]; len(news) > 1 || n.Kind != facts.NewsResults || n.Key == "" || n.Text != "" || n.Refuse {
		f.t.Errorf("%+v", news)
	}
	return news[0].Instead
}

// TestLongOutputs: of a long output of a command or a server an agent is shown what is in it,
// and where.
func TestLongOutputs(t *testing.T) {
	f := start(t, stateDir(t), offline)
	var rows, log strings.Builder
	for i := range 600 {
		fmt.Fprintf(&rows, `,{"id":%d,"title":"issue number %d","token":"ghp_%036d"}`, i, i, 7)
		fmt.Fprintf(&log, "step %d of the build\n", i)
	}
	data := `{"total":600,"items":[` + rows.String()[1:] + `]}`
	log.WriteString("main.go:7: error: undefined: zebra\nmake: *** [all] Error 1\n")
	for what, c := range map[string]struct {
		change func(m *facts.Moment)
		want   []string
		stored string // what the file begins with
	}{
		"JSON of a server": {
			func(m *facts.Moment) {
				m.Call.Server, m.Call.Tool, m.Call.Command, m.Call.Output = "hub", "list_issues", "", data
			},
			[]string{"JSON, put into a file by ctxfs. What is in it:\nobject of 2 members\n.total: number (600)\n.items: list of 600 (object)\n.items[].id: number\n", "jq '.items[0]' /mnt/results/", ".hub.list_issues.", "Large output has been written to: /mnt/results/", ".json ("},
			"{\n  \"total\": 600,",
		},
		"JSON below what a program says": {
			func(m *facts.Moment) { m.Call.Output = "Exit code: 0\nWall time: 1 s\nOutput:\n" + data },
			[]string{"Exit code: 0\nWall time: 1 s\nOutput:\nJSON, put", "jq '.items[0]' "},
			"{\n  \"total\": 600,",
		},
		"a log": {
			func(m *facts.Moment) { m.Call.Output, m.Call.Failed = "Exit code: 2\n"+log.String(), true },
			[]string{"The call failed.\nExit code: 2\nstep 0 of", "lines (", "make: *** [all] Error 1\nLarge output", "2 lines that may report errors:\n602: main.go:7: error: undefined: zebra\n603: make", "rg -n WORD /mnt/results/", ".claude-code.Bash.", ".txt"},
			"Exit code: 2\nstep 0",
		},
		"a table": {
			func(m *facts.Moment) { m.Call.Output = "id,name\n" + strings.Repeat("1,somebody\n", 2000) },
			[]string{"2000 rows of 2 columns, parted by commas: id, name\nthe first: 1,somebody\n", "rg WORD "},
			"id,name\n",
		},
		"a file of 3000 lines": {
			func(m *facts.Moment) {
				m.Call.Command, m.Call.Output = "cat big.go", strings.Repeat("line of code\n", 3000)
			},
			[]string{"line of code\n... "}, "line of code",
		},
		"a file of one long line": {
			func(m *facts.Moment) {
				m.Call.Command, m.Call.Output = "cat rows.json", `{"rows":[`+strings.Repeat(`{"id":1},`, 28_000)+`{"id":2}]}`
			},
			[]string{".rows: list of 28001 (object)", "jq "}, "{\n  \"rows\": [\n    {\n      \"id\": 1\n",
		},
		"what is left of a file by another program": {
			func(m *facts.Moment) {
				m.Call.Command, m.Call.Output = "cat a | grep -v b", strings.Repeat("line of code\n", 1500)
			},
			[]string{"line of code\n... "}, "line of code",
		},
	} {
		got := f.tell(c.change)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", what, want, got)
			}
		}
		if len(got) > 8<<10 || strings.Contains(got, "ghp_0") {
			t.Errorf("%s: %d bytes\n%.600s", what, len(got), got)
		}
		_, rest, _ := strings.Cut(got, "written to: /mnt/results/")
		name, _, _ := strings.Cut(rest, " ")
		if text, err := os.ReadFile(filepath.Join(f.dir, name)); err != nil || !strings.HasPrefix(string(text), c.stored) || strings.Contains(string(text), "ghp_0") {
			t.Errorf("%s: the file has %.100q, %v", what, text, err)
		}
		fstest.Equal(t, f.tell(c.change), got, "told again", what)
	}

	lines := strings.Repeat("line of code\n", 1500)
	count := len(storedIn(t, f.dir))
	for what, change := range map[string]func(m *facts.Moment){
		"a short output":          func(m *facts.Moment) { m.Call.Output = "ok\n" },
		"no more than the limit":  func(m *facts.Moment) { m.Call.Output = strings.Repeat("x", f.store.Limit()) },
		"what cannot be replaced": func(m *facts.Moment) { m.Call.Output, m.Call.MayReplace = lines, false },
		"a tool that reads files": func(m *facts.Moment) { m.Call.Tool, m.Call.Command, m.Call.Output = "Read", "", lines },
		"cat":                     func(m *facts.Moment) { m.Call.Command, m.Call.Output = "cd src && cat a.go", lines },
		"sed": func(m *facts.Moment) {
			m.Call.Command, m.Call.Output = "sed -n '1,1500p;1600q' a.go | head -1500", lines
		},
		"a difference":       func(m *facts.Moment) { m.Call.Command, m.Call.Output = "git diff HEAD~1 -- a.go", lines },
		"a file of the tree": func(m *facts.Moment) { m.Call.Command, m.Call.Output = "jq .items /mnt/results/x.json", lines },
		"what is in a file": func(m *facts.Moment) {
			m.Call.Command, m.Call.Output = "ctxfs call hub list", lines+"Large output has been written to: /x (1 MB, 3 lines)\n"
		},
		"another moment": func(m *facts.Moment) { m.Kind, m.Call.Output = facts.BeforeTool, lines },
		"no call":        func(m *facts.Moment) { m.Call = nil },
	} {
		fstest.Equal(t, f.tell(change), "", what)
	}
	fstest.Equal(t, len(storedIn(t, f.dir)), count, "results")
	// Without an id each run of a command is another one.
	same := func(at int64) func(m *facts.Moment) {
		return func(m *facts.Moment) { m.Call.ID, m.Call.Output, m.Time = "", log.String(), time.Unix(at, 0) }
	}
	if a, b := f.tell(same(1)), f.tell(same(2)); a == "" || a != b {
		t.Errorf("%q, then %q", a, b)
	}
}

// TestNoRoomForOutputs: what cannot be stored, the agent gets whole.
func TestNoRoomForOutputs(t *testing.T) {
	dir := stateDir(t)
	fstest.Must(t, os.WriteFile(dir, nil, 0o600)) // where the folder should be
	f := start(t, dir, offline)
	fstest.Equal(t, f.tell(func(m *facts.Moment) { m.Call.Output = strings.Repeat("line\n", 10_000) }), "")
}

func storedIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	fstest.Must(t, err)
	for _, e := range entries {
		if isResult(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
