package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ctxfs/providers/setup/edit"
)

// Step is what is to be done to one file.
type Step struct {
	// Path is the file as it was named, Target the file itself: they differ for links.
	Path, Target string
	// Owners are those for whom it is done, and Why says what for.
	Owners, Why []string
	// Before and After are its text; nil is no file.
	Before, After []byte
	// Err is why nothing can be done: the file is as it was.
	Err error

	mode  os.FileMode
	entry *entry // as it was when the step was planned
	next  entry
}

// Writes reports whether the step changes the file.
func (s Step) Writes() bool { return s.Err == nil && !equal(s.Before, s.After) }

// Plan returns what is to be done so that each owner has what it wishes, and nothing else.
// Files without a change have no step. The steps are in the order in which
// the files are named first.
func (j *Journal) Plan(wishes ...Wish) ([]Step, error) {
	r, err := j.read()
	if err != nil {
		return nil, err
	}
	p := planner{record: r}
	for _, w := range wishes {
		p.owners = append(p.owners, w.Owner)
		for _, c := range w.Changes {
			t := p.target(c.Path)
			t.Owners = add(t.Owners, w.Owner)
			t.Why = add(t.Why, c.Why)
			t.mode = cmp.Or(t.mode, c.Mode)
			i := slices.IndexFunc(t.wanted, func(w part) bool { return w.Owner == p.owners[len(p.owners)-1] })
			if i < 0 {
				i, t.wanted = len(t.wanted), append(t.wanted, part{Owner: w.Owner})
			}
			t.wanted[i].Edits = append(t.wanted[i].Edits, c.Edits...)
		}
	}
	return p.steps(), nil
}

// PlanUndo returns what is to be done so that the owners have no changes any more; without
// any, none has.
func (j *Journal) PlanUndo(owners ...string) ([]Step, error) {
	r, err := j.read()
	if err != nil {
		return nil, err
	}
	p := planner{record: r, owners: owners}
	if len(owners) == 0 {
		if p.owners, err = j.Owners(); err != nil {
			return nil, err
		}
	}
	return p.steps(), nil
}

// planner makes steps for some owners.
type planner struct {
	record  record
	owners  []string
	targets []*target
}

// target is a file, and its wanted text.
type target struct {
	Step
	wanted []part
}

func add(all []string, s string) []string {
	if s == "" || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// target returns the file that a path names; several paths may name one.
func (p *planner) target(path string) *target {
	real, err := resolve(path)
	for _, t := range p.targets {
		if t.Target == real && (err == nil || t.Path == path) {
			return t
		}
	}
	t := &target{Step: Step{Path: path, Target: real, Err: err}}
	p.targets = append(p.targets, t)
	return t
}

func (p *planner) steps() (all []Step) {
	// Files in which an owner has changes that it does not want any more.
	for i := range p.record.Files {
		e := &p.record.Files[i]
		for _, part := range e.Parts {
			if slices.Contains(p.owners, part.Owner) {
				t := p.target(e.Target)
				t.Path = e.Path
				t.Owners = add(t.Owners, part.Owner)
			}
		}
	}
	for _, t := range p.targets {
		if i := slices.IndexFunc(p.record.Files, func(e entry) bool { return e.Target == t.Target }); i >= 0 {
			t.entry = &p.record.Files[i]
		}
		if t.Err == nil {
			t.Err = p.plan(t)
		}
		if t.Err != nil {
			t.After = t.Before
		}
		if t.Err != nil || !equal(t.Before, t.After) || t.stale() {
			all = append(all, t.Step)
		}
	}
	return all
}

// stale reports whether the journal has to be written although the file has not.
func (s *Step) stale() bool {
	if s.entry == nil {
		return len(s.next.Parts) > 0
	}
	return plain(s.entry.Parts) != plain(s.next.Parts) || s.entry.Pending != ""
}

// plan finds out what becomes of a file.
func (p *planner) plan(t *target) (err error) {
	if t.Before, err = readText(t.Target); err != nil {
		return err
	}
	was := entry{Original: t.Before, After: sum(t.Before)}
	if t.entry != nil {
		was = *t.entry
	}
	t.next = entry{Path: t.Path, Target: t.Target, Original: was.Original}
	text, edited := was.Original, !was.known(t.Before)
	if edited {
		if text, err = p.reverted(t, was); err != nil {
			return err
		}
	}
	var parts []part // the wanted text
	for _, part := range was.Parts {
		if slices.Contains(p.owners, part.Owner) {
			continue
		}
		if edited { // what others of ours had, unless it was taken out by hand
			part.Edits = slices.DeleteFunc(slices.Clone(part.Edits), func(e edit.Edit) bool { return !isIn(e, t.Before) })
		}
		parts = append(parts, part)
	}
	parts = append(parts, t.wanted...)
	if t.entry != nil && sum(t.Before) == was.After && was.Pending == "" && plain(parts) == plain(was.Parts) {
		t.After, t.next = t.Before, was
		return nil
	}
	var failed error
	for _, part := range parts {
		done := make([]edit.Edit, 0, len(part.Edits))
		for _, e := range part.Edits {
			after, d, err := e.Plain().Apply(text)
			if err != nil {
				if failed == nil || !slices.Contains(strings.Split(failed.Error(), "\n"), err.Error()) { // as of a text that is not valid
					failed = errors.Join(failed, err)
				}
				continue
			}
			if old, ok := was.find(part.Owner, d); ok && edited && isIn(old, text) {
				d = d.Noted(old) // it is ours still
			}
			text, done = after, append(done, d)
		}
		part.Edits = done
		if slices.ContainsFunc(done, func(e edit.Edit) bool { return !e.Found }) {
			t.next.Parts = append(t.next.Parts, part)
		}
	}
	if failed != nil {
		return failed
	}
	t.After = text
	if len(t.next.Parts) == 0 && was.Original == nil && len(text) == 0 {
		t.After = nil
	}
	if edited { // from now on this is what it was without us
		if t.next.Original, err = without(text, t.next.Parts); err != nil {
			return err
		}
		if was.Original == nil && len(t.next.Original) == 0 {
			t.next.Original = nil
		}
	}
	t.next.After = sum(t.After)
	if !equal(t.Before, t.After) {
		return writable(t.Target)
	}
	return nil
}

// reverted returns a text that others have edited since, without what the owners had in it,
// unless another owner still wants it.
func (p *planner) reverted(t *target, was entry) ([]byte, error) {
	var parts []part
	for _, old := range was.Parts {
		if !slices.Contains(p.owners, old.Owner) {
			continue
		}
		var gone []edit.Edit
		for _, e := range old.Edits {
			replaces := func(n edit.Edit) bool { return n.Replaces(e) }
			kept := func(p part) bool { return slices.ContainsFunc(p.Edits, replaces) }
			others := func(o part) bool { return !slices.Contains(p.owners, o.Owner) && kept(o) }
			if !slices.ContainsFunc(t.wanted, kept) && !slices.ContainsFunc(was.Parts, others) {
				gone = append(gone, e)
			}
		}
		parts = append(parts, part{old.Owner, gone})
	}
	return without(t.Before, parts)
}

// without returns a text without the parts.
func without(text []byte, parts []part) ([]byte, error) {
	var failed error
	for _, p := range slices.Backward(parts) {
		rest, err := edit.Revert(text, p.Edits)
		if failed = errors.Join(failed, err); err == nil {
			text = rest
		}
	}
	if failed != nil {
		return nil, fmt.Errorf("our parts cannot be told from the rest: %w", failed)
	}
	return text, nil
}

// find returns how an edit of an owner was done before.
func (e entry) find(owner string, d edit.Edit) (edit.Edit, bool) {
	for _, p := range e.Parts {
		for _, old := range p.Edits {
			if p.Owner == owner && d.Replaces(old) {
				return old, true
			}
		}
	}
	return d, false
}

// isIn reports whether what an edit did is in the text.
func isIn(e edit.Edit, text []byte) bool {
	rest, err := e.Revert(text)
	return err == nil && !equal(rest, text)
}

// plain returns parts without what was found when they were done.
func plain(parts []part) string {
	all := make([]part, len(parts))
	for i, p := range parts {
		all[i].Owner = p.Owner
		for _, e := range p.Edits {
			all[i].Edits = append(all[i].Edits, e.Plain())
		}
	}
	text, _ := json.Marshal(all)
	return string(text)
}
