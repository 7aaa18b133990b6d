package mcp

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/supervise"
)

// TestNewsWithoutEnd has a server that always says that its list has changed.
// It is asked, but more and more seldom.
func TestNewsWithoutEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Settle, w.opts.timing.Calm = 50*time.Millisecond, time.Hour
		journal, count := w.journal()
		w.claude(map[string]any{"storm": stub("storm", stubJournal, journal)})
		begun := time.Now()
		w.open().start()
		w.await("six lists", func() bool { return count("tools/list") >= 6 })
		if took, least := time.Since(begun), (50+100+200+400+800)*time.Millisecond; took < least {
			t.Errorf("six lists took %v, not %v", took, least)
		}
	})
}

// TestCloseIsBounded, for all servers together, where none heeds its end.
func TestCloseIsBounded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.slot = time.Millisecond
		servers := map[string]any{}
		for i := range 6 {
			servers[fmt.Sprint("s", i)] = stub("heedless", "N", fmt.Sprint(i))
		}
		w.claude(servers)
		w.open().start()
		for name := range servers {
			w.untilState(name, "ready")
		}
		begun := time.Now()
		if err := w.p.Close(); err != nil {
			t.Fatal(err)
		}
		timing := w.opts.timing
		if took, least := time.Since(begun), timing.Grace.EOF+timing.Grace.Term+timing.Grace.Kill; took < least || took > least+time.Second {
			t.Errorf("closing took %v, not %v", took, least)
		}
	})
}

func TestCloseDuringTheWait(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) { // tries again after an hour
		w.claude(map[string]any{"dies": stub("dies-at-start")})
		w.open().start()
		w.untilState("dies", "error")
		if err := errors.Join(w.p.Close(), w.p.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestRestartInterrupts(t *testing.T) {
	for _, mode := range []string{"silent", "hangs-later"} {
		t.Run(mode, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.timing.Start = time.Hour
				journal, count := w.journal()
				w.claude(map[string]any{"stub": stub(mode, stubJournal, journal)})
				w.open().start()
				want := map[string]string{"silent": "start", "hangs-later": "tools/list"}[mode]
				for i := range 3 {
					w.await(want, func() bool { return count(want) == i+1 })
					if err := w.p.Restart("stub"); err != nil {
						t.Fatal(err)
					}
				}
				w.await("the last start", func() bool { return count("start") >= 4 })
			})
		})
	}
}

// TestEverythingAtOnce reloads, restarts and reads while servers come and go,
// and closes in the midst of it.
func TestEverythingAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Retry, w.opts.timing.RetryMax = time.Millisecond, time.Millisecond
		configurations := []map[string]any{
			{"a": stub("ok"), "b": stub("dies-after-handshake")},
			{"a": stub("ok", "N", "2"), "c": stub("silent")},
			{"a": stub("ok"), "d": map[string]any{"command": "x", "disabled": true}},
			{},
		}
		w.claude(configurations[0])
		w.open().start()
		var all sync.WaitGroup
		all.Go(func() {
			for i := range 12 {
				w.claude(configurations[i%len(configurations)])
				w.p.Reload()
			}
		})
		for range 2 {
			all.Go(func() {
				for range 200 {
					_ = w.p.Restart("") // some cannot be
					w.p.Status()
					for range w.p.Documents("") {
					}
					_, _ = w.read("a/STATUS.md") // it comes and goes
				}
			})
		}
		all.Wait()
		w.claude(configurations[0])
		w.p.Reload()
		if err := w.p.Restart("a"); err != nil { // one whose tools are known waits for its use
			t.Error(err)
		}
		w.untilState("a", "ready")
		all.Go(w.p.Reload)
		all.Go(func() { _ = w.p.Restart("") }) // it may be closed already
		if err := w.p.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	})
}

// TestTwoOverOneCache has two providers, as two daemons have that were started
// with different runtime folders, write the same cache files.
func TestTwoOverOneCache(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tools := w.write("tools.json", `[{"name":"one"}]`)
		w.claude(map[string]any{"stub": stub("changes", stubTools, tools)})
		w.open().start()
		other := &world{t: t, home: w.home, dir: w.dir, opts: w.opts, programs: w.programs, settle: w.settle, pass: w.pass}
		other.opts.Env.Changed = other.changed
		other.open().start()
		// What is cached starts only when it is used.
		for _, w := range []*world{w, other} {
			if err := w.p.Restart("stub"); err != nil {
				t.Fatal(err)
			}
			w.untilState("stub", "ready")
		}
		for i := range 5 {
			name := fmt.Sprintf("tool%d", i)
			w.write(tools, fmt.Sprintf(`[{"name":%q}]`, name))
			for _, w := range []*world{w, other} {
				w.await(name, func() bool { return w.ls("stub/tools") == name+".json" })
			}
		}
		if err := other.p.Close(); err != nil {
			t.Fatal(err)
		}
		w.reopen()
		if got := w.ls("stub/tools"); got != "tool4.json" {
			t.Errorf("the cache has %s", got)
		}
	})
}

// TestNoPipe: a server whose process cannot be started for lack of descriptors says so, in
// whichever era it is spoken to.
func TestNoPipe(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.Spawn = func(supervise.Command) (*supervise.Program, error) { return nil, syscall.EMFILE }
		w.claude(map[string]any{"hello": stub("ok")})
		w.open().start()
		w.untilState("hello", "error")
		fstest.Contains(t, w.cat("hello/STATUS.md"), "too many open files")
	})
}

// breaking is an output of a program that breaks who reads it.
type breaking struct{ io.ReadCloser }

func (breaking) Read([]byte) (int, error) { panic("the moon is square") }

// TestServerInACell: a server that makes a part of ctxfs panic fails alone, says so, and is
// started again.
func TestServerInACell(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var broken atomic.Bool
		broken.Store(true)
		w.opts.Spawn = func(c supervise.Command) (*supervise.Program, error) {
			p, err := w.programs.spawn(c)
			if err == nil && broken.Load() && slices.Contains(c.Env, "BREAKS=1") {
				p.Stdout = breaking{p.Stdout}
			}
			return p, err
		}
		w.claude(map[string]any{"odd": stub("ok", "BREAKS", "1"), "other": stub("ok")})
		w.open().start()
		w.untilState("odd", "error")
		w.untilState("other", "ready")
		fstest.Contains(t, w.cat("odd/STATUS.md"), "a fault of ctxfs itself", "the moon is square")
		if faults := cell.Faults(); !slices.ContainsFunc(faults, func(f cell.Fault) bool { return strings.Contains(f.Place, "breaking.Read") }) {
			t.Errorf("faults that are told: %v", faults)
		}
		broken.Store(false)
		fstest.Must(t, w.p.Restart("odd"))
		w.untilState("odd", "ready")
	})
}
