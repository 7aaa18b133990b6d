package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestTornRecordsAreLeftOut(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("one") + "1\r\n" + ends(0))
	path := filepath.Join(p.Dir(), RecordsFile)
	good := p.read(RecordsFile)
	j := p.load().Journal()
	read := func(want int, wantAnew bool) {
		t.Helper()
		records, anew, err := j.Next()
		fstest.Must(t, err)
		if len(records) != want || anew != wantAnew {
			t.Errorf("%d records, anew %v", len(records), anew)
		}
	}
	add := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		fstest.Must(t, err)
		_, err = f.WriteString(text)
		fstest.Must(t, err)
		fstest.Must(t, f.Close())
	}
	read(1, false)
	add(`{"n":2,"command":"half`)
	read(0, false)
	add("\n" + strings.Replace(good, `"n":1`, `"n":3,"unknown":[1]`, 1))
	read(1, false)
	fstest.Must(t, os.WriteFile(path, []byte(good), 0o600))
	read(1, true)
	fstest.Must(t, os.Remove(path))
	read(0, true)
	read(0, false)
}

// FuzzLoad reads a folder with arbitrary content.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"state":"running","holder":1,"started":"2026-11-21T04:00:00Z","command":"x","command_started":"2026-11-21T04:00:00Z","command_at":{"part":1,"byte":5,"line":2},"commands":3,"header_len":4,"parts":1}`),
		[]byte(`{"n":1,"part":1,"bytes":[4,9],"lines":[1,2],"exit":1}`+"\n"+`{"n":2,"part":1,"end_part":3,"bytes":[0,1]}`+"\n{"), []byte("---\nlog\n"))
	f.Add([]byte(`{"header_len":-5,"parts":-1,"state":"idle","holder":-1}`), []byte(`{"n":1,"part":1,"bytes":[-4,9]}`), []byte(""))
	f.Add([]byte("{}"), []byte("null\n[]\n{\"n\":9223372036854775807,\"part\":9223372036854775807,\"bytes\":[0,0]}\n"), []byte("x"))
	f.Fuzz(func(t *testing.T, meta, records, part []byte) {
		dir := t.TempDir()
		fstest.Must(t, os.WriteFile(filepath.Join(dir, MetaFile), meta, 0o600))
		fstest.Must(t, os.WriteFile(filepath.Join(dir, RecordsFile), records, 0o600))
		fstest.Must(t, os.WriteFile(filepath.Join(dir, partFile(1)), part, 0o600))
		got, err := Load(dir)
		if err != nil {
			return
		}
		last := 0
		for _, c := range got.Records {
			if c.N <= last {
				t.Fatalf("number %d after %d", c.N, last)
			}
			last = c.N
			o, err := got.Output(c)
			if err != nil {
				continue
			}
			if o.Size() < 0 || o.Size() > int64(len(part)) {
				t.Fatalf("%d bytes of %d", o.Size(), len(part))
			}
			text := make([]byte, o.Size())
			if n, err := o.ReadAt(text, 0); n != len(text) {
				t.Fatalf("%d of %d bytes: %v", n, len(text), err)
			}
		}
		got.HeaderLen = min(got.HeaderLen, 1)
		_ = got.LastPart()
	})
}

// aged writes a terminal whose files all have one time.
func aged(t *testing.T, root string, at time.Time, lines int, ended bool) *tape {
	t.Helper()
	p := newTape(t, root, func(o *Options) { o.MaxPart = 4096 })
	for range lines {
		p.put(strings.Repeat("x", 70) + "\r\n")
	}
	p.wait(time.Second)
	if ended {
		fstest.Must(t, p.Close(0, ""))
	}
	entries, err := os.ReadDir(p.Dir())
	fstest.Must(t, err)
	for i, e := range entries {
		when := at.Add(time.Duration(i) * time.Second)
		fstest.Must(t, os.Chtimes(filepath.Join(p.Dir(), e.Name()), when, when))
	}
	return p
}

func parts(t *testing.T, root, id string) (numbers []int) {
	t.Helper()
	got, err := Load(filepath.Join(root, id))
	if err != nil {
		return nil
	}
	for _, p := range got.Parts {
		numbers = append(numbers, p.Number)
	}
	return numbers
}

func TestPrune(t *testing.T) {
	root := filepath.Join(t.TempDir(), "terminals")
	now := epoch
	const day = 24 * time.Hour
	aged(t, root, now.Add(-20*day), 250, true) // 1: 5 parts of 4 KB
	aged(t, root, now.Add(-3*day), 250, true)  // 2
	running := aged(t, root, now.Add(-20*day), 250, false)
	fstest.Must(t, os.Mkdir(filepath.Join(root, "foreign"), 0o700))

	fstest.Must(t, Prune(root, Limits{}, now))
	fstest.Equal(t, len(parts(t, root, "1")), 5, "without limits something is deleted")
	fstest.Must(t, Prune(root, Limits{MaxSize: 1 << 30, MaxAge: 14 * day}, now))
	if one, two, three := parts(t, root, "1"), len(parts(t, root, "2")), parts(t, root, running.ID()); one != nil || two != 5 || len(three) != 2 || three[1] != 5 {
		t.Errorf("after 14 days: %v, %v, %v", one, two, three)
	}
	// The oldest parts first: one of those of 2 must go, then the next.
	size := func() (n int64) {
		for _, id := range []string{"2", running.ID()} {
			if t, err := Load(filepath.Join(root, id)); err == nil {
				n += t.size()
			}
		}
		return n
	}
	fstest.Must(t, Prune(root, Limits{MaxSize: size() - 1}, now))
	if two := parts(t, root, "2"); len(two) != 4 || two[0] != 2 {
		t.Errorf("of 2 there are %v", two)
	}
	fstest.Must(t, Prune(root, Limits{MaxSize: 1}, now))
	if two, three := parts(t, root, "2"), parts(t, root, running.ID()); two != nil || len(three) != 2 {
		t.Errorf("at last: %v, %v", two, three)
	}
	// The running one continues as if nothing had happened.
	running.put("on\r\n")
	running.wait(time.Second)
	if got := running.text(5); !strings.HasSuffix(got, "on\n") {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(root, "foreign")); err != nil {
		t.Error(err)
	}
	fstest.Must(t, Prune(root, Limits{MaxSize: 1}, time.Now().Add(2*halfMade)))
	if _, err := os.Stat(filepath.Join(root, "foreign")); err == nil {
		t.Error("what was left half made stays")
	}
}

// TestRecordersPrune enforces the limits where no provider runs.
func TestRecordersPrune(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.MaxPart, o.Limits = 4096, Limits{MaxSize: 10_000} })
	for range 1000 {
		p.put(strings.Repeat("x", 70) + "\r\n")
	}
	if got := parts(t, p.root, "1"); len(got) != 2 || got[0] < 10 {
		t.Errorf("parts %v", got)
	}
}
