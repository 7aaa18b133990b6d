package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/catalogue"
)

// TestPinsOutlive restarts, the loss of the cache, a tool's absence, and trees
// that are only looked at.
func TestPinsOutlive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPinned(t, pinnedGreet, bye)
		file := p.files()
		if len(file) != 1 {
			t.Fatal(file)
		}
		first, err := os.ReadFile(file[0])
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{file[0]: 0o600, filepath.Dir(file[0]): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		}
		const drifted = "bye.json greet.diff greet.json"
		p.change(drifted, changedGreet, bye)
		diff, attr := p.cat("hello/tools/greet.diff"), p.stat("hello/tools/greet.diff")
		folder := p.stat("hello/tools").ModTime
		status := p.cat("hello/STATUS.md")
		check := func(when string) {
			t.Helper()
			if got := p.ls("hello/tools"); got != drifted {
				t.Errorf("%s: %s", when, got)
			}
			if got := p.cat("hello/tools/greet.diff"); got != diff {
				t.Errorf("%s: %s\nwas %s", when, got, diff)
			}
			if got := p.stat("hello/tools/greet.diff"); got != attr {
				t.Errorf("%s: %v, was %v", when, got, attr)
			}
			if got := p.stat("hello/tools").ModTime; got.After(folder) || folder.Sub(got) > time.Second {
				t.Errorf("%s: the folder is of %v, was of %v", when, got, folder)
			}
			_, note, _ := strings.Cut(status, "\n- ")
			fstest.Contains(t, p.cat("hello/STATUS.md"), "\n- "+note)
		}
		p.opts.Watch = false
		p.reopen()
		check("offline")
		p.opts.Watch = true
		p.reopen()
		check("after a restart")
		p.startAll()
		p.untilState("hello", "ready")
		check("ready again")

		// It is away for a while, meanwhile the cache is emptied.
		p.change("bye.json", bye)
		if err := os.RemoveAll(p.opts.Cache); err != nil {
			t.Fatal(err)
		}
		p.define(changedGreet, bye)
		p.reopen().startAll()
		p.untilState("hello", "ready")
		if got := p.ls("hello/tools"); got != drifted {
			t.Errorf("with an empty cache: %s", got)
		}
		now, err := os.ReadFile(file[0])
		if err != nil || !bytes.Equal(first, now) {
			t.Errorf("the pins have changed: %v\n%s\n%s", err, first, now)
		}

		// A tree that is only looked at writes nothing, unless it is told to.
		if err := os.RemoveAll(filepath.Dir(file[0])); err != nil {
			t.Fatal(err)
		}
		p.opts.Watch = false
		p.reopen()
		if got := p.ls("hello/tools"); got != noDrift || len(p.files()) != 0 {
			t.Errorf("without pins: %s, %v", got, p.files())
		}
		p.write(file[0], string(first))
		p.reopen()
		p.accept("greet")
		if got := p.reopen().ls("hello/tools"); got != noDrift {
			t.Errorf("accepted offline: %s", got)
		}
	})
}

// TestTheCacheWasSeenFirst pins what the cache of an earlier ctxfs showed, and
// not what the server says meanwhile.
func TestTheCacheWasSeenFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPinned(t, pinnedGreet, bye)
		for _, f := range p.files() {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.p.Close(); err != nil {
			t.Fatal(err)
		}
		p.define(changedGreet, bye)
		p.open().startAll()
		p.untilState("hello", "ready")
		if got := p.ls("hello/tools"); got != "bye.json greet.diff greet.json" {
			t.Errorf("%s", got)
		}
	})
}

func TestPinsThatCannotBeRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPinned(t, pinnedGreet, bye)
		file := p.files()[0]
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "{}", `{"format":99}`, strings.Replace(string(whole), `"name":"hello"`, `"name":"other"`, 1)} {
			p.write(file, text)
			p.define(changedGreet, bye)
			p.reopen().startAll()
			p.untilState("hello", "ready")
			fstest.Contains(t, p.cat("hello/STATUS.md"), "- changed definitions of tools are not seen, "+file+" cannot be read: ", "ctxfs accept hello\n")
			fstest.Contains(t, p.problems(), "server hello: changed definitions of tools are not seen", "ctxfs accept hello")
			if now, err := os.ReadFile(file); err != nil || string(now) != text {
				t.Errorf("it was written: %s, %v", now, err)
			}
		}
		if _, err := p.p.Accept("hello", "greet"); err == nil {
			t.Error("one tool was accepted")
		}
		p.accept("bye greet")
		p.change("bye.json greet.diff greet.json", pinnedGreet, bye)
		if p.accept("greet"); p.problems() != "" {
			t.Errorf("%s", p.problems())
		}
		// A damaged definition is reported when it is needed.
		p.write(file, strings.Replace(string(whole), "\n{", "\n[", 1))
		p.change("bye.json greet.diff greet.json", changedGreet, bye)
	})
}

func TestPinsThatCannotBeWritten(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.home, ".state", "mcp")
		elsewhere := filepath.Join(w.home, "elsewhere")
		w.write(filepath.Join(w.opts.State, "trusted.json"), `{"format":1}`)
		if err := os.Symlink(elsewhere, filepath.Join(w.opts.State, "pins")); err != nil { // no folder can be made there
			t.Fatal(err)
		}
		p := &pinned{w, filepath.Join(w.home, "tools.json")}
		p.define(pinnedGreet, bye)
		w.claude(map[string]any{"hello": stub("changes", stubTools, p.tools)})
		w.open().start()
		fstest.Contains(t, w.untilState("hello", "ready"), "- the pinned definitions of tools cannot be saved, and hold until ctxfs ends: ")
		p.change("bye.json greet.diff greet.json", changedGreet, bye)
		fstest.Contains(t, p.cat("hello/tools/greet.diff"), "id_rsa")
		if _, err := p.p.Accept("hello"); err == nil {
			t.Error("accepted")
		}
		// There is room again.
		if err := os.Mkdir(elsewhere, 0o700); err != nil {
			t.Fatal(err)
		}
		p.change(noDrift, pinnedGreet, bye)
		p.await("they are saved", func() bool {
			return !strings.Contains(p.cat("hello/STATUS.md"), "cannot be saved") && len(p.files()) == 1
		})
	})
}

// TestPinsOfAnotherRendering are compared by what this ctxfs shows of them.
func TestPinsOfAnotherRendering(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPinned(t, pinnedGreet, bye)
		file := p.files()[0]
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mark := fmt.Sprintf(`"rendering":%d`, catalogue.Rendering)
		old := regexp.MustCompile(`"sum":"[0-9a-f]*"`).ReplaceAllString(strings.Replace(string(whole), mark, `"rendering":0`, 1), `"sum":"`+strings.Repeat("0", 64)+`"`)
		if old == string(whole) {
			t.Fatal(old)
		}
		p.write(file, old)
		p.reopen()
		if got := p.ls("hello/tools"); got != noDrift {
			t.Errorf("%s", got)
		}
		p.startAll()
		p.untilState("hello", "ready")
		if now, err := os.ReadFile(file); err != nil || string(now) != string(whole) {
			t.Errorf("%v\n%s\nwas\n%s", err, now, whole)
		}
		p.change("bye.json greet.diff greet.json", changedGreet, bye)
	})
}

func TestPinsOfOtherSources(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPinned(t, pinnedGreet, bye)
		entry := stub("changes", stubTools, p.tools)
		p.define(changedGreet, bye)
		// Another file configures the same server and decides.
		p.settings("[mcp.servers.hello]\ncommand = \"" + os.Args[0] + "\"\n[mcp.servers.hello.env]\n" + stubMode + " = \"changes\"\n" + stubTools + " = \"" + p.tools + "\"\n")
		p.claude(map[string]any{"hello": entry})
		p.reopen().startAll()
		fstest.Contains(t, p.untilState("hello", "ready"), "greet.diff")
		fstest.Contains(t, p.cat("hello/SERVER_METADATA.json"), "config.toml", ".claude.json")
		p.accept("greet")
		if got := p.reopen().ls("hello/tools"); got != noDrift || len(p.files()) != 2 {
			t.Errorf("%s, %v", got, p.files())
		}
	})
}
