package supervise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/mcp/config"
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
// is waited for, too. Waiting is called when there is another start to wait for.
func (s *Supervisor) Take(ctx context.Context, pkg config.Package, limits Limits, waiting func()) (free func(), err error) {
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
	if err := s.packages.awaitLeft(ctx, key, limits, waiting); err != nil {
		free()
		return nil, err
	}
	return free, nil
}

// leftLook is the interval between checks of a start that was left.
const leftLook = 250 * time.Millisecond

// awaitLeft waits for the end of a start that another process has recorded: one
// that it has left, or that is still its own. If the group may no longer be the
// recorded one, the record is dropped and nothing is signalled: the number may
// belong to another group by now.
func (p *packages) awaitLeft(ctx context.Context, key string, limits Limits, waiting func()) error {
	var last record
	for {
		left, ok := p.recorded(key)
		if !ok || left == last { // it cannot be removed
			return nil
		}
		if left.leader != 0 && began(left.group) == left.leader {
			if err := p.await(ctx, key, left, limits, waiting); err != nil {
				return err
			}
		}
		p.unmark(key, left.group)
		last = left
	}
}

// await waits until a recorded start is over: its group has exited, or its process
// of ctxfs has removed the record, since a server that has answered goes on. The reaper
// of the process that has left it ends it in time.
func (p *packages) await(ctx context.Context, key string, left record, limits Limits, waiting func()) error {
	tick := time.NewTicker(leftLook)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < limits.Total; {
		now := began(left.group) // the leader may exit before the others
		if is, ok := p.recorded(key); !ok || is != left || groupExited(left.group) || now != 0 && now != left.leader {
			return nil
		}
		waiting()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// file returns the file that records the start of a package.
func (p *packages) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(p.dir, hex.EncodeToString(sum[:8]))
}

// record is a start under way, as its file has it.
type record struct {
	group  int
	leader uint64 // when the leader of the group began; 0 if the system does not tell
}

// recorded returns the recorded start of a package.
func (p *packages) recorded(key string) (is record, ok bool) {
	if p.dir == "" {
		return is, false
	}
	text, err := os.ReadFile(p.file(key))
	if err != nil {
		return is, false
	}
	n, _ := fmt.Sscan(string(text), &is.group, &is.leader)
	return is, n == 2 && is.group > 1
}

// mark records that a process group starts a package.
func (p *packages) mark(key string, group int) {
	if p.dir == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := atomicfile.Write(p.file(key), fmt.Appendf(nil, "%d %d\n", group, began(group))); err != nil {
		p.log.Warn("a start cannot be noted", "error", err)
	}
}

// unmark removes the record of a package, unless it is another group's: two
// processes of ctxfs may share a cache.
func (p *packages) unmark(key string, group int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if is, ok := p.recorded(key); ok && is.group == group {
		_ = os.Remove(p.file(key)) // it may not exist
		_ = os.Remove(p.dir)       // fails if anything else is in it
	}
}
