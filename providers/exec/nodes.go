package exec

import (
	"context"
	iofs "io/fs"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/exec/pattern"
)

// dir is a folder of the tree. It has the names that are listed, and those that a
// command would fill.
type dir struct {
	f    *folder
	path string
}

// Attr implements fs.Node.
func (d *dir) Attr(context.Context) (fs.Attr, error) {
	a := fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: d.f.p.opts.Env.Built}
	if now := d.f.shown.Load().dirs[d.path]; now != nil {
		a.ModTime, a.Version = now.at, now.version
	}
	return a, nil
}

// List implements fs.Dir.
func (d *dir) List(context.Context) ([]fs.Entry, error) {
	if now := d.f.shown.Load().dirs[d.path]; now != nil {
		return now.entries, nil
	}
	return nil, nil
}

// Lookup implements fs.Dir. It runs nothing.
func (d *dir) Lookup(_ context.Context, name string) (fs.Node, error) {
	child := path.Join(d.path, name)
	now := d.f.shown.Load()
	if here := now.dirs[d.path]; here != nil {
		if node := here.files[name]; node != nil {
			return node, nil
		}
	}
	if now.dirs[child] != nil {
		return &dir{d.f, child}, nil
	}
	names := strings.Split(child, "/")
	if one, values, ok := d.f.match(names); ok {
		return newPending(d.f, child, one, values), nil
	}
	if d.f.leadsOn(names) {
		return &dir{d.f, child}, nil
	}
	return nil, fs.ErrNotExist
}

// pending is a file that is not listed: its command runs when its size or its bytes are
// first asked for, once for all who ask at the same time.
type pending struct {
	f      *folder
	path   string
	rule   *rule
	values pattern.Values
	made   time.Time
	// version is that of the file whose bytes are not known yet: another one after each run.
	version uint64
	done    atomic.Pointer[output]
}

func newPending(f *folder, name string, r *rule, values pattern.Values) *pending {
	n := &pending{f: f, path: name, rule: r, values: values}
	n.made, n.version = f.generation(name)
	return n
}

// Attr implements fs.Node.
func (n *pending) Attr(context.Context) (fs.Attr, error) {
	a := fs.Attr{Mode: 0o400, Size: fs.SizeOnDemand, ModTime: n.made, Version: n.version}
	if o := n.done.Load(); o != nil {
		a.Size, a.ModTime = o.Body.Size, o.Ran
	}
	return a, nil
}

// Patience implements fs.Patient: the command may have to wait for others.
func (n *pending) Patience() time.Duration { return 4*n.f.timeout + 10*time.Second }

// Measure implements fs.Measurer.
func (n *pending) Measure(ctx context.Context) (fs.Attr, error) {
	if _, err := n.output(ctx); err != nil {
		return fs.Attr{}, err
	}
	return n.Attr(ctx)
}

// ReadAt implements fs.File.
func (n *pending) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	o, err := n.output(ctx)
	if err != nil {
		return 0, err
	}
	return o.Body.node.ReadAt(ctx, p, off)
}

// output returns the one output that the node shows.
func (n *pending) output(ctx context.Context) (*output, error) {
	if o := n.done.Load(); o != nil {
		return o, nil
	}
	o, err := n.f.get(ctx, n.path, n.rule, n.values)
	if err != nil {
		return nil, err
	}
	n.done.CompareAndSwap(nil, o)
	return n.done.Load(), nil
}
