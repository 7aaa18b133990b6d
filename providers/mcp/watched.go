package mcp

import (
	"context"
	"slices"
	"sync"
)

// watched are the resources whose changes a connection is to tell of.
type watched struct {
	// news gets a value when one has changed, or others are to be watched.
	news chan struct{}

	mu    sync.Mutex
	stale map[string]bool // by URI: whether it is to be read again
	turn  func()          // ends the stream of notifications, for one with another filter
}

func (w *watched) post() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// set says which are watched from now on, and returns those that were not and
// those that are no more. The fresh ones are stale.
func (w *watched) set(uris []string) (fresh, dropped []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stale := make(map[string]bool, len(uris))
	for _, uri := range uris {
		was, had := w.stale[uri]
		stale[uri] = was || !had
		if !had {
			fresh = append(fresh, uri)
		}
	}
	for uri := range w.stale {
		if _, has := stale[uri]; !has {
			dropped = append(dropped, uri)
		}
	}
	w.stale = stale
	if len(fresh)+len(dropped) > 0 && w.turn != nil {
		w.turn()
	}
	return fresh, dropped
}

// outdate marks a resource that is watched.
func (w *watched) outdate(uri string) {
	w.mu.Lock()
	_, has := w.stale[uri]
	if has {
		w.stale[uri] = true
	}
	w.mu.Unlock()
	if has {
		w.post()
	}
}

// outdateAll marks all: changes may have been missed.
func (w *watched) outdateAll() {
	w.mu.Lock()
	for uri := range w.stale {
		w.stale[uri] = true
	}
	some := len(w.stale) > 0
	w.mu.Unlock()
	if some {
		w.post()
	}
}

// takeStale gives those that are to be read again, once.
func (w *watched) takeStale() (uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri, is := range w.stale {
		if is {
			w.stale[uri] = false
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// filter gives those that are watched now, and a context that ends when they
// are others.
func (w *watched) filter(ctx context.Context) (context.Context, context.CancelFunc, []string) {
	ctx, turn := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn = turn
	var uris []string
	for uri := range w.stale {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return ctx, turn, uris
}
