package fs

import "context"

// Found is what [Tree.Find] tells of one name.
type Found struct {
	Node Node
	Attr Attr // the size may be SizeOnDemand
	Err  error
}

// finder is a Dir that looks a name up and asks for its Attr at the cost of
// one of both.
type finder interface {
	find(name string) (Node, Attr, error)
}

// Find looks names up in a folder and asks what it finds for its Attr. All that
// has to be waited for is one operation: where it does not end in time, the
// error is that of every name from the first slow one on. The result has the
// order of the names.
func (t *Tree) Find(ctx context.Context, d Dir, names ...string) []Found {
	t.lookups.Add(uint64(len(names)))
	t.attrs.Add(uint64(len(names)))
	found := make([]Found, 0, len(names))
	if isPrompt(d) {
		for _, name := range names {
			f, slow := t.find(ctx, d, name, false)
			if slow {
				break
			}
			found = append(found, f)
		}
	}
	names = names[len(found):]
	if len(names) == 0 {
		return found
	}
	rest, err := await(ctx, t, d, func(ctx context.Context) ([]Found, error) {
		rest := make([]Found, 0, len(names))
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, contextError(ctx)
			}
			f, _ := t.find(ctx, d, name, true)
			rest = append(rest, f)
		}
		return rest, nil
	})
	if err != nil {
		for range names {
			found = append(found, Found{Err: err})
		}
	}
	return append(found, rest...)
}

// find finds one name. What panics is an error of that name. Unless it may wait
// it asks only a node that is prompt, and tells of another that it may be slow.
func (t *Tree) find(ctx context.Context, d Dir, name string, wait bool) (f Found, slow bool) {
	f.Err = t.guard(d, func() (err error) {
		if d, ok := d.(finder); ok {
			f.Node, f.Attr, err = d.find(name)
			return err
		}
		if f.Node, err = d.Lookup(ctx, name); err != nil {
			return err
		}
		if slow = !wait && !isPrompt(f.Node); slow {
			return nil
		}
		f.Attr, err = f.Node.Attr(ctx)
		return err
	})
	return f, slow
}
