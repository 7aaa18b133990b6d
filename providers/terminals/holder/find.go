package holder

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/terminals/record"
)

// List returns all recorded terminals, running ones first, then newest first.
func (r *Recording) List() ([]*record.Terminal, error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var all []*record.Terminal
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		// A folder that cannot be read is unfinished, or not a terminal.
		if t, err := record.LoadState(filepath.Join(r.Dir, e.Name())); err == nil {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *record.Terminal) int {
		if a.Running() != b.Running() {
			if a.Running() {
				return -1
			}
			return 1
		}
		return b.Started.Compare(a.Started)
	})
	return all, nil
}

// Missing reports that no running terminal has a name.
type Missing struct {
	Name string
	Near string // the name that may have been meant
	// Ended is the ended terminal with that name, or nil.
	Ended *record.Terminal
	// Other is what records the terminal if it runs without a holder, or "".
	Other string
}

func (m *Missing) Error() string {
	switch {
	case m.Other != "":
		return fmt.Sprintf("%s is recorded by %s: only what ctxfs term has opened, or ctxfs run --background, can be attached to", m.Name, m.Other)
	case m.Ended != nil:
		return fmt.Sprintf("terminal %s has ended", m.Name)
	}
	return fmt.Sprintf("there is no terminal %q", m.Name)
}

// Known returns the terminal that has an ID or a name: the running one or else the one
// that was opened last. The error is a *Missing if no terminal has it.
func (r *Recording) Known(name string) (*record.Terminal, error) {
	if record.IsID(name) {
		if t, err := record.LoadState(filepath.Join(r.Dir, name)); err == nil {
			return t, nil
		}
	}
	all, err := r.List()
	if err != nil {
		return nil, err
	}
	missing := &Missing{Name: name}
	var known []string
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
		known = append(known, t.ID)
	}
	missing.Near = nearest.Of(name, known)
	return nil, missing
}

// Find returns the running terminal that has an ID or a name. The error is a
// *Missing if no terminal has it.
func (r *Recording) Find(name string) (*record.Terminal, error) {
	all, err := r.List()
	if err != nil {
		return nil, err
	}
	missing := &Missing{Name: name}
	var known []string
	for _, t := range all {
		if t.ID != name && t.Name != name {
			if t.Running() && t.Attachable() {
				known = append(known, t.ID)
			}
			continue
		}
		switch {
		case !t.Running():
			missing.Ended = cmp.Or(missing.Ended, t)
		case !t.Attachable():
			missing.Other = map[string]string{record.Run: "ctxfs run", record.Tmux: "ctxfs from tmux"}[t.Source]
		default:
			return t, nil
		}
	}
	missing.Near = nearest.Of(name, known)
	return nil, missing
}
