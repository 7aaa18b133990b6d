package fs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func textOf(body string) fs.Node { return fs.NewText(day, []byte(body)) }

func newTree(nodes map[string]fs.Node) *fs.Tree {
	return fs.NewTree(fs.NewFolder(day, nodes), fs.TreeOptions{})
}

func resolve[T fs.Node](t *testing.T, tree *fs.Tree, path string) T {
	t.Helper()
	n, err := tree.Resolve(t.Context(), path)
	fstest.Must(t, err)
	return n.(T)
}

func TestTreeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := fstest.NewHanging() // it does not heed its context
		tree := newTree(map[string]fs.Node{"file": hanging.File(day, 10), "dir": hanging.Dir(day), "other": textOf("hello")})
		begin := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				p := bytes.Repeat([]byte{'x'}, 10)
				if n, err := tree.ReadAt(t.Context(), resolve[fs.File](t, tree, "file"), p, 0); n != 0 || !errors.Is(err, fs.ErrTimeout) {
					t.Errorf("read: %d, %v", n, err)
				}
				fstest.Equal(t, p[0], 'x', "the buffer was written to")
			})
		}
		all.Go(func() {
			if _, err := tree.List(t.Context(), resolve[fs.Dir](t, tree, "dir")); !errors.Is(err, fs.ErrTimeout) {
				t.Errorf("list: %v", err)
			}
			if _, err := tree.Resolve(t.Context(), "dir/x"); !errors.Is(err, fs.ErrTimeout) {
				t.Errorf("lookup: %v", err)
			}
		})
		for range 11 {
			<-hanging.Arrived()
		}
		body, err := tree.ReadAll(t.Context(), resolve[fs.File](t, tree, "other"))
		if string(body) != "hello" || err != nil || time.Since(begin) != 0 {
			t.Errorf("while others hang: %q, %v after %v", body, err, time.Since(begin))
		}
		all.Wait()
		fstest.Equal(t, time.Since(begin), 2*fs.DefaultDeadline, "took")
		fstest.Equal(t, tree.Counters().Timeouts, 12, "timeouts")
		hanging.Release() // and all goroutines end, or synctest complains
	})
}

// patient is a file that asks for more time.
type patient struct{ fs.File }

func (patient) Patience() time.Duration { return time.Hour }

func TestTreeHasPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := fstest.NewHanging()
		tree := newTree(nil)
		begin := time.Now()
		if _, err := tree.ReadAt(t.Context(), patient{hanging.File(day, 1)}, make([]byte, 1), 0); !errors.Is(err, fs.ErrTimeout) || time.Since(begin) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		hanging.Release()
	})
}

func TestTreeInterrupt(t *testing.T) {
	for _, heeds := range []bool{false, true} {
		t.Run(fmt.Sprintf("heeds=%v", heeds), func(t *testing.T) {
			hanging := fstest.NewHanging()
			hanging.HeedContext = heeds
			defer hanging.Release()
			tree := newTree(map[string]fs.Node{"file": hanging.File(day, 10)})
			file := resolve[fs.File](t, tree, "file")
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := tree.ReadAt(ctx, file, make([]byte, 10), 0)
				done <- err
			}()
			<-hanging.Arrived()
			leave()
			// The error is the tree's, or the node's own.
			if err := <-done; !errors.Is(err, fs.ErrInterrupted) && (!heeds || !errors.Is(err, context.Canceled)) {
				t.Error(err)
			}
			if c := tree.Counters(); c.Timeouts != 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestTreePanic(t *testing.T) {
	tree := newTree(map[string]fs.Node{"file": fstest.PanickingFile(day), "dir": fstest.PanickingDir(day)})
	file := resolve[fs.File](t, tree, "file")
	for range 2 {
		if n, err := tree.ReadAt(t.Context(), file, make([]byte, 1), 0); n != 0 || !errors.Is(err, fs.ErrBroken) {
			t.Errorf("read: %d, %v", n, err)
		}
	}
	if a, err := tree.Stat(t.Context(), file); a.Size != 1 || err != nil {
		t.Errorf("stat of a file whose reads panic: %+v, %v", a, err)
	}
	if _, err := tree.Resolve(t.Context(), "dir/x"); !errors.Is(err, fs.ErrBroken) {
		t.Errorf("lookup: %v", err)
	}
	fstest.Equal(t, tree.Counters().Panics, 3, "panics")
}

func TestTreeCounters(t *testing.T) {
	tree := newTree(map[string]fs.Node{"a": fstest.NewCountingFile(day, []byte("a"))})
	a := resolve[*fstest.CountingFile](t, tree, "a")
	tree.List(t.Context(), tree.Root())
	tree.ReadAll(t.Context(), a)
	tree.Stat(t.Context(), a)
	if got, want := tree.Counters(), (fs.Counters{Attrs: 2, Lookups: 1, Lists: 1, Reads: 1, Measures: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if a.Renders.Load() != 1 || a.Measures.Load() != 1 || a.Reads.Load() != 1 {
		t.Errorf("%d renders, %d measures, %d reads", a.Renders.Load(), a.Measures.Load(), a.Reads.Load())
	}
}

// sink is an inbox whose drafts take everything.
type sink struct{ fs.Dir }

func (sink) Create(context.Context, string, fs.Standpoint) (fs.Draft, error) { return new(sunk), nil }

type sunk struct{}

func (*sunk) Write(_ context.Context, p []byte, _ int64) (int, error) { return len(p), nil }
func (*sunk) Abandon()                                                {}

// TestTreeBoundsDrafts: bodies that are not finished have one limit, in whatever inbox.
func TestTreeBoundsDrafts(t *testing.T) {
	calls, notes := sink{fs.NewFolder(day, nil)}, sink{fs.NewFolder(day, nil)}
	tree := newTree(map[string]fs.Node{"calls": calls, "notes": notes})
	p := make([]byte, 1<<20)
	write := func(inbox fs.Inbox, d fs.Draft, pieces int) (written int, err error) {
		for ; written < pieces && err == nil; written++ {
			if _, err = tree.Write(t.Context(), inbox, d, p, int64(written)<<20); err != nil {
				return written, err
			}
		}
		return written, nil
	}
	total, last := 0, fs.Draft(nil)
	for i := range 12 {
		inbox := []fs.Inbox{calls, notes}[i%2]
		d, err := tree.Create(t.Context(), inbox, "x", fs.Standpoint{})
		fstest.Must(t, err)
		n, err := write(inbox, d, 60)
		if total += n; (n < 60) != errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d: %d MB were written: %v", i, n, err)
		}
		if i == 0 {
			last = d
		}
	}
	fstest.Equal(t, total, 128)
	other, err := tree.Create(t.Context(), notes, "y", fs.Standpoint{})
	fstest.Must(t, err)
	for range 2 { // the second does nothing
		tree.Abandon(calls, last)
	}
	n, err := write(notes, other, 61)
	fstest.Equal(t, n, 60)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
}

func TestTreeSubscriptions(t *testing.T) {
	tree := newTree(nil)
	var one, two []string
	end := tree.Subscribe(fs.Subscriber{Changed: func(path string) { one = append(one, path) }})
	defer tree.Subscribe(fs.Subscriber{Changed: func(path string) { two = append(two, path) }})()
	tree.Changed("/mcps/x/")
	end()
	end()
	tree.Changed("")
	if !slices.Equal(one, []string{"mcps/x"}) || !slices.Equal(two, []string{"mcps/x", ""}) {
		t.Errorf("%q, %q", one, two)
	}
}

func TestTreeResolve(t *testing.T) {
	tree := newTree(map[string]fs.Node{"dir": fs.NewFolder(day, map[string]fs.Node{"file": textOf("x")})})
	for path, want := range map[string]error{
		"": nil, ".": nil, "/": nil, "dir/file": nil, "/dir//file": nil,
		"nothing": fs.ErrNotExist, "dir/nothing": fs.ErrNotExist, "dir/..": fs.ErrNotExist, "dir/file/x": fs.ErrNotDir,
	} {
		if _, err := tree.Resolve(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

func TestTreeStatOfAnUnsizedFile(t *testing.T) {
	tree := newTree(map[string]fs.Node{"file": fstest.NewHanging().File(day, fs.SizeOnDemand)})
	if _, err := tree.Stat(t.Context(), resolve[fs.Node](t, tree, "file")); !errors.Is(err, fs.ErrBroken) {
		t.Error(err)
	}
}

func TestTextReads(t *testing.T) {
	f := fs.NewText(day, []byte("hello"))
	for _, c := range []struct {
		off, length int
		want        string
		err         error
	}{{0, 5, "hello", nil}, {1, 3, "ell", nil}, {3, 5, "lo", io.EOF}, {5, 1, "", io.EOF}, {9, 1, "", io.EOF}, {-1, 1, "", fs.ErrInvalid}} {
		p := make([]byte, c.length)
		if n, err := f.ReadAt(t.Context(), p, int64(c.off)); string(p[:n]) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d at %d: %q, %v", c.length, c.off, p[:n], err)
		}
	}
}
