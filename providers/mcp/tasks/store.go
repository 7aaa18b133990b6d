package tasks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/questions"
)

// The bounds of what is kept.
const (
	maxTasks  = 1000
	maxAge    = 7 * 24 * time.Hour // of one that has ended, since then
	maxRaw    = 16 << 20           // bytes of a raw result
	maxMemory = 16 << 20           // bytes of outcomes in memory
	maxAsked  = 50                 // IDs of questions of a task
)

// Options are what a store needs.
type Options struct {
	// Dir is where tasks are kept, created when there is one.
	Dir string
	Now func() time.Time
	Log *slog.Logger
	// ReadOnly shows what another process has written.
	ReadOnly bool
	// Changed is called after the tasks of a server, by the name of its folder, have
	// changed. It is called without locks.
	Changed func(server string)
}

// Store keeps tasks. Of each it has a file ID.json, written when the task begins and
// when it ends, and ID.outcome.json when it has ended. It is safe for concurrent
// use.
type Store struct {
	opts Options

	version atomic.Int64

	mu    sync.Mutex
	tasks map[string]*kept
}

type kept struct {
	Task
	outcome *Outcome // nil if it is on disk alone
	onDisk  bool     // outcome is on disk, too
}

// recordFormat is the number of the format of both files.
const recordFormat = 1

// record is the file of a task.
type record struct {
	Format int `json:"format"`
	Task
}

// outcomeRecord is the file of an outcome.
type outcomeRecord struct {
	Format int `json:"format"`
	Outcome
}

const (
	recordSuffix  = ".json"
	outcomeSuffix = ".outcome" + recordSuffix
)

// Open reads the tasks of earlier processes. Those that had not ended are lost then,
// unless their server can be asked for them again. A file that cannot be read is
// left alone.
func Open(o Options) *Store {
	s := &Store{opts: o, tasks: make(map[string]*kept)}
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		if !errors.Is(err, iofs.ErrNotExist) {
			o.Log.Warn("the tasks of earlier processes cannot be read", "err", err)
		}
		return s
	}
	for _, e := range entries {
		id, found := strings.CutSuffix(e.Name(), recordSuffix)
		if !found || strings.HasSuffix(e.Name(), outcomeSuffix) {
			continue
		}
		var r record
		body, err := os.ReadFile(filepath.Join(o.Dir, e.Name()))
		if err == nil {
			err = json.Unmarshal(body, &r)
		}
		if err == nil && (r.Format != recordFormat || r.ID != id) {
			err = fmt.Errorf("it has the format %d", r.Format)
		}
		if err != nil {
			o.Log.Warn("a task of an earlier process cannot be read", "file", e.Name(), "err", err)
			continue
		}
		s.adopt(r.Task)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prune()
	return s
}

// adopt adds a task that another process has started.
func (s *Store) adopt(t Task) {
	k := &kept{Task: t}
	s.tasks[t.ID] = k
	switch {
	case t.HasEnded():
		return
	case s.opts.ReadOnly:
		k.What = "as it was recorded; lost if the process that recorded it has ended"
		return
	}
	k.Questions = nil
	if t.Remote != "" {
		k.State, k.What = Working, "at the server, as far as is known: the process that made the call has ended"
		return
	}
	s.lose(k)
}

// lostText is the text of a lost task.
const lostText = "the process that made the call has ended; whether the tool has done its work is not known"

// lose ends a task whose outcome cannot be learned any more. The caller holds mu,
// or is the only one to know the task.
func (s *Store) lose(k *kept) {
	k.State, k.What, k.Ended, k.Questions = Lost, lostText, s.opts.Now().UTC(), nil
	k.outcome = &Outcome{Word: Lost, Fault: "the result of " + k.ID + " is lost: " + lostText, Fix: "check before you call " + k.Tool + " again"}
	s.write(k)
}

// write writes the files of a task, and reports whether they are there. A failure is
// logged: the task goes on in memory. The caller holds mu, or is the only one to
// know the task.
func (s *Store) write(k *kept) bool {
	if s.opts.ReadOnly {
		return false
	}
	var err error
	if k.outcome != nil { // before the record, which says that there is one
		err = s.save(k.ID+outcomeSuffix, outcomeRecord{recordFormat, *k.outcome})
	}
	if err == nil {
		t := k.Task
		t.Questions = nil // they end with this process
		err = s.save(k.ID+recordSuffix, record{recordFormat, t})
	}
	if err != nil {
		s.opts.Log.Error("a task cannot be kept", "task", k.ID, "err", err)
	}
	return err == nil
}

func (s *Store) save(name string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.opts.Dir, name), body)
}

// Begin adds a task, and returns it with its ID. Its file is written before.
func (s *Store) Begin(t Task) Task {
	s.mu.Lock()
	t.ID = questions.NewID("t", func(id string) bool {
		_, err := os.Lstat(filepath.Join(s.opts.Dir, id+recordSuffix))
		return s.tasks[id] != nil || err == nil
	})
	t.State = Working
	k := &kept{Task: t}
	s.tasks[t.ID] = k
	s.write(k)
	s.prune()
	s.version.Add(1)
	t = k.withCommands()
	s.mu.Unlock()
	s.opts.Changed(t.Server)
	return t
}

// Update changes a task that has not ended. Its file is written again if it has
// another Remote or has been asked more.
func (s *Store) Update(id string, change func(t *Task)) {
	s.change(id, func(k *kept) {
		remote, asked := k.Remote, len(k.Asked)
		change(&k.Task)
		k.Asked = k.Asked[max(0, len(k.Asked)-maxAsked):]
		if k.Remote != remote || len(k.Asked) != asked {
			s.write(k)
		}
	})
}

// End ends a task in a state that it does not leave. Live is its outcome as long as
// this process remembers it, and onDisk what is kept of it. A task that has ended
// stays as it is.
func (s *Store) End(id, state, what string, live, onDisk Outcome) {
	s.change(id, func(k *kept) {
		k.State, k.What, k.Ended, k.Questions = state, what, s.opts.Now().UTC(), nil
		k.outcome = onDisk.bounded()
		k.onDisk = s.write(k)
		k.outcome = live.bounded()
		s.prune()
	})
}

// change changes a task that has not ended, with mu held, and tells so.
func (s *Store) change(id string, do func(k *kept)) {
	s.mu.Lock()
	k := s.tasks[id]
	if k == nil || k.HasEnded() {
		s.mu.Unlock()
		return
	}
	server := k.Server
	func() {
		defer s.mu.Unlock()
		do(k)
		s.version.Add(1)
	}()
	s.opts.Changed(server)
}

// prune removes tasks that ended long ago, the oldest where there are too many, and
// from memory the outcomes that are on disk where they take too much. The caller
// holds mu.
func (s *Store) prune() {
	now, memory := s.opts.Now(), 0
	for i, k := range s.newest() {
		switch {
		case !k.HasEnded():
		case !s.opts.ReadOnly && (i >= maxTasks || now.Sub(k.Ended) > maxAge):
			delete(s.tasks, k.ID)
			os.Remove(filepath.Join(s.opts.Dir, k.ID+recordSuffix)) // otherwise it is pruned again
			os.Remove(filepath.Join(s.opts.Dir, k.ID+outcomeSuffix))
		case k.outcome != nil:
			if memory += k.outcome.size(); memory > maxMemory && k.onDisk {
				k.outcome = nil
			}
		}
	}
}

// newest returns the tasks, the newest first. The caller holds mu.
func (s *Store) newest() []*kept {
	return slices.SortedFunc(maps.Values(s.tasks), func(a, b *kept) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.ID, b.ID))
	})
}

// Version returns a number that changes whenever a task does; it is never 0.
func (s *Store) Version() int64 { return s.version.Load() + 1 }

// List returns the tasks of a server, by the name of its folder, or of all if it is
// "", the newest first.
func (s *Store) List(server string) (all []Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.newest() {
		if server == "" || k.Server == server {
			all = append(all, k.withCommands())
		}
	}
	return all
}

// Error reports that there is no such task.
type Error struct {
	What string // one sentence
	Mend string
}

func (e *Error) Error() string { return e.What }

// Fix returns what to do.
func (e *Error) Fix() string { return e.Mend }

// Find returns a task by its ID, or an [*Error].
func (s *Store) Find(id string) (Task, error) {
	k, err := s.find(id)
	if err != nil {
		return Task{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return k.withCommands(), nil
}

func (s *Store) find(id string) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.tasks[id]; k != nil {
		return k, nil
	}
	for _, k := range s.tasks {
		if slices.Contains(k.Asked, id) {
			return k, nil
		}
	}
	e := &Error{What: fmt.Sprintf("no task has the ID %q", clean.Cut(clean.Line(id), 40)), Mend: "list them: ctxfs tasks"}
	if len(id) < 20 {
		if meant := nearest.Of(id, slices.Collect(maps.Keys(s.tasks))); meant != "" {
			e.What += fmt.Sprintf("; did you mean %s?", meant)
		}
	}
	return nil, e
}

// Outcome returns what became of a task that has ended.
func (s *Store) Outcome(id string) (Outcome, error) {
	k, err := s.find(id)
	if err != nil {
		return Outcome{}, err
	}
	s.mu.Lock()
	o := k.outcome
	s.mu.Unlock()
	if o != nil {
		return *o, nil
	}
	var r outcomeRecord
	body, err := os.ReadFile(filepath.Join(s.opts.Dir, k.ID+outcomeSuffix))
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err == nil && r.Format != recordFormat {
		err = fmt.Errorf("its file has the format %d, which this version of ctxfs does not know", r.Format)
	}
	if err != nil {
		return Outcome{}, &Error{What: fmt.Sprintf("the result of %s cannot be read: %v", k.ID, wording.Cause(err)), Mend: "list the tasks: ctxfs tasks"}
	}
	return r.Outcome, nil
}
