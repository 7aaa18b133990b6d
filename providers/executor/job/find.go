package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/nearest"
)

// Missing reports that a name stands for no run, or for several.
type Missing struct {
	Name string
	Near string   // the id that may have been meant, or ""
	Some []string // the ids that begin with the name, if it stands for several
}

func (m *Missing) Error() string {
	if len(m.Some) > 0 {
		return fmt.Sprintf("%q is the beginning of several ids: %s", m.Name, strings.Join(m.Some, ", "))
	}
	return fmt.Sprintf("there is no run %q of an agent", m.Name)
}

// Find returns the run that a name stands for: its id, or the beginning of no other one.
// The error is a *Missing if no run has it.
func (s Store) Find(name string) (*Job, error) {
	j, err := s.Load(name)
	if !errors.Is(err, ErrUnknown) {
		return j, err
	}
	ids, err := s.List()
	if err != nil {
		return nil, err
	}
	missing := &Missing{Name: name}
	for _, id := range ids {
		if name != "" && strings.HasPrefix(id, name) {
			missing.Some = append(missing.Some, id)
		}
	}
	switch len(missing.Some) {
	case 0:
		missing.Near = nearest.Of(name, ids)
	case 1:
		return s.Load(missing.Some[0])
	}
	return nil, missing
}

// Wait waits until the run has ended, with all that belongs to it, and returns it as it
// then is. It is told by the kernel; if ctx ends first, one thread of this process waits on
// until the run ends.
func (s Store) Wait(ctx context.Context, id string) (*Job, error) {
	j, err := s.Load(id)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(j.Path(lockFile))
	if err != nil {
		return nil, err
	}
	free := make(chan error, 1)
	go func() {
		defer lock.Close()
		free <- filelock.WaitFile(context.Background(), lock, filelock.Shared)
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case err := <-free:
		if err != nil {
			return nil, err
		}
	}
	return s.Load(id)
}
