package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Settled returns when every change on disk that was made before the call is reported:
// Changed was called with it, and has returned. A nil Watcher reports nothing. Where no
// file can be made for it, everything that is watched counts as changed.
//
// The kernel reports the events of one watcher in their order, those of a file that is made
// now after all others.
func (w *Watcher) Settled(ctx context.Context) error {
	if w == nil {
		return nil
	}
	w.looks.Poke()
	if err := w.looks.Settled(ctx); err != nil {
		return err
	}
	if w.notify != nil {
		met, err := w.cookies.place()
		if err != nil {
			w.startOver()
		} else if err := w.await(ctx, met); err != nil {
			return err
		}
	}
	return w.await(ctx, w.news.barrier())
}

// await waits until a channel is closed, or the watcher is.
func (w *Watcher) await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
	case <-w.ctx.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// cookies are files that are made to see when the events before them have been read.
type cookies struct {
	notify *fsnotify.Watcher

	mu      sync.Mutex
	dir     string // where they lie; "" where none is waited for
	next    int
	waiting map[string]chan struct{} // by path
}

// place makes a cookie, and returns a channel that is closed when its event has been read.
func (c *cookies) place() (met <-chan struct{}, err error) {
	c.mu.Lock()
	if c.dir == "" {
		c.dir, err = os.MkdirTemp("", "ctxfs-watch-")
		if err == nil {
			err = c.notify.Add(c.dir)
		}
		if err != nil {
			c.remove()
			c.mu.Unlock()
			return nil, err
		}
		c.waiting = make(map[string]chan struct{})
	}
	path := filepath.Join(c.dir, strconv.Itoa(c.next))
	c.next++
	read := make(chan struct{})
	c.waiting[path] = read
	c.mu.Unlock() // the event may be read before the file is closed
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, path)
		c.remove() // the next one tries another folder
		return nil, err
	}
	return read, f.Close()
}

// are reports whether a path is that of a cookie, or of their folder.
func (c *cookies) are(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dir != "" && (path == c.dir || filepath.Dir(path) == c.dir)
}

// met releases those who wait for a cookie. The last one takes the folder along, so that a
// process that is killed leaves none.
func (c *cookies) met(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.waiting[path]
	if read == nil {
		return
	}
	delete(c.waiting, path)
	if len(c.waiting) == 0 {
		c.remove()
	} else {
		_ = os.Remove(path)
	}
	close(read)
}

// lost tells all who wait that events were lost.
func (c *cookies) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, read := range c.waiting {
		delete(c.waiting, path)
		close(read)
	}
	c.remove()
}

// remove removes the folder. The caller holds mu.
func (c *cookies) remove() {
	if c.dir != "" {
		_ = c.notify.Remove(c.dir)
		_ = os.RemoveAll(c.dir)
		c.dir = ""
	}
}

func (c *cookies) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove()
}
