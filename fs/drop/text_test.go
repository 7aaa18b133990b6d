package drop_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

// quote accepts every text but "no" and answers with it.
func quote(_ context.Context, _ string, _ fs.Standpoint, body []byte) (drop.Work, error) {
	if string(body) == "no" {
		return nil, fs.ErrPermission
	}
	return func(context.Context) drop.Outcome { return drop.Outcome{OK: true, Text: string(body)} }, nil
}

func newTextDrop(t *testing.T, quiet time.Duration) *drop.Folder {
	return newDrop(t, drop.Options{Accept: quote, Text: true, Quiet: quiet, Extension: ".md", MaxBody: 1 << 10})
}

func TestTextIsTakenWhenItIsAbandoned(t *testing.T) {
	d := newTextDrop(t, time.Hour)
	want := strings.Repeat("a text, in pieces\n", 20)
	for round := range 20 { // in any order, some of them twice
		w := create(t, d, "x.md")
		r := rand.New(rand.NewPCG(1, uint64(round)))
		for _, at := range append(r.Perm(len(want)/9), r.Perm(len(want) / 9)[:9]...) {
			if _, err := w.Write(t.Context(), []byte(want[at*9:at*9+9]), int64(at*9)); err != nil {
				t.Fatal(err)
			}
		}
		w.Abandon()
		w.Abandon()
		if o := outcomeOf(t, d, "x"); !o.OK || o.Text != want {
			t.Fatalf("round %d: outcome %+v", round, o)
		}
	}
	for body, fault := range map[string]string{"": "empty", "no": "permission denied", "a\x00hole": "not written"} {
		w := create(t, d, "x.md")
		for at, piece := range strings.Split(body, "\x00") {
			if piece != "" {
				w.Write(t.Context(), []byte(piece), int64(at*100))
			}
		}
		w.Abandon()
		if o := outcomeOf(t, d, "x"); o.OK || !strings.Contains(o.Error, fault) {
			t.Errorf("%q: outcome %+v", body, o)
		}
	}
}

func TestTextIsTakenAfterAWhile(t *testing.T) {
	d := newTextDrop(t, time.Millisecond)
	w := create(t, d, "x.md")
	if _, err := w.Write(t.Context(), []byte("said"), 0); err != nil {
		t.Fatal(err)
	}
	if o := outcomeOf(t, d, "x"); !o.OK || o.Text != "said" {
		t.Errorf("outcome %+v", o)
	}
	if _, err := w.Write(t.Context(), []byte(" more"), 4); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "taken already") {
		t.Errorf("write afterwards: %v", err)
	}
	w.Abandon()
	if o := outcomeOf(t, d, "x"); o.Text != "said" {
		t.Errorf("the outcome has changed: %+v", o)
	}
}

func TestTextThatIsTooLong(t *testing.T) {
	d := newTextDrop(t, time.Hour)
	w := create(t, d, "x.md")
	for range 2 {
		if _, err := w.Write(t.Context(), make([]byte, 100), 1000); !errors.Is(err, fs.ErrTooLarge) {
			t.Errorf("write: %v", err)
		}
	}
	if o := outcomeOf(t, d, "x"); o.OK || !strings.Contains(o.Error, "at most 1024 bytes") {
		t.Errorf("outcome %+v", o)
	}
}

// TestUnfinishedTextIsTakenAtTheEnd: nothing that was written is lost.
func TestUnfinishedTextIsTakenAtTheEnd(t *testing.T) {
	d := newTextDrop(t, time.Hour)
	create(t, d, "x.md").Write(t.Context(), []byte("said"), 0)
	create(t, d, "y.md")
	fstest.Must(t, d.Close())
	if o := outcomeOf(t, d, "x"); !o.OK || o.Text != "said" {
		t.Errorf("outcome %+v", o)
	}
	if o := outcomeOf(t, d, "y"); o.OK || !strings.Contains(o.Error, "empty") {
		t.Errorf("outcome %+v", o)
	}
}
