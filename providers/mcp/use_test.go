package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/instance"
)

// ask reads a resource of a server in a use of its own.
func (w *world) ask(server, uri string) (string, error) {
	session, err := w.use(context.Background(), server, instance.Waiting{})
	if err != nil {
		return "", err
	}
	defer session.Release()
	result, err := session.Request(context.Background(), "resources/read", map[string]any{"uri": uri})
	return string(result), err
}

func wantText(t *testing.T, result string, err error, uri string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	fstest.Contains(t, result, `"the text of `+uri+`"`)
}

// TestIdle has a server end that nobody uses, and start again for who does.
func TestIdle(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.settings("[mcp]\nidle_timeout = \"20ms\"\n")
		w.claude(map[string]any{"stub": stub("ok", stubJournal, journal)})
		w.open().start()
		w.await("a start", func() bool { return count("start") == 1 })
		fstest.Contains(t, w.untilState("stub", "cached"), "1 tool", "- it was stopped because it was not used, and starts again when it is")
		fstest.Contains(t, w.cat("INDEX.md"), "stub/greet")

		session, err := w.use(context.Background(), "stub", instance.Waiting{})
		if err != nil {
			t.Fatal(err)
		}
		w.untilState("stub", "ready")
		result, err := session.Request(context.Background(), "resources/read", map[string]any{"uri": "a:b"})
		wantText(t, string(result), err, "a:b")
		session.Release()
		session.Release()
		w.untilState("stub", "cached")
		if n := count("start"); n != 2 {
			t.Errorf("it was started %d times", n)
		}

		// While it is used it goes on, whatever the time.
		if session, err = w.use(context.Background(), "stub", instance.Waiting{}); err != nil {
			t.Fatal(err)
		}
		timer := time.NewTimer(100 * time.Millisecond)
		<-timer.C
		fstest.Contains(t, w.cat("stub/STATUS.md"), "state: ready\n")
		session.Release()
		w.untilState("stub", "cached")

		// For ever, from now on.
		w.settings("[mcp]\nidle_timeout = \"0\"\n")
		w.p.Reload()
		if err := w.p.Restart("stub"); err != nil {
			t.Fatal(err)
		}
		w.untilState("stub", "ready")
		timer.Reset(100 * time.Millisecond)
		<-timer.C
		fstest.Contains(t, w.cat("stub/STATUS.md"), "state: ready\n")
		w.settings("[mcp]\nidle_timeout = \"20ms\"\n")
		w.p.Reload()
		w.untilState("stub", "cached")
	})
}

// TestUse has many users at once of a server that was never started, without
// any other being started.
func TestUse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{
			"stub":    stub("ok", stubJournal, journal),
			"other":   stub("ok", stubJournal, journal, "N", "2"),
			"off":     map[string]any{"command": "x", "disabled": true},
			"dies":    stub("dies-at-start"),
			"unset":   map[string]any{"command": "${NO_SUCH_THING}"},
			"missing": map[string]any{"command": "no-such-command"},
		})
		w.open()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				uri := fmt.Sprint("stub:", i)
				result, err := w.ask("stub", uri)
				wantText(t, result, err, uri)
			})
		}
		all.Wait()
		if n := count("start"); n != 1 {
			t.Errorf("%d servers were started", n)
		}
		fstest.Contains(t, w.cat("other/STATUS.md"), "state: stopped\n")

		for server, want := range map[string]string{
			"off":     "server off (disabled): ctxfs does not start it",
			"dies":    "server dies (error): it exited with status 3, before it answered",
			"unset":   "server unset (unresolved-variable): ",
			"missing": `the command "no-such-command" was not found`,
			"stup":    `no server is called "stup"; did you mean "stub"?`,
		} {
			if _, err := w.ask(server, "x"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", server, err)
			}
		}
		w.start() // the others; it goes on
		w.untilState("other", "ready")
		w.untilState("dies", "error")
		if n := count("start"); n != 2 {
			t.Errorf("%d servers were started", n)
		}
	})
}

// TestUseOfAServerThatFailed has the next use try again at once.
func TestUseOfAServerThatFailed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) { // tries again after an hour
		fault := w.write("fault", "not yet\n")
		w.claude(map[string]any{"stub": stub("ok", stubFault, "fault")})
		w.open().start()
		w.untilState("stub", "error")
		if err := os.Remove(fault); err != nil {
			t.Fatal(err)
		}
		result, err := w.ask("stub", "a:b")
		wantText(t, result, err, "a:b")
	})
}

func TestUseEndsWithItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"silent": stub("silent"), "hangs": stub("hangs-in-request")})
		w.open()
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := w.use(ctx, "silent", instance.Waiting{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		session, err := w.use(context.Background(), "hangs", instance.Waiting{})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Release()
		asking, stop := context.WithCancel(context.Background())
		stop()
		if _, err := session.Request(asking, "resources/read", map[string]any{"uri": "x"}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		fstest.Contains(t, w.cat("hangs/STATUS.md"), "state: ready\n")
	})
}

// TestChaosInRequests has servers that misbehave while they are used: no
// answer is another's, and the next use finds a server.
func TestChaosInRequests(t *testing.T) {
	t.Run("dies-in-request", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.claude(map[string]any{"stub": stub("dies-in-request")})
			w.open().start()
			for range 2 {
				if _, err := w.ask("stub", "x"); err == nil || !strings.Contains(err.Error(), "it exited with status 4") {
					t.Error(err)
				}
				fstest.Contains(t, w.untilState("stub", "error"), "what a request", "exited with status 4")
			}
		})
	})
	t.Run("hangs-in-request", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.opts.timing.Call = 50 * time.Millisecond
			w.claude(map[string]any{"stub": stub("hangs-in-request")})
			w.open().start()
			w.untilState("stub", "ready")
			if _, err := w.ask("stub", "x"); err == nil || !strings.Contains(err.Error(), "no answer within 0.05 s") {
				t.Error(err)
			}
		})
	})
	t.Run("huge-answer", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.claude(map[string]any{"stub": stub("huge-answer")})
			w.open().start()
			if _, err := w.ask("stub", "x"); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
				t.Error(err)
			}
			fstest.Contains(t, w.untilState("stub", "error"), "more than 256 MiB")
		})
	})
	t.Run("late", func(t *testing.T) { // when nobody waits for it any more
		inWorld(t, func(t *testing.T, w *world) {
			journal, count := w.journal()
			w.claude(map[string]any{"stub": stub("out-of-order", stubJournal, journal)})
			w.open().start()
			session, err := w.use(context.Background(), "stub", instance.Waiting{})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Release()
			for i := range 3 {
				asking, stop := context.WithCancel(context.Background())
				failed := make(chan error)
				go func() {
					_, err := session.Request(asking, "resources/read", map[string]any{"uri": "x:late"})
					failed <- err
				}()
				w.await("the request", func() bool { return count("resources/read") == 2*i+1 })
				stop()
				if err := <-failed; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				result, err := session.Request(context.Background(), "resources/read", map[string]any{"uri": "x:next"})
				wantText(t, string(result), err, "x:next")
			}
			w.untilState("stub", "ready")
		})
	})
	for _, mode := range []string{"twice", "out-of-order", "notifies-first", "banner"} {
		t.Run(mode, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.claude(map[string]any{"stub": stub(mode)})
				w.open().start()
				var all sync.WaitGroup
				for i := range 20 {
					all.Go(func() {
						uri := fmt.Sprint("x:", i)
						result, err := w.ask("stub", uri)
						wantText(t, result, err, uri)
					})
				}
				all.Wait()
				w.untilState("stub", "ready")
			})
		})
	}
}

// TestUseOfAServerThatWasKilled has nobody notice yet that it has ended.
func TestUseOfAServerThatWasKilled(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) { // tries again after an hour
		w.claude(map[string]any{"stub": stub("ok")})
		w.open().start()
		w.untilState("stub", "ready")
		for range 5 {
			conn := w.p.All()[0].Instances()[0].Connection()
			w.programs.kill(conn.Process.Group())
			<-conn.Lost
			result, err := w.ask("stub", "a:b")
			wantText(t, result, err, "a:b")
		}
	})
}
