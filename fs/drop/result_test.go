package drop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

func TestDropResultWaits(t *testing.T) {
	release, news := make(chan struct{}), make(chan string, 10)
	d := newDrop(t, drop.Options{
		Changed: func(name string) { news <- name },
		Accept: func(_ context.Context, _ string, _ fs.Standpoint, _ []byte) (drop.Work, error) {
			return func(context.Context) drop.Outcome { <-release; return drop.Outcome{OK: true, Text: "<done>"} }, nil
		}})
	tree := fs.NewTree(d, fs.TreeOptions{})
	before, _ := d.Attr(t.Context())
	w := create(t, d, "x")
	n, err := d.Lookup(t.Context(), "x.result")
	if err != nil {
		t.Fatal("no result after create:", err)
	}
	check := func(when string) {
		t.Helper()
		if a, err := tree.Attr(t.Context(), n); a.Size != fs.SizeOnDemand || err != nil {
			t.Errorf("%s: %+v, %v", when, a, err)
		}
		if m, err := n.(fs.File).ReadAt(t.Context(), make([]byte, 10), 0); m != 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: a read gave %d, %v", when, m, err)
		}
		if names := listed(t, d); len(names) != 0 {
			t.Errorf("%s: listed %q", when, names)
		}
		if _, err := d.Create(t.Context(), "x", fs.Standpoint{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: second create: %v", when, err)
		}
	}
	check("before the body")
	if _, err := w.Write(t.Context(), []byte("{}"), 0); err != nil {
		t.Fatal(err)
	}
	check("before the outcome")

	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := tree.Stat(gone, n); !errors.Is(err, fs.ErrInterrupted) {
		t.Errorf("a caller who left: %v", err)
	}
	sizes := make(chan int64)
	for range 5 {
		go func() { a, _ := tree.Stat(context.Background(), n); sizes <- a.Size }()
	}
	close(release)
	for range 5 {
		fstest.Equal(t, <-sizes, int64(len(`{"ok":true,"text":"<done>"}`)+1), "size")
	}
	fstest.EqualSlices(t, listed(t, d), []string{"x.result"}, "listed")
	if after, _ := d.Attr(t.Context()); !after.Live || !after.ModTime.After(before.ModTime) {
		t.Errorf("folder %+v, before %+v", after, before)
	}
	for range 2 {
		fstest.Equal(t, <-news, "x.result", "news")
	}
}

func TestDropNameAgain(t *testing.T) {
	d := newDrop(t, drop.Options{})
	put(t, d, "x", `{"n":1}`)
	outcomeOf(t, d, "x")
	old, _ := d.Lookup(t.Context(), "x.result")
	put(t, d, "x", `{"n":2}`)
	if o := outcomeOf(t, d, "x"); string(o.Structured) != `{"n":2}` {
		t.Errorf("outcome %s", o.Structured)
	}
	now, _ := d.Lookup(t.Context(), "x.result")
	a, _ := old.Attr(t.Context())
	b, _ := now.Attr(t.Context())
	if a.Version == b.Version {
		t.Error("two results have one version")
	}
	fstest.EqualSlices(t, listed(t, d), []string{"x.result"}, "listed")
}

func TestDropAbandoned(t *testing.T) {
	d := newDrop(t, drop.Options{})
	w := create(t, d, "x")
	w.Write(t.Context(), []byte(`{"a": `), 0)
	w.Abandon()
	w.Abandon()
	if o := outcomeOf(t, d, "x"); o.OK || !strings.Contains(o.Error, "ended before its JSON object was complete") {
		t.Errorf("outcome %+v", o)
	}
	if _, err := w.Write(t.Context(), []byte(`1}`), 6); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("write afterwards: %v", err)
	}
}

func TestDropSurvivesPanics(t *testing.T) {
	d := newDrop(t, drop.Options{Accept: func(_ context.Context, name string, _ fs.Standpoint, _ []byte) (drop.Work, error) {
		if name == "accept" {
			panic("oh")
		}
		return func(context.Context) drop.Outcome {
			if name == "json" {
				return drop.Outcome{OK: true, Structured: json.RawMessage("{")}
			}
			panic("oh")
		}, nil
	}})
	fstest.ErrorIs(t, put(t, d, "accept", "{}"), fs.ErrBroken, "accept")
	put(t, d, "work", "{}")
	put(t, d, "json", "{}")
	for _, name := range []string{"accept", "work", "json"} {
		if o := outcomeOf(t, d, name); o.OK || !strings.Contains(o.Error, "internal error") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestDropKeepsTheNewest(t *testing.T) {
	now := day
	var gone []string
	d := newDrop(t, drop.Options{Keep: 3, Now: func() time.Time { return now }, Changed: func(name string) { gone = append(gone, name) }})
	abandon := func(name string) {
		w := create(t, d, name)
		w.Abandon()
		now = now.Add(time.Minute)
	}
	for i := range 8 {
		abandon(fmt.Sprint(i))
	}
	if names := listed(t, d); len(names) != 8 {
		t.Errorf("younger than ten minutes, yet %q", names)
	}
	now = day.Add(13 * time.Minute)
	gone = nil
	abandon("8")
	fstest.EqualSlices(t, listed(t, d), []string{"4.result", "5.result", "6.result", "7.result", "8.result"}, "kept")
	if want := []string{"8.result", "8.result", "0.result", "1.result", "2.result", "3.result"}; !slices.Equal(gone, want) {
		t.Errorf("news %q", gone)
	}
	if _, err := d.Lookup(t.Context(), "0.result"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lookup of a dropped result: %v", err)
	}
}

func TestDropWorkHasATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrop(t, drop.Options{Now: time.Now, WorkTimeout: time.Hour, Accept: func(context.Context, string, fs.Standpoint, []byte) (drop.Work, error) {
			return func(ctx context.Context) drop.Outcome { <-ctx.Done(); return drop.Outcome{Error: ctx.Err().Error()} }, nil
		}})
		begin := time.Now()
		put(t, d, "x", "{}")
		if o := outcomeOf(t, d, "x"); o.OK || time.Since(begin) != time.Hour {
			t.Errorf("%+v after %v", o, time.Since(begin))
		}
	})
}

func TestDropClose(t *testing.T) {
	d := newDrop(t, drop.Options{Accept: func(context.Context, string, fs.Standpoint, []byte) (drop.Work, error) {
		return func(ctx context.Context) drop.Outcome { <-ctx.Done(); return drop.Outcome{Error: "stopped"} }, nil
	}})
	put(t, d, "running", "{}")
	create(t, d, "unwritten")
	d.Close()
	if o := outcomeOf(t, d, "running"); o.Error != "stopped" {
		t.Errorf("running: %+v", o)
	}
	if o := outcomeOf(t, d, "unwritten"); o.OK {
		t.Errorf("unwritten: %+v", o)
	}
	if _, err := d.Create(t.Context(), "new", fs.Standpoint{}); !errors.Is(err, fs.ErrReadOnly) {
		t.Errorf("create afterwards: %v", err)
	}
}

// TestDropManyWriters has answers come out of order, and every one be right.
func TestDropManyWriters(t *testing.T) {
	const writers, files = 40, 25
	var mu sync.Mutex
	var held []chan struct{} // works that wait until a later one lets them go
	allIn := make(chan struct{})
	d := newDrop(t, drop.Options{Accept: func(_ context.Context, name string, _ fs.Standpoint, body []byte) (drop.Work, error) {
		return func(context.Context) drop.Outcome {
			mine := make(chan struct{})
			mu.Lock()
			if held = append(held, mine); len(held) > 10 {
				last := len(held) - 2 // the youngest but one: never in order
				close(held[last])
				held = slices.Delete(held, last, last+1)
			}
			mu.Unlock()
			select {
			case <-mine:
			case <-allIn:
			}
			return drop.Outcome{OK: true, Text: name, Structured: body}
		}, nil
	}})
	tree := fs.NewTree(d, fs.TreeOptions{})
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for file := range files {
				name := fmt.Sprintf("w%d-%d", writer, file)
				body := fmt.Appendf(nil, `{"writer":%d,"file":%d}`, writer, file)
				n, err := tree.Create(t.Context(), d, name, fs.Standpoint{})
				if err != nil {
					t.Error(err)
					return
				}
				half := len(body) / 2
				n.Write(t.Context(), body[:half], 0)
				if _, err := n.Write(t.Context(), body[half:], int64(half)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	close(allIn)
	for writer := range writers {
		for file := range files {
			name := fmt.Sprintf("w%d-%d", writer, file)
			o := outcomeOf(t, d, name)
			if want := fmt.Sprintf(`{"writer":%d,"file":%d}`, writer, file); !o.OK || o.Text != name || string(o.Structured) != want {
				t.Errorf("%s: %+v", name, o)
			}
		}
	}
	fstest.Equal(t, len(listed(t, d)), writers*files, "outcomes")
}
