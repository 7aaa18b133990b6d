package catalogue

import (
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// TestLastWithin: the sessions of a folder are those that are known to have worked there
// now, whatever was known before.
func TestLastWithin(t *testing.T) {
	c := New("")
	now := time.Unix(1_800_000_000, 0)
	put := func(id, cwd, parent string, age time.Duration) {
		path := "/" + id
		c.Put(&File{Path: path, Agent: "pi"}, []Found{{
			Source: &source.Source{Path: path, Stat: source.Stat{ModTime: now.Add(-age).UnixNano()}}, Info: event.Session{ID: id, CWD: cwd, Parent: parent},
		}}, now)
	}
	want := func(dir string, most int, want ...string) {
		t.Helper()
		var got []string
		for _, s := range c.LastWithin(dir, now.Add(-time.Hour), most) {
			got = append(got, s.ID)
		}
		fstest.EqualSlices(t, got, want, dir)
	}
	put("a", "/src/shop", "", time.Minute)
	put("b", "/src/shop/api", "", 2*time.Minute)
	put("c", "/src/shop2", "", 0)
	put("d", "/src/shop", "", 2*time.Hour)
	put("e", "/src/shop", "a", 0)
	put("f", "", "", 0)
	want("/src/shop", 9, "a", "b")
	want("/src", 2, "c", "a")
	put("b", "/src/shop2", "", 0) // it was read further
	want("/src/shop", 9, "a")
	want("/src/shop2", 9, "b", "c")
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		c.Drop("/"+id, now)
	}
	want("/", 9)
	fstest.Equal(t, len(c.known.byFolder), 0, "folders")
}
