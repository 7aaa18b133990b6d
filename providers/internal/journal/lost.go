package journal

import (
	"slices"
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
		for _, c := range w.Changes {
			t := p.target(c.Path)
			known := slices.ContainsFunc(r.Files, func(e entry) bool { return e.Target == t.Target })
			if known || t.Err != nil {
				continue
			}
			if t.Before == nil {
				if t.Before, t.Err = readText(t.Target); t.Before == nil {
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
				if rest, err := e.Revert(t.After); err == nil {
					t.After = rest
				}
			}
		}
	}
	var all []Step
	for _, t := range p.targets {
		if t.Err != nil || equal(t.Before, t.After) {
			continue
		}
		t.next = entry{Path: t.Path, Target: t.Target, Original: t.After, After: sum(t.After)}
		t.Err = writable(t.Target)
		all = append(all, t.Step)
	}
	return all, nil
}
