package seen

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
)

// told is a session of an agent in /p.
type told struct {
	*Tracker
	n  int
	at time.Time
}

func begin(agent string) *told {
	return &told{Tracker: NewTracker(agent, "/p"), at: time.Date(2026, 5, 12, 1, 0, 0, 0, time.UTC)}
}

// call adds a call, its arguments as JSON or text, and its result.
func (s *told) call(tool, input, result string) *told {
	s.n++
	s.at = s.at.Add(time.Second)
	id := fmt.Sprint(s.n)
	s.Add(&event.Event{Kind: event.ToolCall, Time: s.at, Call: &event.Call{ID: id, Name: tool, Input: input}})
	s.at = s.at.Add(time.Second)
	s.Add(&event.Event{Kind: event.ToolResult, Time: s.at, Result: &event.Result{CallID: id, Text: result}})
	return s
}

// patch adds a call of apply_patch.
func (s *told) patch(lines ...string) *told {
	input, _ := json.Marshal(map[string]string{"input": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"})
	return s.call("apply_patch", string(input), "Success.")
}

// shown writes what was seen as the tests expect it: "path whole", "path 3: text".
func shown(all []facts.Read) (lines []string) {
	for _, s := range all {
		line := s.File
		switch {
		case s.Gone:
			line += " gone"
		case s.Whole:
			line += " whole " + s.Parts[0].Text
		}
		if !s.Whole {
			for _, p := range s.Parts {
				line += fmt.Sprintf(" %d:%s", p.Line, p.Text)
			}
		}
		lines = append(lines, strings.ReplaceAll(line, "\n", "|"))
	}
	return lines
}

// TestFormsOfAgents: what was read and edited, in the forms of the agents' tools. The
// results are those of real sessions, with shorter texts.
func TestFormsOfAgents(t *testing.T) {
	t.Parallel()
	const edit = `{"file_path":"a","old_string":"two","new_string":"zwei"}`
	for _, c := range []struct {
		name string
		s    *told
		want string // lines of shown, joined by "; "
	}{
		{"Claude Code", begin("claude-code").call("Read", `{"file_path":"/p/a"}`, "     1→one\n     2→two\n\n<system-reminder>\nmalware?\n</system-reminder>\n").call("Edit", edit, "updated"), "/p/a whole one|zwei|"},
		{"Claude Code, a part", begin("claude-code").call("Read", `{"file_path":"/p/a","offset":7,"limit":2}`, "     7→one\n     8→two"), "/p/a 7:one|two|"},
		{"Claude Code, two parts", begin("claude-code").call("Read", `{"file_path":"/p/a","offset":7,"limit":1}`, "     7→two").call("Read", `{"file_path":"/p/a","offset":20,"limit":1}`, "    20→x").call("Edit", `{"file_path":"a","old_string":"two","new_string":"2\n3"}`, "updated"), "/p/a 7:2|3| 21:x|"},
		{"Claude Code, read again", begin("claude-code").call("Read", `{"file_path":"/p/a"}`, "     1→one").call("Read", `{"file_path":"/p/a"}`, "File unchanged since last read."), "/p/a whole one|"},
		{"Claude Code, an image", begin("claude-code").call("Read", `{"file_path":"/p/a.png"}`, "[image/png 3 KB]"), "/p/a.png"},
		{"Claude Code, a notebook", begin("claude-code").call("NotebookEdit", `{"notebook_path":"n.ipynb","new_source":"x"}`, "done"), "/p/n.ipynb"},
		{"opencode", begin("opencode").call("read", `{"filePath":"/p/a"}`, "<path>/p/a</path>\n<type>file</type>\n<content>\n1: one\n2: two\n\n(End of file - total 2 lines)\n</content>").call("edit", `{"filePath":"/p/a","oldString":"two","newString":"zwei"}`, "Edit applied successfully."), "/p/a whole one|zwei|"},
		{"opencode, older", begin("opencode").call("read", `{"filePath":"/p/a"}`, "<file>\n00001| one\n00002| \n00003| two\n\n(End of file - total 3 lines)\n</file>"), "/p/a whole one||two|"},
		{"opencode, a part", begin("opencode").call("read", `{"filePath":"/p/a"}`, "<file>\n00001| one\n00002| two\n\n(File has more lines. Use 'offset' parameter to read beyond line 2)\n</file>"), "/p/a 1:one|two|"},
		{"Gemini", begin("gemini").call("read_file", `{"absolute_path":"/p/a"}`, "one\ntwo\n").call("replace", edit, "Successfully modified file: /p/a (1 replacements)."), "/p/a whole one|zwei|"},
		{"Gemini, cut", begin("gemini").call("read_file", `{"absolute_path":"/p/a"}`, "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 1-2000 of 9000 total lines.\n--- FILE CONTENT (truncated) ---\none\n"), "/p/a"},
		{"Cursor", begin("cursor").call("read_file_v2", `{"targetFile":"/p/a"}`, "one\ntwo\n").call("search_replace", edit, ""), "/p/a whole one|zwei|"},
		{"Cursor, an edit that is not stored", begin("cursor").call("read_file_v2", `{"targetFile":"/p/a"}`, "one\n").call("edit_file_v2", `{"relativeWorkspacePath":"/p/a","noCodeblock":true}`, "{}"), "/p/a"},
		{"Copilot", begin("copilot").call("view", `{"path":"/p/a"}`, "1. one\n2. two").call("edit", `{"path":"/p/a","old_str":"two","new_str":"zwei"}`, "File /p/a updated with changes."), "/p/a whole one|zwei|"},
		{"Pi", begin("pi").call("read", `{"path":"a"}`, "one\ntwo").call("edit", `{"path":"a","edits":[{"oldText":"two","newText":"zwei"},{"oldText":"one","newText":"eins"}]}`, "Successfully replaced 2 block(s)"), "/p/a whole eins|zwei|"},
		{"Roo Code", begin("roo").call("read_file", `{"path":"a"}`, "<file><path>a</path>\n<content>\n1 | one\n2 | two\n</content>\n</file>").call("apply_diff", `{"path":"a","diff":"<<<<<<< SEARCH\n:start_line:2\n-------\ntwo\n=======\nzwei\n>>>>>>> REPLACE"}`, "saved"), "/p/a whole one|zwei|"},
		{"Cline", begin("cline").call("read_file", `{"path":"a"}`, "[read_file for 'a'] Result:\none\ntwo\n").call("replace_in_file", `{"path":"a","diff":"------- SEARCH\ntwo\n=======\nzwei\n+++++++ REPLACE\n"}`, "saved"), "/p/a whole one|zwei|"},
		{"Codex", begin("codex").call("exec_command", `{"cmd":"cat a","workdir":"/q"}`, "Chunk ID: 7aa77b\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\none\ntwo\n"), "/q/a whole one|two|"},
		{"Codex, a part", begin("codex").call("shell", `{"command":["bash","-lc","sed -n '3,4p' a"]}`, "one\ntwo\n"), "/p/a 3:one|two|"},
		{"Codex, with numbers", begin("codex").call("shell", `{"command":["bash","-lc","nl -ba a | sed -n '3,4p'"]}`, "     3\tone\n     4\ttwo\n"), "/p/a 3:one|two|"},
		{"Codex, more than a reading", begin("codex").call("shell", `{"command":["bash","-lc","cat a | sort"]}`, "one\n"), ""},
		{"Codex, a patch in a shell", begin("codex").call("exec_command", `{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+one\n*** End Patch\nEOF\n"}`, "Success."), "/p/a whole one|"},
		{"Codex, a patch", begin("codex").patch("*** Add File: a", "+one", "+two", "*** Add File: b", "+x").patch("*** Update File: a", "@@", " one", "-two", "+zwei", "*** Delete File: b"), "/p/a whole one|zwei|; /p/b gone"},
		{"Codex, a patch of what it has not read", begin("codex").patch("*** Update File: a", "@@ func", " one", "-two", "+zwei", " three"), "/p/a 0:one|zwei|three|"},
		{"Codex, a file that is moved", begin("codex").patch("*** Add File: a", "+one").patch("*** Update File: a", "*** Move to: b", "@@", "-one", "+eins"), "/p/a gone; /p/b whole eins|"},
		{"anybody, a new file", begin("droid").call("Write", `{"file_path":"a","content":"one\r\ntwo"}`, "created"), "/p/a whole one|two|"},
		{"anybody, a tool of an unknown form", begin("zed").call("read_file", `{"path":"a"}`, "one\n"), "/p/a"},
		{"anybody, every occurrence", begin("claude-code").call("Write", `{"file_path":"a","content":"x x"}`, "").call("Edit", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`, ""), "/p/a whole y y|"},
		{"anybody, an edit of a file that others have changed", begin("claude-code").call("Write", `{"file_path":"a","content":"x"}`, "").call("Edit", `{"file_path":"a","old_string":"k\nl\nm","new_string":"k\nL\nm"}`, ""), "/p/a 0:L|"},
		{"anybody, files that it removes", begin("claude-code").call("Write", `{"file_path":"x/a","content":"x"}`, "").call("Write", `{"file_path":"x/b","content":"x"}`, "").call("Write", `{"file_path":"c","content":"x"}`, "").call("Write", `{"file_path":"d","content":"x"}`, "").call("Bash", `{"command":"cd x && rm -f a 'b' && git mv ../c ../e"}`, ""), "/p/c gone; /p/d whole x|; /p/x/a gone; /p/x/b gone"},
		{"anybody, folders that it removes", begin("claude-code").call("Write", `{"file_path":"x/a","content":"x"}`, "").call("Write", `{"file_path":"xa","content":"x"}`, "").call("Bash", `{"command":"rm -rf x"}`, "").call("Bash", `{"command":"rm -rf $DIR/xa"}`, ""), "/p/x/a gone; /p/xa whole x|"},
		{"a path with a line break", begin("claude-code").call("Write", `{"file_path":"a\nb","content":"x"}`, ""), ""},
	} {
		fstest.Equal(t, strings.Join(shown(c.s.Reads()), "; "), c.want, c.name)
	}
}

// TestFailedAndOpenCalls: what failed was not seen, and what has no result yet neither,
// unless the agent keeps no results at all.
func TestFailedAndOpenCalls(t *testing.T) {
	t.Parallel()
	s := begin("claude-code").call("Write", `{"file_path":"a","content":"one"}`, "")
	s.Add(&event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "f", Name: "Edit", Input: `{"file_path":"a","old_string":"one","new_string":"two"}`}})
	s.Add(&event.Event{Kind: event.ToolResult, Result: &event.Result{CallID: "f", Text: "no", Error: true}})
	s.Add(&event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "o", Name: "Write", Input: `{"file_path":"b","content":"x"}`}})
	if got := shown(s.Reads()); len(got) != 1 || got[0] != "/p/a whole one|" {
		t.Errorf("%q", got)
	}
	s = begin("cursor")
	s.Add(&event.Event{Kind: event.ToolCall, Call: &event.Call{Name: "Write", Input: `{"path":"b","contents":"x"}`}})
	s.Add(&event.Event{Kind: event.ToolCall, Call: &event.Call{Name: "StrReplace", Input: `{"path":"b","old_string":"x","new_string":"y"}`}})
	if got := shown(s.Reads()); len(got) != 1 || got[0] != "/p/b whole y|" {
		t.Errorf("without results: %q", got)
	}
}

// TestBounds: a long session costs no more memory than the texts that are kept.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := begin("claude-code")
	text := strings.Repeat("line\n", maxText/5-1)
	const files = maxTexts/maxText + 10
	for i := range files {
		s.call("Write", fmt.Sprintf(`{"file_path":"f%03d","content":%q}`, i, text), "")
	}
	s.call("Write", fmt.Sprintf(`{"file_path":"g","content":%q}`, text+text), "")
	all := s.Reads()
	size, last := 0, all[len(all)-2]
	for _, one := range all {
		for _, p := range one.Parts {
			size += len(p.Text)
		}
	}
	if len(all) != files+1 || size > maxTexts || size != s.size || size < maxTexts-2*maxText {
		t.Errorf("%d files, %d bytes, counted %d", len(all), size, s.size)
	}
	if !last.Whole || len(all[0].Parts) > 0 || all[0].Time.IsZero() || len(all[len(all)-1].Parts) > 0 {
		t.Errorf("what was seen last is kept, and nothing that is too long: %v", last.File)
	}
	for i := range 3 * maxParts {
		s.call("Read", fmt.Sprintf(`{"file_path":"h","offset":%d,"limit":1}`, 10*i+2), fmt.Sprintf("  %d→x%d", 10*i+2, i))
	}
	for _, one := range s.Reads() {
		if one.File == "/p/h" && len(one.Parts) != maxParts {
			t.Errorf("%d pieces", len(one.Parts))
		}
	}
}

// FuzzTracker: whatever a log says, nothing panics, and every text is of whole lines.
func FuzzTracker(f *testing.F) {
	f.Add("Read", `{"file_path":"a","offset":2}`, "     2→x\n     3→y", "Edit", `{"file_path":"a","old_string":"x","new_string":""}`)
	f.Add("apply_patch", `{"input":"*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Add File: c\n+z"}`, "", "shell", `{"command":"sed -n '2,$p' a"}`)
	f.Add("Write", `{"path":"a","contents":"x\r\n"}`, "", "replace_in_file", `{"path":"a","diff":"SEARCH\nx\n=======\n>>>>>>> REPLACE"}`)
	f.Fuzz(func(t *testing.T, tool, input, result, next, edit string) {
		for _, agent := range []string{"claude-code", "codex"} {
			s := begin(agent).call(tool, input, result).call(next, edit, result).call(tool, input, result)
			size := 0
			for _, one := range s.Reads() {
				if one.Whole != (one.Whole && len(one.Parts) == 1) || one.Gone && len(one.Parts) > 0 {
					t.Fatalf("%+v", one)
				}
				for _, p := range one.Parts {
					size += len(p.Text)
					if p.Text != "" && !strings.HasSuffix(p.Text, "\n") || p.Line < 0 {
						t.Fatalf("%+v", one)
					}
				}
			}
			if size != s.size {
				t.Fatalf("%d bytes, counted %d", size, s.size)
			}
		}
	})
}
