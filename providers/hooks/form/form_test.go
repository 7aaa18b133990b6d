package form

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

var update = flag.Bool("update", false, "write what is found to testdata/*.golden")

// recorded is an input as an agent writes it, with the words of the command line.
type recorded struct{ agent, event, input string }

func inputs(t testing.TB, file string) (all []recorded) {
	t.Helper()
	text, err := os.ReadFile(file)
	fstest.Must(t, err)
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "> "):
			words := strings.Fields(line)
			all = append(all, recorded{agent: words[1], event: words[2]})
		case strings.HasPrefix(line, "{"):
			all[len(all)-1].input = strings.TrimSpace(line)
		}
	}
	return all
}

// describe tells what was read of an input, and what each kind of answer becomes.
func describe(in *Input) string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent %s, event %s, moment %q, session %s", in.Agent, in.Event, in.Kind, in.Session)
	for _, one := range []struct{ name, value string }{{"subagent", in.Subagent}, {"dir", in.Dir}, {"prompt", in.Prompt}} {
		if one.value != "" {
			fmt.Fprintf(&b, ", %s %q", one.name, one.value)
		}
	}
	if in.Cleared {
		b.WriteString(", a new context")
	}
	b.WriteByte('\n')
	if c := in.Call; c != nil {
		fmt.Fprintf(&b, "call %q tool %q server %q input %s output %q failed %v; may refuse %v, replace %v\n", c.ID, c.Tool, c.Server, c.Input, c.Output, c.Failed, c.MayRefuse, c.MayReplace)
	}
	for _, a := range []struct {
		name string
		Answer
	}{{"say", Answer{Say: "SAY"}}, {"refuse", Answer{Refuse: "WHY"}}, {"replace", Answer{Instead: "SHORT", Say: "SAY"}}} {
		if out := in.Output(a.Answer); out != (Output{}) {
			fmt.Fprintf(&b, "%s: exit %d, out %q, err %q\n", a.name, out.Code, out.Out, out.Err)
		}
	}
	return b.String()
}

// TestRecorded: what agents write is read, and answered as they read it.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		var got strings.Builder
		for _, r := range inputs(t, file) {
			in, err := Parse(r.agent, r.event, []byte(r.input))
			if err != nil {
				t.Errorf("%s: %s: %v", file, r.input, err)
				continue
			}
			fmt.Fprintf(&got, "> %s %s\n%s\n", r.agent, r.event, describe(in))

			// Other spellings of the same: a byte order mark, line ends, more members.
			crlf := "\xef\xbb\xbf" + strings.Replace(r.input, "{", "{\r\n \"of_a_newer_version\": {\"a\": [1, null]},\r\n", 1) + "\r\n"
			again, err := Parse(r.agent, r.event, []byte(crlf))
			if err != nil || describe(again) != describe(in) {
				t.Errorf("%s: another spelling of %s: %v", file, r.input, err)
			}
			for _, a := range []Answer{{Say: "<\x01\"é"}, {Refuse: "<é"}, {Instead: "é\n"}} {
				if out := in.Output(a); out.Out != "" && strings.HasPrefix(out.Out, "{") && !json.Valid([]byte(out.Out)) {
					t.Errorf("%s: no JSON: %s", file, out.Out)
				}
			}
		}
		golden := strings.TrimSuffix(file, ".txt") + ".golden"
		if *update {
			fstest.Must(t, os.WriteFile(golden, []byte(got.String()), 0o600))
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil || !bytes.Equal(want, []byte(got.String())) {
			t.Errorf("%s differs from what is found now: %v\n%s", golden, err, got.String())
		}
	}
}

// TestAgents: each agent is one that the package knows, and is found by any spelling.
func TestAgents(t *testing.T) {
	for _, id := range Agents() {
		for _, name := range []string{id, strings.ToUpper(id), strings.ReplaceAll(id, "-", "_")} {
			in, err := Parse(name, "start", []byte(`{"session_id":"a"}`))
			if err != nil || in.Agent != id || in.Kind != facts.SessionStarts {
				t.Errorf("%s: %+v, %v", name, in, err)
			}
		}
	}
	if _, err := Parse("no-agent", "start", []byte(`{"session_id":"a"}`)); err == nil {
		t.Error("an unknown agent is answered")
	}
}

// FuzzParse: no input makes it fail, name a session by what is no file name, or answer what
// is no JSON.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		for _, r := range inputs(f, file) {
			f.Add(r.agent, r.event, []byte(r.input))
		}
	}
	f.Add("claude-code", "SessionStart", []byte(`{"session_id":null,"cwd":"/\u0000","tool_response":[[]]}`))
	f.Fuzz(func(t *testing.T, agent, event string, input []byte) {
		in, err := Parse(agent, event, input)
		if err != nil {
			return
		}
		if !slices.Contains(Agents(), in.Agent) || in.Session == "" || filepath.Base(in.Session) != in.Session || strings.ContainsAny(in.Session+in.Subagent, "/\n\x1b $`;") {
			t.Fatalf("%q %q", in.Agent, in.Session)
		}
		if in.Dir != "" && !filepath.IsAbs(in.Dir) {
			t.Fatalf("the folder %q", in.Dir)
		}
		for _, a := range []Answer{{Say: "s"}, {Refuse: "r"}, {Instead: "i", Say: "s"}} {
			out := in.Output(a)
			if out.Code != 0 && a.Refuse == "" || out.Code != 0 && out.Code != 2 || strings.HasPrefix(out.Out, "{") && !json.Valid([]byte(out.Out)) {
				t.Fatalf("%+v", out)
			}
		}
	})
}
