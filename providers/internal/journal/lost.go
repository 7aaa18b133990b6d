package journal

import (
	"errors"
	"slices"

	"ctxfs/providers/internal/edit"
)

// PlanLost returns what is to be done to files of which the journal knows nothing, since it
// was lost, to take out what owners have changed: as far as it can be told by names and
// markers that it is ours.
func (j *Journal) PlanLost(wishes ...Wish) ([]Step, error) {
	r, err := j.read()
	if err != nil {
		return nil, err
	}
	p := planner{record: r}
	for _, w := range wishes {
		if w.Whole && slices.ContainsFunc(w.Changes, func(c edit.Change) bool { return r.knows(c.Path) }) {
			continue // undo what is known first
		}
		for _, c := range w.Changes {
			t := p.target(c.Path)
			known := slices.ContainsFunc(r.Files, func(e entry) bool { return e.Target == t.Target })
			if t.Err != nil {
				t.Owners = add(t.Owners, w.Owner)
			}
			if known || t.Err != nil {
				continue
			}
			if t.Before == nil {
				t.Before, t.Err = readText(t.Target)
				if w.Whole && t.Before == nil && t.Err == nil {
					t.Err = errors.New("it is not there any more, and what was taken out of it cannot be put back")
				}
				if t.Before == nil {
					t.Owners = add(t.Owners, w.Owner)
					continue
				}
				t.After = t.Before
			}
			t.Owners = add(t.Owners, w.Owner)
			for _, e := range slices.Backward(c.Edits) {
				if !e.Named() {
					continue
				}
				e = e.Plain()
				e.Ours = false // somebody else may have given another value that name
				switch rest, err := e.Revert(t.After); {
				case err == nil:
					t.After = rest
				case w.Whole && t.Err == nil:
					t.Err = err
				}
			}
		}
	}
	var all []Step
	for _, t := range p.targets {
		whole := slices.ContainsFunc(wishes, func(w Wish) bool { return w.Whole && slices.Contains(t.Owners, w.Owner) })
		switch {
		case t.Err != nil && whole:
			t.After = t.Before
			all = append(all, t.Step)
			continue
		case t.Err != nil, equal(t.Before, t.After):
			continue
		}
		t.next = entry{Path: t.Path, Target: t.Target, Original: t.After, After: sum(t.After)}
		t.Err = writable(t.Target)
		all = append(all, t.Step)
	}
	return all, nil
}

// knows reports whether the record has the file that a path names.
func (r record) knows(path string) bool {
	real, err := resolve(path)
	return err == nil && slices.ContainsFunc(r.Files, func(e entry) bool { return e.Target == real })
}
