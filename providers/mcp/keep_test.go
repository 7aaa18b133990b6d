package mcp

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
)

func (w *world) keep(server, uri string) {
	w.t.Helper()
	if _, err := w.p.KeepResource(context.Background(), server, uri); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) untilText(path, want string) {
	w.t.Helper()
	w.await(path+" is "+want, func() bool { text, err := w.read(path); return err == nil && text == want })
}

// TestKeep has a resource stay current, over errors and restarts, until it is
// forgotten.
func TestKeep(t *testing.T) {
	for _, mode := range []string{"subscribes", "modern-subscribes"} {
		t.Run(mode, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				const path = "stub/resources/one.content.md"
				w := newWorld(t)
				journal, count := w.journal()
				text := w.write("text", "first \x1b[31mtext")
				w.settings("[mcp]\nidle_timeout = \"20ms\"\n")
				w.claude(map[string]any{"stub": stub(mode, stubText, text, stubJournal, journal)})
				w.open()
				w.keep("stub", "one")
				if got := w.cat(path); got != "first text" {
					t.Errorf("%q", got)
				}
				if got := w.ls("stub/resources"); got != "one.content.md one.json" {
					t.Error(got)
				}
				first := w.stat(path)
				w.await("it is read once more, and subscribed to", func() bool { // in any order
					return count("resources/read") >= 2 && count("resources/subscribe")+count("subscriptions/listen") >= 1
				})
				if got := w.stat(path); got != first {
					t.Errorf("%v, was %v", got, first)
				}

				w.drain()
				w.write(text, "second text")
				w.untilText(path, "second text")
				w.await("it is told", func() bool { return slices.Contains(w.drain(), "stub/resources") })
				if got := w.stat(path); !got.ModTime.After(first.ModTime) {
					t.Errorf("%v, was %v", got, first)
				}
				second := w.stat(path)

				w.write(text, "broken")
				w.await("the note", func() bool { return strings.Contains(w.cat("stub/STATUS.md"), "the disk is full") })
				fstest.Contains(t, w.cat("stub/STATUS.md"), "state: ready\n", "- the kept resource stub://one could not be read again, what was known before is shown: ")
				if got := w.stat(path); got != second || w.cat(path) != "second text" {
					t.Errorf("%v, was %v", got, second)
				}
				w.write(text, "second text")
				w.await("the note is gone", func() bool { return !strings.Contains(w.cat("stub/STATUS.md"), "kept") })
				timer := time.NewTimer(100 * time.Millisecond) // several times as long as it may be idle
				<-timer.C
				fstest.Contains(t, w.cat("stub/STATUS.md"), "state: ready\n")

				// Shown without a server, then read again by the next one.
				w.opts.Watch = false
				w.reopen()
				if got := w.stat(path); !got.ModTime.Equal(second.ModTime) || w.cat(path) != "second text" {
					t.Errorf("%v, was %v", got, second)
				}
				if err := w.p.ForgetResource("stub", "one"); err == nil {
					t.Error("it was forgotten offline")
				}
				w.write(text, "third text")
				w.opts.Watch = true
				w.reopen().start() // a server with kept resources starts by itself
				w.untilText(path, "third text")
				w.write(text, "fourth text")
				w.untilText(path, "fourth text")

				if err := w.p.ForgetResource("stub", "one"); err != nil {
					t.Fatal(err)
				}
				if got := w.ls("stub/resources"); got != "one.json" {
					t.Error(got)
				}
				w.untilState("stub", "cached") // nobody uses it
				if mode == "subscribes" && (count("resources/subscribe") != 2 || count("resources/unsubscribe") > 1) {
					t.Errorf("%d subscriptions, %d ended", count("resources/subscribe"), count("resources/unsubscribe"))
				}
				if err := w.p.ForgetResource("stub", "stub://one"); err == nil || !strings.Contains(err.Error(), "not kept") {
					t.Error(err)
				}
				w.reopen()
				if got := w.ls("stub/resources"); got != "one.json" {
					t.Error(got)
				}
			})
		})
	}
}

// TestKeepOfWhatIsNotListed has a server that lists nothing and announces nothing.
func TestKeepOfWhatIsNotListed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"stub": stub("ok", stubJournal, journal)})
		w.open().start()
		w.keep("stub", "a:b")
		w.keep("stub", "a/b")
		if got := w.ls("stub/resources"); got != "a_b.content.txt a_b~2.content.txt" {
			t.Error(got)
		}
		fstest.Contains(t, w.cat("stub/resources/a_b~2.content.txt"), "the text of a:b")
		if count("resources/subscribe") != 0 {
			t.Error("it was subscribed to")
		}
		w.claude(map[string]any{})
		w.p.Reload()
		w.await("the cache is empty", func() bool { return len(w.cache().Kept(catalogue.KeysOf(stubOf(w, "stub")))) == 0 })
	})
}

func stubOf(w *world, name string) *config.Server {
	return &config.Server{Source: config.Source{Name: name, File: w.home + "/.claude.json"}}
}
