package workspaces

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestSilentFolder: a workspace whose folder does not answer keeps its pages, says so, and is
// looked at as soon as the folder answers again, however long that was waited for.
func TestSilentFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHome(t)
		w.make(true) // not started: places are looked at when the test says so
		shop := w.mkdir("shop")
		made, err := w.here(shop)
		fstest.Must(t, err)
		place := w.placeOf(shop)
		silent := func() bool { return strings.Contains(w.read(indexName), "~/shop does not answer") }
		due := func() bool { _, is := w.due[place.workspace().Name]; return is }

		for name, prober := range map[string]*fs.Prober{"at all": w.prober, "within a look": w.looks} {
			hangs := make(chan struct{})
			looked := make(chan error)
			go func() {
				_, err := fs.Probe(prober, shop, func() (struct{}, error) { <-hangs; return struct{}{}, nil })
				looked <- err
			}()
			fstest.ErrorIs(t, <-looked, fs.ErrNoAnswer, name)
			place.survey(t.Context())
			if !silent() || w.read("shop/"+hereName) != made.Page {
				t.Errorf("%s: %s\n%s", name, w.read(indexName), w.read("shop/"+hereName))
			}
			if rest := time.Until(time.Unix(0, place.rested.Load())); rest > pause {
				t.Errorf("%s: it rests for %v", name, rest)
			}
			delete(w.due, place.workspace().Name)
			synctest.Wait()
			if due() {
				t.Errorf("%s: it is due while it is silent", name)
			}
			close(hangs)
			synctest.Wait()
			if !due() {
				t.Errorf("%s: it answers, and is not due", name)
			}
			if place.survey(t.Context()); silent() {
				t.Errorf("%s: %s", name, w.read(indexName))
			}
		}
	})
}
