package transcripts

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
)

// Providers in one process have the same locks on files as those of several have:
// flock(2) knows what was opened, not who opened it.

// slowReader is a reader that calls a function before each record.
type slowReader struct {
	history.Reader
	before func()
}

func (r *slowReader) Record(line []byte, out event.Sink) {
	r.before()
	r.Reader.Record(line, out)
}

// slowly has logs of Pi read by readers that call before with the number of the
// record.
func slowly(before func(n int)) func(*Options) {
	return func(o *Options) {
		o.Agents = slices.Clone(o.Agents)
		i := slices.IndexFunc(o.Agents, func(a history.Agent) bool { return a.Name == "pi" })
		places := o.Agents[i].Places
		o.Agents[i].Places = func(m history.Machine) []history.Place {
			all := places(m)
			file := all[0].File
			all[0].File = func(rel string) history.Format {
				log, ok := file(rel).(history.Log)
				if !ok {
					return nil
				}
				open := log.Open
				log.Open = func(path string) history.Reader {
					n := 0
					return &slowReader{open(path), func() { n++; before(n) }}
				}
				return log
			}
			return all
		}
	}
}

// session returns the session with an id.
func (f *fixture) session(id string) *catalogue.Session {
	f.t.Helper()
	fstest.Must(f.t, f.scanner.Wait(f.t.Context()))
	all := f.catalogue.Find(id)
	if len(all) != 1 {
		f.t.Fatalf("%d sessions have the id %s", len(all), id)
	}
	return all[0]
}

// keep renders a session that stays in memory, as a growing one does.
func (f *fixture) keep(id string) *catalogue.Session {
	f.t.Helper()
	s := f.session(id)
	f.catalogue.MarkLive(s, f.clock.now())
	fstest.Must(f.t, f.cache.Current(f.t.Context(), s, false))
	return s
}

// hasHoles reports whether a text has bytes that nobody has written.
func hasHoles(text string) bool { return strings.Contains(text, "\x00") }

// TestOneProcessAtATime: while a process renders a session, another one does not
// begin to: it would delete the files that are being written.
func TestOneProcessAtATime(t *testing.T) {
	home := tempHome(t)
	log := piSession(t, home, oneID)
	for range 6 {
		log.user(strings.Repeat("some text of a line\n", 20_000)) // it is written before all is read
	}
	var found atomic.Bool // the start of a log is read to find it, too
	halfway, goOn := make(chan bool), make(chan bool)
	one := start(t, home, offline, slowly(func(n int) {
		if n == 6 && found.Load() {
			close(halfway)
			<-goOn
		}
	}))
	began := make(chan bool, 1)
	other := start(t, home, offline, slowly(func(n int) {
		if n == 1 && found.Load() {
			select {
			case began <- true:
			default:
			}
			<-goOn
		}
	}))
	inOne, inOther := one.session(oneID), other.session(oneID)
	found.Store(true)
	rendered := make(chan error, 2)
	go func() { rendered <- one.cache.Current(t.Context(), inOne, true) }()
	<-halfway
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	go func() { rendered <- other.cache.Current(ctx, inOther, true) }()
	select {
	case <-began:
		t.Error("two processes render one session")
		close(goOn)
		<-rendered
	case err := <-rendered:
		fstest.ErrorIs(t, err, context.DeadlineExceeded, "other process")
		close(goOn)
	}
	fstest.Must(t, <-rendered)
	messages := catalogue.ByID + "/" + oneID + "/messages.jsonl"
	text := one.read(messages)
	if hasHoles(text) || count(text, "some text of a line") != 120_000 {
		t.Errorf("a text of %d bytes has holes or too little", len(text))
	}
	if other.read(messages) != text || other.transcript(oneID) != one.transcript(oneID) {
		t.Error("the other process reads another text")
	}
}

// TestAnotherProcessHasGoneOn: what another process has made of an entry is gone on
// from, whatever was in memory of it.
func TestAnotherProcessHasGoneOn(t *testing.T) {
	home := tempHome(t)
	log := piSession(t, home, oneID)
	log.user("first")
	log.user("second")
	f := start(t, home, offline)
	s := f.keep(oneID)
	log.user("third") // its state is not written at once
	f.scanner.Changed([]string{log.path})
	fstest.Must(t, f.cache.Current(t.Context(), s, false))
	if !slices.Contains(f.cache.Unsaved(), s) {
		t.Fatal("the state was written at once: nothing is tested")
	}
	text, err := os.ReadFile(log.path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(log.path, []byte(strings.Replace(string(text), "first", "changed", 1)), 0o600))
	other := start(t, home, offline)
	want := other.transcript(oneID)
	made, err := os.Open(other.cache.Transcript(other.session(oneID), 2))
	fstest.Must(t, err)
	defer made.Close()
	f.cache.SaveAll(true)
	if got := f.cache.Unsaved(); len(got) != 0 {
		t.Errorf("%d states are unsaved that are out of date", len(got))
	}
	f.scanner.Changed([]string{log.path})
	fstest.Must(t, f.cache.Current(t.Context(), s, false))
	if got := f.transcript(oneID); got != want || !strings.Contains(got, "\nchanged\n") {
		t.Errorf("it reads %s", got)
	}
	before, err := made.Stat()
	fstest.Must(t, err)
	now, err := os.Stat(f.cache.Transcript(s, 2))
	fstest.Must(t, err)
	if !os.SameFile(before, now) {
		t.Error("the files of the other process were deleted")
	}
}

// TestFilesThatAreGone: an entry in memory whose files another process has deleted,
// or whose files were damaged, is rendered again and not gone on with.
func TestFilesThatAreGone(t *testing.T) {
	for name, damage := range map[string]func(f *fixture, dir string) error{
		"deleted by another process": func(f *fixture, _ string) error {
			other := start(t, f.home, offline)
			other.transcript(oneID)
			other.cache.DropEntry(other.session(oneID))
			return nil
		},
		"the folder":  func(_ *fixture, dir string) error { return os.RemoveAll(dir) },
		"the cache":   func(f *fixture, _ string) error { return os.RemoveAll(f.opts.Cache) },
		"one file":    func(_ *fixture, dir string) error { return os.Remove(filepath.Join(dir, "1.md")) },
		"cut off":     func(_ *fixture, dir string) error { return os.Truncate(filepath.Join(dir, "1.md"), 10) },
		"their state": func(_ *fixture, dir string) error { return os.Remove(filepath.Join(dir, "state.json")) },
	} {
		home := tempHome(t)
		log := piSession(t, home, oneID)
		log.user("first")
		f := start(t, home, offline)
		s := f.keep(oneID)
		fstest.Must(t, damage(f, f.cache.EntryDir("pi", oneID)))
		log.user("second")
		f.scanner.Changed([]string{log.path})
		fstest.Must(t, f.cache.Current(t.Context(), s, true))
		if got := f.transcript(oneID); hasHoles(got) || count(got, "\nfirst\n") != 1 || count(got, "\nsecond\n") != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSweepLeavesWhatIsInUse: an entry that nobody knows yet is not deleted while
// another process writes it.
func TestSweepLeavesWhatIsInUse(t *testing.T) {
	f := start(t, tempHome(t), offline)
	dir := f.cache.EntryDir("pi", "of another process")
	fstest.Must(t, os.MkdirAll(dir, 0o700))
	locks := filepath.Join(f.opts.Cache, "locks")
	fstest.Must(t, os.Mkdir(locks, 0o700))
	lock, err := filelock.Try(filepath.Join(locks, filepath.Base(filepath.Dir(dir))), filelock.Exclusive)
	fstest.Must(t, err)
	f.cache.Sweep()
	if _, err := os.Stat(dir); err != nil {
		t.Error("it is deleted while it is in use:", err)
	}
	lock.Release()
	f.cache.Sweep()
	if _, err := os.Stat(dir); !errors.Is(err, iofs.ErrNotExist) {
		t.Error("it stays:", err)
	}
}
