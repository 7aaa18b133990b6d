package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/catalogue"
)

func (w *world) cacheFiles() []string {
	files, err := filepath.Glob(filepath.Join(w.opts.Cache, "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

func TestTheCatalogueSurvives(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const secret = "hunter2-hunter2"
		w := newWorld(t)
		tools := w.write("tools.json", `[{"name":"html","description":"a <b> & \u2028 c","inputSchema":{"z":1.0,"a":12345678901234567890}}]`)
		entry := stub("ok", stubTools, tools, "TOKEN", secret)
		entry["args"] = []string{"--key=" + secret}
		w.claude(map[string]any{"hello": entry})
		w.open().start()
		w.untilState("hello", "ready")
		text, tool, folder := w.cat("hello/tools/html.json"), w.stat("hello/tools/html.json"), w.stat("hello/tools")
		metadata := w.stat("hello/SERVER_METADATA.json")
		for _, f := range w.cacheFiles() {
			cached, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			fstest.ContainsNot(t, string(cached), secret)
		}

		check := func(state string) {
			t.Helper()
			if got := w.cat("hello/tools/html.json"); got != text {
				t.Errorf("%s: %s, was %s", state, got, text)
			}
			for _, c := range []struct{ got, want any }{
				{w.stat("hello/tools/html.json"), tool}, {w.stat("hello/tools").ModTime, folder.ModTime}, {w.stat("hello/SERVER_METADATA.json"), metadata},
			} {
				if c.got != c.want {
					t.Errorf("%s: %v, was %v", state, c.got, c.want)
				}
			}
		}
		// After a restart everything is there before anything is started.
		w.reopen()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: cached\n", "catalogue: ")
		check("cached")
		w.startAll()
		w.untilState("hello", "ready")
		check("ready again")

		// Another command, which does not work.
		w.claude(map[string]any{"hello": stub("dies-at-start")})
		w.reopen().startAll()
		fstest.Contains(t, w.untilState("hello", "error"), "- the catalogue is from an earlier command", "catalogue: ")
		fstest.Contains(t, w.cat("hello/tools/html.json"), "html")

		// Gone from the configuration: gone from the cache.
		w.claude(map[string]any{})
		w.p.Reload()
		w.await("the cache is empty", func() bool { return len(w.cacheFiles()) == 0 })
	})
}

func TestAnotherCommandIsAnEarlierCatalogue(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"hello": stub("ok")})
		w.open().start()
		w.untilState("hello", "ready")
		other := stub("silent")
		other["args"] = []string{"another"}
		w.claude(map[string]any{"hello": other})
		w.reopen().startAll()
		fstest.Contains(t, w.untilState("hello", "starting"), "the catalogue is from an earlier command")
		fstest.Contains(t, w.cat("INDEX.md"), "hello/greet — Says hello.", "- hello: starting; its tools are as of ")
	})
}

func TestAnEmptyListReplacesNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tools := w.write("tools.json", `[{"name":"one"}]`)
		w.claude(map[string]any{"stub": stub("changes", stubTools, tools)})
		w.open().start()
		w.untilState("stub", "ready")
		one := w.stat("stub/tools/one.json")
		for _, next := range []string{`[]`, `"broken"`} {
			w.write(tools, next)
			w.await("the note", func() bool {
				status := w.cat("stub/STATUS.md")
				return strings.Contains(status, map[string]string{
					`[]`: "the server listed no tools, those known before (1) are shown", `"broken"`: "tools/list failed, what was known before is shown",
				}[next])
			})
			if got := w.stat("stub/tools/one.json"); got != one {
				t.Errorf("after %s: %v, was %v", next, got, one)
			}
		}
		w.reopen()
		if got := w.stat("stub/tools/one.json"); !got.ModTime.Equal(one.ModTime) || got.Version != one.Version {
			t.Errorf("after a restart: %v, was %v", got, one)
		}
	})
}

func TestADamagedCacheFile(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"hello": stub("ok")})
		w.open().start()
		w.untilState("hello", "ready")
		file := w.cacheFiles()[0]
		for _, text := range []string{"{", "", `{"format":99}`, `{"format":1,"lists":5}`} {
			w.write(file, text)
			w.reopen()
			fstest.Contains(t, w.cat("hello/STATUS.md"), "state: stopped\n")
		}
		w.startAll()
		w.untilState("hello", "ready")
		w.reopen()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: cached\n")

		// The texts are rendered again if they are damaged or of another rendering.
		text := w.cat("hello/tools/greet.json")
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range [][2]string{{`Politely."`, `Politel!."`}, {fmt.Sprintf(`"rendering":%d`, catalogue.Rendering), `"rendering":2`}} {
			broken := strings.Replace(string(whole), change[0], change[1], 1)
			if broken == string(whole) {
				t.Fatalf("%q is not in %s", change[0], whole)
			}
			w.write(file, broken)
			w.reopen()
			if got := w.cat("hello/tools/greet.json"); got != text {
				t.Errorf("after %q: %s", change, got)
			}
		}
		for n := range len(whole) {
			if n%7 == 0 {
				w.write(file, string(whole[:n]))
				w.cache().Catalogue(catalogue.KeysOf(w.p.All()[0].Definition()))
				if s := w.cache().Snapshot(catalogue.KeysOf(w.p.All()[0].Definition())); s != nil && !strings.HasSuffix(text, string(s.Tools()[0].Body[1:])) {
					t.Fatalf("of the first %d bytes: %s", n, s.Tools()[0].Body)
				}
			}
		}
	})
}

func TestOffline(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"known": stub("ok", stubJournal, journal)})
		w.open().start()
		w.untilState("known", "ready")
		w.claude(map[string]any{"known": stub("ok", stubJournal, journal), "new": stub("ok", stubJournal, journal)})
		w.opts.Watch = false
		w.reopen().start()
		fstest.Contains(t, w.cat("known/STATUS.md"), "state: cached\n")
		fstest.Contains(t, w.cat("new/STATUS.md"), "state: stopped\n")
		if got := count("start"); got != 1 {
			t.Errorf("%d starts", got)
		}
	})
}

func TestACacheThatCannotBeWritten(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.Cache = filepath.Join(w.write("file", ""), "cache")
		tools := w.write("tools.json", `[{"name":"one"}]`)
		w.claude(map[string]any{"stub": stub("changes", stubTools, tools)})
		w.open().start()
		w.untilState("stub", "ready")
		one := w.stat("stub/tools/one.json")
		w.write(tools, `[{"name":"one"},{"name":"two"}]`)
		w.await("two tools", func() bool { return w.ls("stub/tools") == "one.json two.json" })
		if got := w.stat("stub/tools/one.json"); got != one {
			t.Errorf("%v, was %v", got, one)
		}
	})
}
