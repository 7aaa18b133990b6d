package mcp

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestAServerAppears(t *testing.T) {
	w := realWorld(t)
	w.claude(map[string]any{"hello": stub("ok")})
	w.open()
	fstest.Contains(t, w.cat("hello/STATUS.md"), "state: stopped\n")
	if got := w.ls("hello"); got != "SERVER_METADATA.json STATUS.md prompts resources tools" {
		t.Errorf("before the start: %s", got)
	}
	w.start()
	status := w.untilState("hello", "ready")
	fstest.Contains(t, status, "since: ", "catalogue: ", ", 1 tool, 0 resources, 0 prompts\n")
	if got := w.ls("hello"); got != "INSTRUCTIONS.md SERVER_METADATA.json SIGNATURES.md STATUS.md prompts resources tools" {
		t.Errorf("files: %s", got)
	}
	want := `{"server":"hello","call":"ctxfs call hello greet",
"name":"greet",
"description":"Says hello. Politely.",
"arguments":{"type":"object","properties":{
"who":{"type":"string","description":"Whom"}}}}
`
	if got := w.cat("hello/tools/greet.json"); got != want {
		t.Errorf("the tool: %s", got)
	}
	fstest.Contains(t, w.cat("hello/SIGNATURES.md"), "# hello: what its tools take\n", "\n## 1 tool: ctxfs call hello TOOL --name value\n\ngreet(who?) — Says hello.\n")
	fstest.Contains(t, w.cat("hello/INSTRUCTIONS.md"), "Use the stub. With care.\n")
	fstest.Contains(t, w.cat("hello/SERVER_METADATA.json"), `"name": "hello"`, `"server": "stub"`, `"version": "1.2.3"`,
		`"protocol": "2025-06-18"`, `"client": "claude-code"`, `.claude.json"`)
	fstest.Contains(t, w.cat("INDEX.md"), "hello/greet — Says hello.\n")
	fstest.ContainsNot(t, w.cat("INDEX.md"), "not ready")
	if s := w.p.Status(); s.State != "ready" || s.Summary != "1 server, 1 tool" || s.Items[0].About != "Use the stub." {
		t.Errorf("status: %+v", s)
	}
}

func TestServersThatFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const secret = "hunter2-hunter2"
		w := newWorld(t)
		w.settings("[mcp.servers.silent]\nstart_timeout = 1\n[mcp.servers.garbage]\nstart_timeout = 1\n[mcp.servers.long]\nstart_timeout = 1\n")
		w.claude(map[string]any{
			"dies":    stub("dies-at-start", "STUB_SECRET", secret),
			"silent":  stub("silent"),
			"garbage": stub("garbage", "STUB_SECRET", secret),
			"long":    stub("long-garbage", "STUB_SECRET", secret),
			"lost":    map[string]any{"command": "no-such-program-here"},
			"nolist":  stub("no-list"),
			"mute":    stub("mute"),
			"endless": stub("endless-line"),
			"leaky":   stub("ok", stubFault, "leak"),
			"broken":  stub("ok", stubFault, "npx"),
		})
		// Of secrets in its standard error that no entry names, the rest is shown.
		w.write("leak", "cannot connect with DB_PASSWORD=stderr-pw-1\nmysql -pstderr-pw-2 failed\n")
		// As node says it of an installation by npx.
		w.write("npx", "Error: Cannot find module 'ajv'\nRequire stack:\n- "+w.write(".npm/_npx/0123456789abcdef/node_modules/server/index.js", "")+"\n")
		w.open().start()
		fstest.Contains(t, w.untilState("dies", "error"), "exited with status 3", "ctxfs restart dies", "STUB_TOKEN is missing, not ***", "next try: ",
			"its last output: fatal: the variable STUB_TOKEN is missing, not ***\n")
		fstest.Contains(t, w.untilState("silent", "error"), "error: no answer within 1 s")
		fstest.Contains(t, w.untilState("garbage", "error"), "error: no answer ", " 1 s; ", "only messages of the protocol belong, such as \"loading modules, password is ***")
		fstest.ContainsNot(t, w.untilState("long", "error"), secret[:6]) // not a piece of it either
		fstest.Contains(t, w.untilState("lost", "error"), `"no-such-program-here" was not found in PATH`, "fix: install it")
		fstest.Contains(t, w.untilState("nolist", "error"), "fetch failed")
		fstest.Contains(t, w.untilState("mute", "error"), "error: the server has closed its standard output and runs on\n")
		fstest.ContainsNot(t, w.cat("mute/STATUS.md"), "tools/list failed")
		fstest.Contains(t, w.untilState("endless", "error"), "error: it wrote a message of more than 256 MiB")
		fstest.Contains(t, w.untilState("leaky", "error"), "cannot connect with DB_PASSWORD=[REDACTED:password]")
		fstest.ContainsNot(t, w.cat("leaky/STATUS.md"), "stderr-pw")
		fstest.Contains(t, w.untilState("broken", "error"),
			"error: the installation of its package by npx is broken (it exited with status 1, before it answered; its last output: Error: Cannot find module 'ajv')\n",
			"fix: rm -rf ~/.npm/_npx/0123456789abcdef, then: ctxfs restart broken\n")
		for _, server := range []string{"dies", "garbage"} {
			fstest.ContainsNot(t, w.cat(server+"/STATUS.md"), secret, "\x1b", "\u202e")
		}
		s := w.p.Status()
		if s.State != "degraded" || len(s.Problems) != 10 || s.Problems[0].Mend == "" {
			t.Errorf("status: %+v", s)
		}
		fstest.Contains(t, w.cat("INDEX.md"), "- dies: error: it exited with status 3")
	})
}

func TestOddServersThatWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{
			"banner": stub("banner"),
			"strict": stub("strict", stubJournal, journal),
			"pages":  stub("pages"),
			"plain":  stub("no-templates"), // it has resources and prompts, and does not know all their lists
			"loud":   stub("loud"),
			"shy":    stub("ignores"), // the probe for the new era
		})
		w.opts.timing.Discover = 50 * time.Millisecond
		w.open().start()
		fstest.Contains(t, w.untilState("banner", "ready"), "2 lines of text on its standard output", "Welcome to the stub server!")
		w.untilState("strict", "ready")
		if got := count("start"); got != 2 {
			t.Errorf("the strict server was started %d times, not 2", got)
		}
		fstest.Contains(t, w.untilState("pages", "ready"), "repeats a page", "3 tools")
		fstest.Contains(t, w.untilState("plain", "ready"), "1 tool, 1 resource, 0 prompts")
		fstest.ContainsNot(t, w.cat("plain/STATUS.md"), "failed")
		w.untilState("loud", "ready")
		w.untilState("shy", "ready")

		// The era is remembered: one start, no probe.
		w.reopen().startAll()
		w.untilState("strict", "ready")
		if starts, probes := count("start"), count("server/discover"); starts != 3 || probes != 1 {
			t.Errorf("after a restart: %d starts, %d probes, not 3 and 1", starts, probes)
		}
	})
}

// TestAServerThatBeginsLate answers the probe when it was given up and the handshake of
// the old era has begun: all that the new era has is there nevertheless.
func TestAServerThatBeginsLate(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Discover = 50 * time.Millisecond
		journal, count := w.journal()
		w.claude(map[string]any{"late": stub("modern-late", stubJournal, journal)})
		w.open().start()
		w.untilState("late", "ready")
		fstest.Contains(t, w.cat("late/SERVER_METADATA.json"), `"protocol": "2026-07-28"`)
		if starts, probes, old := count("start"), count("server/discover"), count("initialize"); starts != 2 || probes != 2 || old != 1 {
			t.Errorf("%d starts, %d probes and %d handshakes of the old era", starts, probes, old)
		}
		w.opts.timing.Discover = patience
		w.reopen().startAll()
		w.untilState("late", "ready")
		if starts, old := count("start"), count("initialize"); starts != 3 || old != 1 {
			t.Errorf("after a restart: %d starts and %d handshakes of the old era", starts, old)
		}
	})
}

func TestADeadServerIsStartedAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Retry = time.Millisecond
		w.opts.timing.RetryMax = 4 * time.Millisecond
		journal, count := w.journal()
		w.claude(map[string]any{"mortal": stub("dies-after-handshake", stubJournal, journal)})
		w.open().start()
		w.await("three starts", func() bool { return count("start") >= 3 })
		fstest.Contains(t, w.untilState("mortal", "error"), "exited with status 4", "that is all for today")
		fstest.Contains(t, w.cat("INDEX.md"), "mortal/greet — ")
	})
}

func TestRestart(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tools := w.write("tools.json", `[{"name":"one"}]`)
		w.claude(map[string]any{"a.b": stub("ok", stubTools, tools), "off": map[string]any{"command": "x", "disabled": true}})
		w.open()
		// Also where nothing was started, as in a process for one call.
		if err := w.p.Restart("a.b"); err != nil {
			t.Fatal(err)
		}
		w.untilState("a_b", "ready")
		w.start()
		for i, name := range []string{"a.b", "a_b", ""} {
			tool := "tool" + strconv.Itoa(i)
			w.write(tools, `[{"name":"`+tool+`"}]`)
			if err := w.p.Restart(name); err != nil {
				t.Fatal(err)
			}
			w.await(tool, func() bool { return w.ls("a_b/tools") == tool+".json" })
		}
		for name, want := range map[string]string{"a_c": `did you mean "a_b"?`, "off": "is disabled"} {
			if err := w.p.Restart(name); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Restart(%q): %v", name, err)
			}
		}
	})
}

func TestListChanged(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tools := w.write("tools.json", `[{"name":"one"},{"name":"two"}]`)
		w.claude(map[string]any{"stub": stub("changes", stubTools, tools)})
		w.open().start()
		w.untilState("stub", "ready")
		one, two := w.stat("stub/tools/one.json"), w.stat("stub/tools/two.json")
		w.drain()

		w.write(tools, `[{"name":"one"},{"name":"two","description":"Now with words."}]`)
		w.await("the change", func() bool { return strings.Contains(w.cat("stub/tools/two.json"), "words") })
		if got := w.stat("stub/tools/one.json"); got != one {
			t.Errorf("the tool that is as it was: %v, was %v", got, one)
		}
		if got := w.stat("stub/tools/two.json"); got.Version == two.Version || !got.ModTime.After(two.ModTime) {
			t.Errorf("the tool that changed: %v, was %v", got, two)
		}
		w.await("the news", func() bool { return strings.Contains(w.cat("INDEX.md"), "Now with words.") })
		w.mu.Lock()
		changes := strings.Join(w.changes, " ")
		w.mu.Unlock()
		fstest.Contains(t, changes, "stub/tools")
		fstest.ContainsNot(t, changes, "stub/prompts", "stub/resources", "stub/SERVER_METADATA.json")

		// Equal content, spelled otherwise, changes nothing.
		w.drain()
		folder, listed := w.stat("stub/tools"), w.p.All()[0].Summary().Catalogue
		w.write(tools, `[ {"name":"one"}, {"name":"two","description":"Now with words."} ]`)
		w.await("another list", func() bool {
			return w.p.All()[0].Summary().Catalogue.After(listed)
		})
		if got := w.stat("stub/tools"); got != folder {
			t.Errorf("the folder: %v, was %v", got, folder)
		}
	})
}

func TestTheNewEra(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		tools := w.write("tools.json", `[{"name":"one"}]`)
		w.claude(map[string]any{"stub": stub("modern", stubTools, tools, stubJournal, journal)})
		w.open().start()
		w.untilState("stub", "ready")
		fstest.Contains(t, w.cat("stub/SERVER_METADATA.json"), `"protocol": "2026-07-28"`, `"server": "modern stub"`)
		w.await("the subscription", func() bool { return count("subscriptions/listen") == 1 })
		w.write(tools, `[{"name":"two"}]`)
		w.await("the change", func() bool { return w.ls("stub/tools") == "two.json" })
		if got := count("initialize"); got != 0 {
			t.Errorf("%d requests to initialize", got)
		}
	})
}

func TestNoProcessIsLeft(t *testing.T) {
	w := realWorld(t)
	journal, _ := w.journal()
	w.claude(map[string]any{"launcher": stub("grandchild", stubJournal, journal)})
	w.open().start()
	w.untilState("launcher", "ready")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "grandchild ")
	pid, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := w.p.Close(); err != nil {
		t.Fatal(err)
	}
	untilDead(t, pid)
}

// untilDead waits for the end of a process whose parent is not this one.
func untilDead(t *testing.T, pid int) {
	t.Helper()
	// Nobody is told of the end of a process that is not its child.
	if !fstest.Becomes(func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) }) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended this moment
		t.Fatalf("process %d is alive", pid)
	}
}

// zombie reports whether a process has ended and waits for its parent.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}
