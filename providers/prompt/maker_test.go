package prompt

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// pages is a Maker in a test, and what it has shown.
type pages struct {
	*testing.T
	*Maker
	cache string
	count func(ctx context.Context, folders []Folder) (string, error)

	mu      sync.Mutex
	counted int
	shown   []string
	times   []time.Time
	news    chan struct{}
}

func newPages(t *testing.T) *pages {
	return &pages{T: t, cache: filepath.Join(t.TempDir(), "sub", "pages.json"), news: make(chan struct{}, 100), count: counts}
}

func counts(_ context.Context, folders []Folder) (string, error) { return Page(folders), nil }

func (p *pages) start() {
	p.shown, p.times, p.counted = nil, nil, 0
	p.Maker = NewMaker(MakerOptions{
		Cache: p.cache, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Count: func(ctx context.Context, folders []Folder) (string, error) {
			p.mu.Lock()
			p.counted++
			count := p.count
			p.mu.Unlock()
			return count(ctx, folders)
		},
		Show: func(at time.Time, text []byte) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if n := len(p.times); n > 0 && (!at.After(p.times[n-1]) || p.shown[n-1] == string(text)) {
				p.Errorf("shown again, or at no later time: %v after %v", at, p.times[n-1])
			}
			p.shown, p.times = append(p.shown, string(text)), append(p.times, at)
			p.news <- struct{}{}
		},
	})
	p.Cleanup(p.Close)
}

// first is the page that was shown first, which is there when Make returns.
func (p *pages) first() (string, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.shown) == 0 {
		p.Fatal("nothing is shown")
	}
	return p.shown[0], p.times[0]
}

// last waits until a text is the last one shown.
func (p *pages) last(want string) (at time.Time) {
	p.Helper()
	for deadline := time.After(time.Minute); ; {
		p.mu.Lock()
		n := len(p.shown)
		if n > 0 && p.shown[n-1] == want {
			at = p.times[n-1]
			p.mu.Unlock()
			return at
		}
		p.mu.Unlock()
		select {
		case <-p.news:
		case <-deadline:
			p.Fatalf("shown are %q, want at last\n%s", p.shown, want)
		}
	}
}

var factTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// TestMaker: the first page is there when Make returns, the counted one follows
// it with the time of the facts, and the next process counts nothing.
func TestMaker(t *testing.T) {
	p := newPages(t)
	p.start()
	folders := world(25, 50, 10)
	p.Make(folders, factTime)
	if text, _ := p.first(); text != estimatedPage(folders) {
		t.Fatalf("shown at once: %q", text)
	}
	if at := p.last(Page(folders)); !at.Equal(factTime) {
		t.Errorf("the time of the page is %v", at)
	}
	more := world(26, 50, 10)
	p.Make(more, factTime)
	later := p.last(Page(more))
	p.Close()

	p.start()
	p.Make(more, factTime)
	if text, at := p.first(); text != Page(more) || !at.Equal(later) {
		t.Errorf("after a restart: %q at %v, want that of %v", text, at, later)
	}
	p.Make(folders, factTime) // as it was before: the time moves on
	p.last(Page(folders))
	if p.Close(); p.counted != 0 {
		t.Errorf("%d pages were counted again", p.counted)
	}
}

// TestMakerOfEqualText: where all fits, the estimated page is the counted one:
// nothing is counted, and the page stays.
func TestMakerOfEqualText(t *testing.T) {
	p := newPages(t)
	p.start()
	p.Make(world(3, 3, 1), factTime)
	fstest.Equal(t, len(readSaved(p.cache)), 1, "the page is not kept")
	p.Close()
	if len(p.shown) != 1 || p.shown[0] != Page(world(3, 3, 1)) || !p.times[0].Equal(factTime) || p.counted != 0 {
		t.Errorf("shown: %q at %v, counted %d times", p.shown, p.times, p.counted)
	}
	at := p.times[0]
	p.start()
	p.Make(world(3, 3, 1), factTime)
	if p.Close(); len(p.shown) != 1 || !p.times[0].Equal(at) || p.counted != 0 {
		t.Errorf("after a restart: %q at %v, counted %d times", p.shown, p.times, p.counted)
	}
}

// TestMakerWhileCountingHangs: the last whole page stays, also of older facts,
// and the newest follows when it is counted.
func TestMakerWhileCountingHangs(t *testing.T) {
	p := newPages(t)
	p.start()
	p.Make(world(25, 50, 10), factTime)
	p.last(Page(world(25, 50, 10)))
	counting, release := make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	p.count = func(ctx context.Context, folders []Folder) (string, error) {
		counting <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		return Page(folders), nil
	}
	p.mu.Unlock()
	p.Make(world(26, 50, 10), factTime.Add(time.Hour))
	<-counting
	p.Make(world(27, 50, 10), factTime.Add(2*time.Hour))
	p.mu.Lock()
	if n := len(p.shown); p.shown[n-1] != Page(world(25, 50, 10)) {
		t.Errorf("while it hangs, the page is\n%s", p.shown[n-1])
	}
	p.mu.Unlock()
	go func() { release <- struct{}{}; <-counting; release <- struct{}{} }()
	if at := p.last(Page(world(27, 50, 10))); !at.Equal(factTime.Add(2 * time.Hour)) {
		t.Errorf("its time is %v", at)
	}
	p.mu.Lock()
	p.count = func(ctx context.Context, _ []Folder) (string, error) {
		close(counting)
		<-ctx.Done()
		return "", ctx.Err()
	}
	p.mu.Unlock()
	p.Make(world(28, 50, 10), factTime.Add(3*time.Hour))
	<-counting
	p.Close() // ends what hangs
}

// TestMakerThatCannotCount shows what surely fits.
func TestMakerThatCannotCount(t *testing.T) {
	p := newPages(t)
	p.start()
	p.Make(world(25, 50, 10), factTime)
	p.last(Page(world(25, 50, 10)))
	p.mu.Lock()
	p.count = func(context.Context, []Folder) (string, error) { return "", errors.New("no such program") }
	p.mu.Unlock()
	p.Make(world(26, 50, 10), factTime)
	p.last(estimatedPage(world(26, 50, 10)))
	p.Make([]Folder{{Name: "mcps", Status: fs.Status{State: "empty"}}}, factTime)
	p.last(estimatedPage([]Folder{{Name: "mcps", Status: fs.Status{State: "empty"}}}))
	p.mu.Lock()
	p.count = counts
	p.mu.Unlock()
	p.Make(world(26, 50, 10), factTime)
	p.last(Page(world(26, 50, 10)))
	p.Close()
}

// TestMakerWithoutCache: a cache that cannot be read or written costs counting
// again, and no page.
func TestMakerWithoutCache(t *testing.T) {
	p := newPages(t)
	p.cache = "/proc/none/pages.json"
	for range 2 {
		p.start()
		p.Make(world(25, 50, 10), factTime)
		p.last(Page(world(25, 50, 10)))
		p.Close()
	}
}
