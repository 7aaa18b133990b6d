package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

// put writes a file into the folder calls of the callee.
func (w *world) put(name, body string) error {
	ctx := context.Background()
	n, err := w.tree.Resolve(ctx, "callee/calls")
	if err != nil {
		return err
	}
	d, err := w.tree.Create(ctx, n.(fs.Inbox), name, fs.Standpoint{})
	if err != nil {
		return err
	}
	_, err = w.tree.Write(ctx, n.(fs.Inbox), d, []byte(body), 0)
	return err
}

// outcome waits for a result in that folder.
func (w *world) outcome(name string) drop.Outcome {
	w.t.Helper()
	var o drop.Outcome
	if err := json.Unmarshal([]byte(w.cat("callee/calls/"+name+".result")), &o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

func TestCallsByFiles(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.dir, "state")
		kept := &shelf{dir: w.dir}
		w.opts.Results = kept
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
		w.settings("[mcp]\nfile_calls = true\npolicy = {confirm = \"destructive\", deny = [\"*/asks\"]}\n")
		w.open()

		// Nothing is known of the server: that it is wrong turns out when it runs.
		if err := w.put("ecko.1.json", `{}`); err != nil {
			t.Fatal(err)
		}
		if o := w.outcome("ecko.1"); o.OK || !strings.Contains(o.Error, `has no tool "ecko"; did you mean "echo"?`) {
			t.Errorf("%+v", o)
		}
		for name, c := range map[string]struct {
			body string
			err  error
			want drop.Outcome
		}{
			"echo.a":           {`{"text":"hello"}`, nil, drop.Outcome{OK: true, Text: "hello"}},
			"echo.b":           {`{"txt":"hello"}`, fs.ErrInvalid, drop.Outcome{Error: `unknown "txt"; did you mean "text"?` + "\n" + `schema: {"text":{"type":"string"}}`}},
			"ecko.c":           {`{}`, fs.ErrInvalid, drop.Outcome{Error: `server callee has no tool "ecko"; did you mean "echo"?`}},
			"asks.d":           {`{}`, fs.ErrPermission, drop.Outcome{Error: `callee/asks may not be called: deny "*/asks" in ` + w.opts.SettingsPath + `:3; if it is to be allowed, change [mcp.policy] there; it is read again at once`}},
			"delete_all.e":     {`{}`, fs.ErrPermission, drop.Outcome{Error: "callee/delete_all requires confirmation: its server calls it destructive; to confirm, write it again as delete_all.e.yes.json"}},
			"delete_all.e.yes": {`{}`, nil, drop.Outcome{OK: true, Text: "done delete_all"}},
			"give_result.f":    {`{"result":"{\"structuredContent\":{\"a\":1},\"content\":[{\"type\":\"text\",\"text\":\"one a\"}]}"}`, nil, drop.Outcome{OK: true, Text: "one a", Structured: json.RawMessage(`{"a":1}`)}},
			"give_result.g":    {`{"result":"{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}"}`, nil, drop.Outcome{Text: "no", Error: "the tool says that it failed"}},
			"refuses.h":        {`{}`, nil, drop.Outcome{Error: "server callee: tools/call: the server answered: these arguments will not do (code -32602)"}},
			"echo.i":           {`[]`, fs.ErrInvalid, drop.Outcome{Error: "invalid argument: not one JSON object: it begins with '[' instead of {"}},
		} {
			if err := w.put(name+".json", c.body); !errors.Is(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
			if o := w.outcome(name); o.OK != c.want.OK || o.Text != c.want.Text || o.Error != c.want.Error || string(o.Structured) != string(c.want.Structured) {
				t.Errorf("%s: %+v, not %+v", name, o, c.want)
			}
		}
		if err := w.put("big.1.json", `{"size":50000}`); err != nil {
			t.Fatal(err)
		}
		if o := w.outcome("big.1"); o.File == "" || o.File != kept.saved[0] || !strings.Contains(o.Text, "Large output has been written to: "+o.File) {
			t.Errorf("%+v", o)
		}
		if err := w.put("echo.2", `{}`); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
		if n := len(w.logged()); n != 11 {
			t.Errorf("%d lines in the log", n)
		}
		if n := count("start"); n != 1 {
			t.Errorf("%d starts", n)
		}
		fstest.Contains(t, w.cat("callee/calls/README.md"), "TOOL.ANYTHING.json")

		// It is as the configuration says, and a call that is under way ends with it.
		if err := w.put("wait.1.json", `{}`); err != nil {
			t.Fatal(err)
		}
		w.await("the call", func() bool { return count("waits") == 1 })
		old, err := w.tree.Resolve(context.Background(), "callee/calls")
		if err != nil {
			t.Fatal(err)
		}
		w.drain()
		w.settings("[mcp]\nfile_calls = false\n")
		w.p.Reload()
		if got := w.ls("callee"); strings.Contains(got, "calls") {
			t.Error(got)
		}
		fstest.Contains(t, strings.Join(w.drain(), " "), "callee/calls")
		w.await("the end of the call", func() bool { return count("cancelled by a message") == 1 })
		n, err := old.(fs.Dir).Lookup(context.Background(), "wait.1.result")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := w.tree.ReadAll(context.Background(), n.(fs.File)); err != nil || !strings.Contains(string(text), "the call was cancelled") {
			t.Errorf("%s %v", text, err)
		}
		w.settings("[mcp]\nfile_calls = false\n[mcp.servers.callee]\nfile_calls = true\n")
		w.p.Reload()
		fstest.Contains(t, w.ls("callee"), "calls")
		w.opts.Watch = false
		w.reopen()
		fstest.ContainsNot(t, w.ls("callee"), "calls")
	})
}

// TestManyCallsByFiles has every file get its own answer, and large ones too.
func TestManyCallsByFiles(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
		w.settings("[mcp]\nfile_calls = true\n")
		w.open()
		var all sync.WaitGroup
		for writer := range 40 {
			all.Go(func() {
				for i := range 5 {
					name := fmt.Sprintf("echo.%d-%d", writer, i)
					if err := w.put(name+".json", fmt.Sprintf(`{"text":"%s"}`, name)); err != nil {
						t.Error(err)
						return
					}
					if o := w.outcome(name); !o.OK || o.Text != name {
						t.Errorf("%s: %+v", name, o)
						return
					}
				}
			})
		}
		all.Wait()
		if n := count("start"); n != 1 {
			t.Errorf("%d starts", n)
		}
		text := strings.Repeat("large", 200_000)
		if err := w.put("echo.large.json", `{"text":"`+text+`"}`); err != nil {
			t.Fatal(err)
		}
		if o := w.outcome("echo.large"); o.Text != text {
			t.Errorf("%d bytes: %s", len(o.Text), o.Error)
		}
	})
}

// TestBin has a program for each tool, whatever the path of ctxfs is.
func TestBin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		program := filepath.Join(w.dir, "it's a\npath", "ctxfs $HOME")
		w.opts.Program = program
		w.write(program, "#!/bin/sh\nprintf '[%s]' \"$@\"\n")
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		tools := w.write("tools.json", `[{"name":"one.tool","description":"Says."},{"name":"-x"}]`)
		w.claude(map[string]any{"my server": stub("changes", stubTools, tools)})
		w.open()
		fstest.ContainsNot(t, w.ls("my_server"), "bin")
		w.start()
		w.untilState("my_server", "ready")
		if got, want := w.ls("my_server/bin"), strings.ReplaceAll(w.ls("my_server/tools"), ".json", ""); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		for tool, want := range map[string]string{
			"one_tool": "[call][--via][bin][--][my_server][one_tool][--title][a b]",
			"-x":       "[call][--via][bin][--][my_server][-x][--title][a b]",
		} {
			text := w.cat("my_server/bin/" + tool)
			fstest.ContainsNot(t, text, "Says")
			path := w.write(filepath.Join(w.dir, "script"), text)
			if out, err := exec.Command("/bin/sh", path, "--title", "a b").CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("%s: %s, %v", tool, out, err)
			}
		}
		// Where that program has moved, it is the one in PATH.
		if err := os.Rename(program, filepath.Join(w.dir, "ctxfs")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", w.write(filepath.Join(w.dir, "script"), w.cat("my_server/bin/-x")), "--title", "a b")
		cmd.Env = []string{"PATH=" + w.dir}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "[call][--via][bin][--][my_server][-x][--title][a b]" {
			t.Errorf("moved: %s, %v", out, err)
		}
		if a := w.stat("my_server/bin/one_tool"); a.Mode != 0o555 {
			t.Error(a.Mode)
		}
		w.write(tools, `[{"name":"two"}]`)
		w.await("the change", func() bool { return w.ls("my_server/bin") == "two" })
		fstest.Contains(t, strings.Join(w.drain(), " "), "my_server/bin")
		before := w.stat("my_server/bin/two")
		w.reopen()
		if after := w.stat("my_server/bin/two"); after.ModTime != before.ModTime || after.Version != before.Version {
			t.Errorf("%+v, not %+v", after, before)
		}
		fstest.Check(t, w.tree)
		w.opts.Program = ""
		w.reopen()
		fstest.ContainsNot(t, w.ls("my_server"), "bin")
	})
}

// TestFileCallSaysWhereItWasMade: where its caller stands is not known to a call by a
// file, and its outcome says so, whatever it is.
func TestFileCallSaysWhereItWasMade(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := placesWorld(t)
		w.settings("[mcp]\nfile_calls = true\n")
		a := w.repository("a")
		w.open()
		if _, err := w.callFrom(a, "places", "where", ""); err != nil {
			t.Fatal(err)
		}
		n, err := w.tree.Resolve(t.Context(), "places/calls")
		if err != nil {
			t.Fatal(err)
		}
		for name, from := range map[string]fs.Standpoint{
			"where.here":    fs.StandpointAt(a),
			"where.unknown": {Unknown: "its process has ended"},
		} {
			d, err := w.tree.Create(t.Context(), n.(fs.Inbox), name+".json", from)
			if err == nil {
				_, err = w.tree.Write(t.Context(), n.(fs.Inbox), d, []byte("{}"), 0)
			}
			var o drop.Outcome
			if err := errors.Join(err, json.Unmarshal([]byte(w.cat("places/calls/"+name+".result")), &o)); err != nil {
				t.Fatal(err)
			}
			known := from.Dir == a
			if !o.OK || strings.Contains(string(o.Structured)+o.Text, a) != known || strings.Contains(o.Note, "its process has ended") == known {
				t.Errorf("%s: %+v", name, o)
			}
		}
	})
}
