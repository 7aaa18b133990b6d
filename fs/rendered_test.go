package fs_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestRenderedOnceForAll(t *testing.T) {
	var renders atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	f := fs.NewRendered(day, 1, func(context.Context) ([]byte, error) {
		if renders.Add(1) == 1 {
			close(begun)
		}
		<-release
		return []byte("hello"), nil
	})
	if a, err := f.Attr(t.Context()); a.Size != fs.SizeOnDemand || err != nil {
		t.Errorf("before: %+v, %v", a, err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			p := make([]byte, 5)
			if n, err := f.ReadAt(t.Context(), p, 0); string(p[:n]) != "hello" || err != nil {
				t.Errorf("%q, %v", p[:n], err)
			}
		})
	}
	<-begun
	if a, err := f.Attr(t.Context()); a.Size != fs.SizeOnDemand || err != nil {
		t.Errorf("meanwhile: %+v, %v", a, err)
	}
	close(release)
	all.Wait()
	fstest.Equal(t, renders.Load(), 1, "times rendered")
	if a, err := f.Measure(t.Context()); a.Size != 5 || err != nil {
		t.Errorf("afterwards: %+v, %v", a, err)
	}
}

func TestRenderedTriesAgain(t *testing.T) {
	away := errors.New("away")
	calls := 0
	f := fs.NewRendered(day, 1, func(context.Context) ([]byte, error) {
		switch calls++; calls {
		case 1:
			return nil, away
		case 2:
			panic("oh")
		}
		return nil, nil
	})
	for i, want := range []error{away, fs.ErrBroken, nil, nil} {
		if a, err := f.Measure(t.Context()); !errors.Is(err, want) || a.Size != 0 {
			t.Errorf("%d: %+v, %v, want %v", i, a, err, want)
		}
	}
	fstest.Equal(t, calls, 3, "calls")
}

func TestRenderedPanicIsCountedByTheTree(t *testing.T) {
	tree := newTree(map[string]fs.Node{"f": fs.NewRendered(day, 1, func(context.Context) ([]byte, error) { panic("oh") })})
	if _, err := tree.Stat(t.Context(), resolve[fs.Node](t, tree, "f")); !errors.Is(err, fs.ErrBroken) {
		t.Error(err)
	}
	fstest.Equal(t, tree.Counters().Panics, 1, "panics")
}

func TestRenderedOutlivesItsCaller(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	f := fs.NewRendered(day, 1, func(ctx context.Context) ([]byte, error) {
		close(begun) // a second call would panic
		<-release
		return []byte("hello"), ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := f.Measure(ctx); done <- err }()
	<-begun
	leave()
	if err := <-done; !errors.Is(err, fs.ErrInterrupted) {
		t.Errorf("who left: %v", err)
	}
	go func() { _, err := f.Measure(t.Context()); done <- err }()
	close(release)
	if err := <-done; err != nil {
		t.Errorf("who came later: %v", err)
	}
}
