package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/internal/filelock"
)

// As many agents run at once as there are slots: files that are locked, so that the kernel
// frees the slot of a runner however it ends. They hold its run's id. Those that wait have
// a file each in a queue, locked likewise; the names say their order, and who they are.
// All of this is looked at and changed by whoever holds the gate.
const (
	queueDir = "queue"
	gateFile = "gate"
)

// turnTime is how often a run that waits looks whether it is its turn.
const turnTime = 100 * time.Millisecond

// errStuck reports that a run would wait for ever.
var errStuck = errors.New("as many agents as may run at once wait for agents that they have started, so this one would wait for ever")

// turn waits until fewer than limit runs are under way, and all that came before have had
// their turn. The slot is to be released. Waits is called once if it has to be waited for.
//
// A run that was started by another one waits as well, unless each run that has a slot
// would then wait for one without. So there is always one that can end.
func turn(ctx context.Context, store job.Store, id string, limit int, waits func()) (*filelock.Lock, error) {
	q := &queue{store: store, dir: filepath.Join(store.Dir, job.SlotsDir), id: id, limit: limit}
	if err := os.MkdirAll(filepath.Join(q.dir, queueDir), 0o700); err != nil {
		return nil, err
	}
	defer q.leave()
	for first := true; ; first = false {
		slot, err := q.look(ctx)
		if slot != nil || err != nil {
			return slot, err
		}
		if first {
			waits()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(turnTime):
		}
	}
}

// queue is the queue for one that stands in it.
type queue struct {
	store   job.Store
	dir, id string
	limit   int
	place   *filelock.Lock // nil until it has looked
	name    string         // of its place
}

func (q *queue) path(name string) string { return filepath.Join(q.dir, queueDir, name) }

// leave gives up the place.
func (q *queue) leave() {
	if q.place != nil {
		os.Remove(q.path(q.name))
		q.place.Release()
	}
}

// look returns a free slot if it is its turn; nil if it has to wait.
func (q *queue) look(ctx context.Context) (*filelock.Lock, error) {
	gate, err := filelock.Wait(ctx, filepath.Join(q.dir, gateFile), filelock.Exclusive)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	defer gate.Release()
	before, err := q.before()
	if err != nil {
		return nil, err
	}
	if len(before) == 0 {
		if slot, err := q.free(); slot != nil || err != nil {
			return slot, err
		}
	}
	if q.place != nil {
		return nil, nil
	}
	if q.stuck(before) {
		return nil, errStuck
	}
	return nil, q.stand(before)
}

// before returns the names of the places before its own, or of all if it has none, and
// removes what those left that were killed.
func (q *queue) before() (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(q.dir, queueDir)) // sorted: the oldest is first
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Name() == q.name {
			break
		}
		path := q.path(entry.Name())
		gone, err := filelock.Try(path, filelock.Exclusive)
		if errors.Is(err, filelock.ErrHeld) {
			names = append(names, entry.Name())
			continue
		}
		os.Remove(path)
		gone.Release()
	}
	return names, nil
}

// stand takes the place after others, whatever the clock says.
func (q *queue) stand(before []string) (err error) {
	now := time.Now().UnixNano()
	if len(before) > 0 {
		since, _, _ := strings.Cut(before[len(before)-1], "-")
		if last, err := strconv.ParseInt(since, 10, 64); err == nil {
			now = max(now, last+1)
		}
	}
	q.name = fmt.Sprintf("%020d-%s", now, q.id)
	q.place, err = filelock.Try(q.path(q.name), filelock.Exclusive)
	return err
}

func (q *queue) slot(n int) string { return filepath.Join(q.dir, strconv.Itoa(n)) }

// free returns a free slot; nil if there is none.
func (q *queue) free() (*filelock.Lock, error) {
	for n := range q.limit {
		slot, err := filelock.Try(q.slot(n), filelock.Exclusive)
		switch {
		case errors.Is(err, filelock.ErrHeld):
		case err != nil:
			return nil, err
		default:
			_ = os.WriteFile(q.slot(n), []byte(q.id), 0o600) // on a full disk it counts as one that can end
			return slot, nil
		}
	}
	return nil, nil
}

// stuck reports whether each run that has a slot would wait for one that waits, if it did
// so too.
func (q *queue) stuck(before []string) bool {
	blocked := make(map[string]bool)
	block := func(id string) {
		for id != "" && !blocked[id] {
			blocked[id] = true
			j, err := q.store.Load(id)
			if err != nil {
				return
			}
			id = j.Status.Within
		}
	}
	block(q.id)
	for _, name := range before {
		_, id, _ := strings.Cut(name, "-")
		block(id)
	}
	for n := range q.limit {
		id, err := os.ReadFile(q.slot(n))
		if err != nil || !blocked[string(id)] {
			return false
		}
	}
	return true
}
