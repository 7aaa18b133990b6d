package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// TestACachedServerStartsWhenItIsUsed has no server start with the provider
// whose catalogue is known, and every kind of use start it.
func TestACachedServerStartsWhenItIsUsed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		entry := stub("calls", stubJournal, journal)
		w.claude(map[string]any{"stub": entry})
		w.open().start()
		w.untilState("stub", "ready")
		starts := count("start")
		for use, it := range map[string]func() error{
			"call": func() error {
				_, err := w.p.Call(context.Background(), calls.Call{Server: "stub", Tool: "echo", Arguments: []byte(`{"text":"x"}`)})
				return err
			},
			"use":     func() error { _, err := w.use(context.Background(), "stub", instance.Waiting{}); return err },
			"restart": func() error { return w.p.Restart("stub") },
			"all":     func() error { return w.p.Restart("") },
		} {
			w.reopen().start()
			fstest.Contains(t, w.untilState("stub", "cached"), "catalogue: taken at 20", "\n- known from an earlier run, and not running: its first call starts it\n")
			w.p.Reload()
			fstest.Contains(t, w.cat("stub/STATUS.md"), "state: cached\n")
			if n := count("start"); n != starts {
				t.Fatalf("%s: it was started %d times before it was used", use, n-starts)
			}
			if err := it(); err != nil {
				t.Errorf("%s: %v", use, err)
			}
			w.untilState("stub", "ready")
			if starts++; count("start") != starts {
				t.Errorf("%s: %d starts", use, count("start")-starts+1)
			}
		}
		if s := w.p.Status(); s.State != "ready" {
			t.Errorf("%+v", s)
		}

		// Another command, or other settings: the catalogue may be another one.
		for i, change := range []func(){
			func() { entry["args"] = []string{"--other"} },
			func() { entry["env"].(map[string]string)["OTHER"] = "x" },
		} {
			if err := w.p.Close(); err != nil {
				t.Fatal(err)
			}
			change()
			w.claude(map[string]any{"stub": entry})
			w.open().start()
			w.untilState("stub", "ready")
			if starts++; count("start") != starts {
				t.Errorf("change %d: %d starts", i, count("start")-starts+1)
			}
		}
	})
}

// TestServersStartInTurn starts servers whose catalogue is not known few at a
// time, and one that is called before all of them.
func TestServersStartInTurn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.slot = patience
		journal, count := w.journal()
		servers := make(map[string]any)
		for i := range 8 {
			servers[fmt.Sprint("silent", i)] = stub("silent", stubJournal, journal, "N", fmt.Sprint(i))
		}
		servers["zoo"] = stub("ok") // the last one
		w.claude(servers)
		w.open().start()
		w.await("the first starts", func() bool { return count("start") >= 2 })
		result, err := w.ask("zoo", "x:y")
		wantText(t, result, err, "x:y")
		if n := count("start"); n > max(2, 2*len(servers)/8) {
			t.Errorf("%d start at once", n)
		}
		w.await("the others wait", func() bool { // whichever were the first
			waiting := 0
			for i := range 8 {
				if strings.Contains(w.cat(fmt.Sprintf("silent%d/STATUS.md", i)), "it waits for its turn") {
					waiting++
				}
			}
			return waiting >= 6
		})
	})
}

// TestInstalling: a first start that installs is reported as such, and outlives its
// callers.
func TestInstalling(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Start = 3 * time.Second // which it takes much longer than
		_, count := w.journal()
		entry := stub("installs", stubDir, w.dir)
		entry["args"] = []string{"npx", "-y", "some-server"}
		w.claude(map[string]any{"slow": entry})
		w.open().start()
		var text string
		w.await("it installs", func() bool {
			text = w.cat("slow/STATUS.md")
			return strings.HasPrefix(text, "state: installing\n") && strings.Contains(text, "last said: fetching part ")
		})
		fstest.Contains(t, text, "install_timeout")
		fstest.Contains(t, w.cat("INDEX.md"), "- slow: installing")
		if s := w.p.Status(); s.State != "starting" || !w.p.Busy() {
			t.Errorf("%+v", s)
		}

		// A caller sees the progress, and waits only as long as it wants to.
		told := make(chan string, 100)
		begun := time.Now()
		_, err := w.p.Call(context.Background(), calls.Call{Server: "slow", Tool: "echo", Timeout: 5 * time.Second, Progress: func(p wire.Progress) { told <- p.Message }})
		if err == nil || calls.Outcome(nil, err) != calls.OutcomeTimeout || !strings.Contains(err.Error(), "server slow (installing): it is still installing, and continues; it last said: fetching part ") {
			t.Error(err)
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("the call took %v", took)
		}
		if message := <-told; !strings.HasPrefix(message, "installing: fetching part ") {
			t.Error(message)
		}
		w.write(filepath.Join(w.dir, "go"), "")
		w.untilState("slow", "ready")
		if n := count("begun"); n != 1 {
			t.Errorf("%d installations", n)
		}
	})
}

// TestAnInstallationOutlivesCtxfs: the end of ctxfs neither waits for it nor ends it, and
// the next start of the package waits.
func TestAnInstallationOutlivesCtxfs(t *testing.T) {
	w := realWorld(t)
	_, count := w.journal()
	entry := stub("calls")
	script := fmt.Sprintf(`npx() { cd %q; echo begun >>journal; until [ -e go ]; do sleep 0.1; done; echo installed >>journal; exec %q; }; npx -y some-server`, w.dir, entry["command"])
	entry["command"], entry["args"] = "sh", []string{"-c", script}
	w.claude(map[string]any{"slow": entry})
	w.open().start()
	w.await("it has begun", func() bool { return count("begun") == 1 })
	w.reopen().start()
	w.await("the next start waits", func() bool {
		return strings.Contains(w.cat("slow/STATUS.md"), "it waits until another start of the same package is over")
	})
	if n := count("begun"); n != 1 {
		t.Errorf("%d installations at once", n)
	}
	w.write(filepath.Join(w.dir, "go"), "")
	w.untilState("slow", "ready")
	if n := count("installed"); n != 2 {
		t.Errorf("%d installations came to their end", n)
	}
}

// TestAnInstallationThatIsRestarted is ended gently. The last one is left to
// finish, as ctxfs ends while it is under way.
func TestAnInstallationThatIsRestarted(t *testing.T) {
	w := realWorld(t)
	// Its progress is a process every tenth of a second, on a busy machine much less.
	w.opts.timing.Grace.Term, w.opts.timing.Grace.Work = patience, patience
	_, count := w.journal()
	script := fmt.Sprintf(`npx() { sh -c 'trap "stop=1" TERM; cd %q; echo begun >>journal
		while [ -z "$stop" ] && ! [ -e go ]; do sleep 0.1; done
		[ -e go ] || { sleep 0.1; echo undone >>journal; }'; }; npx -y some-server; true`, w.dir)
	w.claude(map[string]any{"slow": map[string]any{"command": "sh", "args": []string{"-c", script}}})
	w.open().start()
	for i := range 2 {
		w.await("it has begun", func() bool { return count("begun") == i+1 })
		if err := w.p.Restart("slow"); err != nil {
			t.Fatal(err)
		}
		w.await("it has undone what it had done", func() bool { return count("undone") == i+1 })
	}
	w.await("it has begun again", func() bool { return count("begun") == 3 })
	if err := w.p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count("undone"); n != 2 {
		t.Errorf("%d were ended", n)
	}
	w.write(filepath.Join(w.dir, "go"), "")
}
