package drop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func fixed() time.Time { return day }

// echo accepts every object and answers with it at once.
func echo(_ context.Context, _ string, _ fs.Standpoint, body []byte) (drop.Work, error) {
	return func(context.Context) drop.Outcome { return drop.Outcome{OK: true, Structured: body} }, nil
}

func newDrop(t *testing.T, opts drop.Options) *drop.Folder {
	t.Helper()
	if opts.Now == nil {
		opts.Now = fixed
	}
	if opts.Accept == nil {
		opts.Accept = echo
	}
	d := drop.New(opts)
	t.Cleanup(func() { d.Close() })
	return d
}

func create(t *testing.T, d *drop.Folder, name string) fs.Draft {
	t.Helper()
	w, err := d.Create(t.Context(), name, fs.Standpoint{})
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	return w
}

func put(t *testing.T, d *drop.Folder, name, body string) error {
	t.Helper()
	_, err := create(t, d, name).Write(t.Context(), []byte(body), 0)
	return err
}

// outcomeOf waits for the outcome of a file and reads it.
func outcomeOf(t *testing.T, d *drop.Folder, name string) drop.Outcome {
	t.Helper()
	tree := fs.NewTree(d, fs.TreeOptions{})
	n, err := tree.Resolve(t.Context(), name+".result")
	fstest.Must(t, err)
	body, err := tree.ReadAll(t.Context(), n.(fs.File))
	fstest.Must(t, err)
	var o drop.Outcome
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatalf("result of %s: %v in %q", name, err, body)
	}
	return o
}

func listed(t *testing.T, d fs.Dir) []string {
	t.Helper()
	entries, err := d.List(t.Context())
	fstest.Must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

func TestDropTakesOneObjectInPieces(t *testing.T) {
	const object = ` {"a": "}{\"\\", "b": [1, {"c": "\u00e9é"}]}`
	for _, after := range []string{"", "\n", " \r\n\t"} {
		whole := []byte(object + after)
		for size := 1; size <= len(whole); size++ {
			d := newDrop(t, drop.Options{})
			w := create(t, d, "x")
			for off := 0; off < len(whole); off += size {
				piece := whole[off:min(off+size, len(whole))]
				if n, err := w.Write(t.Context(), piece, int64(off)); n != len(piece) || err != nil {
					t.Fatalf("size %d, offset %d: %d, %v", size, off, n, err)
				}
			}
			if o := outcomeOf(t, d, "x"); !o.OK || !jsonEqual(o.Structured, []byte(object)) {
				t.Fatalf("size %d: %+v", size, o)
			}
		}
	}
}

func jsonEqual(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}

func TestDropTakesPiecesInAnyOrder(t *testing.T) {
	body := []byte(`{"text": "` + strings.Repeat("ab\\\"{}", 50) + `"}` + "\n")
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var got []byte
		calls := 0
		d := newDrop(t, drop.Options{Accept: func(ctx context.Context, name string, from fs.Standpoint, b []byte) (drop.Work, error) {
			got, calls = b, calls+1
			return echo(ctx, name, from, b)
		}})
		w := create(t, d, "x")
		for _, off := range random.Perm(len(body)) {
			if off%5 != 0 { // so that pieces leave out nothing, and overlap
				continue
			}
			end := min(off+5+random.IntN(20), len(body))
			if _, err := w.Write(t.Context(), body[off:end], int64(off)); err != nil {
				t.Fatal(err)
			}
		}
		outcomeOf(t, d, "x")
		if calls != 1 || !bytes.Equal(got, bytes.TrimSpace(body)) {
			t.Fatalf("%d calls, %q", calls, got)
		}
	}
}

func TestDropRefusesWhatIsNoObject(t *testing.T) {
	for body, says := range map[string]string{
		`[1]`:             `begins with '['`,
		`hello`:           `begins with 'h'`,
		`{"a": 1} x`:      `something follows`,
		`{"a": 1}{}`:      `something follows`,
		`{"a": 1,}`:       `at byte`,
		`{a: 1}`:          `at byte`,
		`{"a": [1}`:       ``,
		`{]`:              ``,
		"\xef\xbb\xbf{}":  `begins with`,
		"{\"a\": \"\n\"}": `at byte`,
	} {
		accepted := false
		d := newDrop(t, drop.Options{Accept: func(ctx context.Context, name string, from fs.Standpoint, b []byte) (drop.Work, error) {
			accepted = true
			return echo(ctx, name, from, b)
		}})
		w := create(t, d, "x")
		_, err := w.Write(t.Context(), []byte(body), 0)
		if body == `{"a": [1}` { // goes on until nobody can write any more
			w.Abandon()
		} else if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", body, err)
		}
		if _, again := w.Write(t.Context(), []byte("{}"), 0); again == nil {
			t.Errorf("%q: a later write was taken", body)
		}
		if o := outcomeOf(t, d, "x"); o.OK || o.Error == "" || accepted {
			t.Errorf("%q: accepted %v, outcome %+v", body, accepted, o)
		}
	}
}

func TestDropDeliversOnce(t *testing.T) {
	calls := 0
	d := newDrop(t, drop.Options{Accept: func(ctx context.Context, name string, from fs.Standpoint, b []byte) (drop.Work, error) {
		calls++
		return echo(ctx, name, from, b)
	}})
	w := create(t, d, "x")
	for _, step := range []struct {
		body string
		off  int64
		err  error
	}{
		{`{"a"`, 0, nil},
		{`{"a": 1}`, 0, nil}, // complete here
		{`{"a": 1}`, 0, nil}, // the same again
		{` 1}` + "\n\n", 5, nil},
		{"   \n", 100, nil},
		{`{"a": 2}`, 0, fs.ErrInvalid},
		{`x`, 8, fs.ErrInvalid},
		{`{}`, -1, fs.ErrInvalid},
	} {
		if _, err := w.Write(t.Context(), []byte(step.body), step.off); !errors.Is(err, step.err) {
			t.Errorf("write %q at %d: %v, want %v", step.body, step.off, err, step.err)
		}
	}
	w.Abandon()
	if o := outcomeOf(t, d, "x"); !o.OK || calls != 1 {
		t.Errorf("%d calls, %+v", calls, o)
	}
}

func TestDropRefusesChangedBytes(t *testing.T) {
	d := newDrop(t, drop.Options{})
	w := create(t, d, "x")
	w.Write(t.Context(), []byte(`{"a": 1`), 0)
	if _, err := w.Write(t.Context(), []byte(`2}`), 6); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("changed bytes: %v", err)
	}
	w = create(t, d, "y")
	w.Write(t.Context(), []byte(`garbage`), 8)
	if _, err := w.Write(t.Context(), []byte(`{"a": 1}`), 0); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("garbage that came before the object: %v", err)
	}
}

func TestDropVerdictComesBackFromTheWrite(t *testing.T) {
	verdict := fmt.Errorf("%w: no tool is called y; see tools/", fs.ErrInvalid)
	d := newDrop(t, drop.Options{Accept: func(context.Context, string, fs.Standpoint, []byte) (drop.Work, error) { return nil, verdict }})
	fstest.ErrorIs(t, put(t, d, "x", `{}`), verdict, "write")
	if o := outcomeOf(t, d, "x"); o.OK || o.Error != verdict.Error() {
		t.Errorf("outcome: %+v", o)
	}
}

func TestDropLimit(t *testing.T) {
	d := newDrop(t, drop.Options{MaxBody: 10})
	if err := put(t, d, "fits", `{"a":"bcd"`[:9]+`}`); errors.Is(err, fs.ErrTooLarge) {
		t.Error("ten bytes do not fit in ten")
	}
	fstest.ErrorIs(t, put(t, d, "long", `{"a":"bcd"}`), fs.ErrTooLarge, "eleven bytes")
	w := create(t, d, "far")
	if _, err := w.Write(t.Context(), []byte("}"), 1<<40); !errors.Is(err, fs.ErrTooLarge) {
		t.Errorf("far out: %v", err)
	}
	w = create(t, d, "again")
	var err error
	for range 5 {
		_, err = w.Write(t.Context(), []byte("aaa"), 5)
	}
	fstest.ErrorIs(t, err, fs.ErrTooLarge, "same piece over and over")
}

func TestDropLargeBodyIsScannedOnce(t *testing.T) {
	d := newDrop(t, drop.Options{})
	body := []byte(`{"text":"` + strings.Repeat("x", 10<<20) + `"}`)
	w := create(t, d, "x")
	for off := 0; off < len(body); off += 4096 {
		if _, err := w.Write(t.Context(), body[off:min(off+4096, len(body))], int64(off)); err != nil {
			t.Fatal(err)
		}
	}
	if o := outcomeOf(t, d, "x"); !o.OK || len(o.Structured) != len(body) {
		t.Errorf("ok %v, %d bytes", o.OK, len(o.Structured))
	}
}

func TestDropNames(t *testing.T) {
	d := newDrop(t, drop.Options{Static: map[string]fs.Node{"README.md": fs.NewText(day, []byte("put\n"))}})
	for _, name := range []string{"", ".", "..", ".x.swp", "x~", "x.result", "a/b", "a\x00b", "a\nb", "\xff", "a\u202eb", strings.Repeat("x", 249)} {
		if _, err := d.Create(t.Context(), name, fs.Standpoint{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("create %q: %v", name, err)
		}
	}
	if _, err := d.Create(t.Context(), "README.md", fs.Standpoint{}); !errors.Is(err, fs.ErrReadOnly) {
		t.Errorf("create README.md: %v", err)
	}
	for _, name := range []string{"x", "ein Ärger 1.json", strings.Repeat("x", 248)} {
		if err := put(t, d, name, "{}"); err != nil {
			t.Errorf("create %q: %v", name, err)
		}
		if _, err := d.Lookup(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("lookup %q: %v", name, err)
		}
	}
}

// FuzzDropBody cuts bodies in two: wherever that is, what is taken is just the
// JSON objects.
func FuzzDropBody(f *testing.F) {
	for _, body := range []string{`{}`, ` {"a":[1,"}\\\""]} `, `{]`, `[]`, `{"a":1}x`, `{"a`, "", "\xff{}"} {
		f.Add([]byte(body), 1)
	}
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		if cut < 0 || cut > len(body) {
			return
		}
		var got []byte
		d := drop.New(drop.Options{Now: fixed, Accept: func(ctx context.Context, name string, from fs.Standpoint, b []byte) (drop.Work, error) {
			got = b
			return echo(ctx, name, from, b)
		}})
		defer d.Close()
		w, err := d.Create(t.Context(), "x", fs.Standpoint{})
		fstest.Must(t, err)
		_, err = w.Write(t.Context(), body[cut:], int64(cut))
		_, err2 := w.Write(t.Context(), body[:cut], 0)
		w.Abandon()
		trimmed := bytes.Trim(body, " \t\r\n")
		want := bytes.HasPrefix(trimmed, []byte("{")) && json.Valid(body)
		if (got != nil) != want || want && (!bytes.Equal(bytes.TrimLeft(got, " \t\r\n"), trimmed) || err != nil || err2 != nil) {
			t.Errorf("%q cut at %d: took %q, %v, %v; want %v", body, cut, got, err, err2, want)
		}
	})
}

// TestDropExtension has names of one kind only, and results in their place.
func TestDropExtension(t *testing.T) {
	var asked []string
	d := newDrop(t, drop.Options{Extension: ".json", Accept: func(ctx context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
		asked = append(asked, name)
		return echo(ctx, name, from, body)
	}})
	for _, name := range []string{"x", ".json", "x.json.txt"} {
		if _, err := d.Create(t.Context(), name, fs.Standpoint{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fstest.Must(t, put(t, d, "x.1.json", `{"a":1}`))
	if o := outcomeOf(t, d, "x.1"); string(o.Structured) != `{"a":1}` || !slices.Equal(asked, []string{"x.1.json"}) {
		t.Errorf("%+v, %v", o, asked)
	}
	if _, err := d.Lookup(t.Context(), "x.1.json.result"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
