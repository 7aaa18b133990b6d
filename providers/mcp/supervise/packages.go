package supervise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// packages lets one start at a time install a package: two runners that write the
// same cache entry at once leave it broken. A start that an earlier process of
// ctxfs has left to finish counts too: while a start is under way, a file for its
// package records it.
type packages struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	taken map[string]chan struct{} // by key: closed when it is free
}

func newPackages(dir string, log *slog.Logger) *packages {
	return &packages{dir: dir, log: log, taken: make(map[string]chan struct{})}
}

// Take waits until no other start of the package is under way, and reserves the
// package until free is called. A start that an earlier process of ctxfs has left
// is waited for as long as it makes progress, and then ended. Waiting is called
// when there is another start to wait for.
func (s *Supervisor) Take(ctx context.Context, pkg Package, limits Limits, g Grace, waiting func()) (free func(), err error) {
	key := pkg.Key
	for {
		s.packages.mu.Lock()
		busy := s.packages.taken[key]
		if busy == nil {
			break
		}
		s.packages.mu.Unlock()
		waiting()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	mine := make(chan struct{})
	s.packages.taken[key] = mine
	s.packages.mu.Unlock()
	free = once(func() {
		s.packages.mu.Lock()
		delete(s.packages.taken, key)
		s.packages.mu.Unlock()
		close(mine)
	})
	if err := s.packages.awaitLeft(ctx, key, limits, g, waiting); err != nil {
		free()
		return nil, err
	}
	return free, nil
}

// leftLook is the interval between checks of a start that was left.
const leftLook = 250 * time.Millisecond

// awaitLeft waits for the end of a start that an earlier process has left. If the
// group may no longer be the recorded one, the record is dropped and nothing is
// signalled: the number may belong to another group by now.
func (p *packages) awaitLeft(ctx context.Context, key string, limits Limits, g Grace, waiting func()) error {
	var group int
	var leader uint64
	text, err := os.ReadFile(p.file(key))
	if err != nil {
		return nil // nothing is recorded
	}
	if n, _ := fmt.Sscan(string(text), &group, &leader); n != 2 || group <= 1 || leader == 0 || began(group) != leader {
		p.unmark(key)
		return nil
	}
	same := func() bool { // the leader may exit before the others
		now := began(group)
		return !groupExited(group) && (now == 0 || now == leader)
	}
	left := newMeter(group).watch()
	begun := time.Now()
	last := begun
	tick := time.NewTicker(leftLook)
	defer tick.Stop()
	for same() {
		waiting()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		now := time.Now()
		if left.moved() {
			last = now
		}
		if now.Sub(last) > limits.Idle || now.Sub(begun) > limits.Total {
			p.log.Info("a start that was left is ended", "group", group)
			if errors.Is(syscall.Kill(-group, syscall.SIGTERM), syscall.EPERM) {
				break // we must not end it
			}
			for ending := now; same() && time.Since(ending) < g.Work; {
				<-tick.C
			}
			if same() && errors.Is(syscall.Kill(-group, syscall.SIGKILL), syscall.EPERM) {
				break
			}
		}
	}
	p.unmark(key)
	return nil
}

// file returns the file that records the start of a package.
func (p *packages) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(p.dir, hex.EncodeToString(sum[:8]))
}

// mark records that a process group starts a package.
func (p *packages) mark(key string, group int) {
	if p.dir == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := os.MkdirAll(p.dir, 0o700)
	if err == nil {
		err = os.WriteFile(p.file(key), fmt.Appendf(nil, "%d %d\n", group, began(group)), 0o600)
	}
	if err != nil {
		p.log.Warn("a start cannot be noted", "error", err)
	}
}

// unmark removes the record of a package.
func (p *packages) unmark(key string) {
	if p.dir == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = os.Remove(p.file(key)) // it may not exist
	_ = os.Remove(p.dir)       // fails if anything else is in it
}
