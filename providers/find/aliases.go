package find

import (
	"context"
	"time"

	"ctxfs/fs"
)

// alias returns a node as it is shown below find/, and everything below it. What
// happens to it is announced for its own path only, so that here nothing may be kept
// of it without asking: folders and files are Live, and a file that is overwritten is
// another one with each version. A text never changes, and a link is another one when
// it does.
func alias(n fs.Node) fs.Node {
	switch n := n.(type) {
	case *fs.Text:
		return n
	case fs.Dir:
		return aliasDir{n}
	case fs.File:
		return aliasFile{n}
	}
	return n
}

// patienceOf returns the deadline of a node's operations.
func patienceOf(n fs.Node) time.Duration {
	if p, ok := n.(fs.Patient); ok {
		return p.Patience()
	}
	return fs.DefaultDeadline
}

// aliasDir is a folder of the tree below find/. It is no inbox, whatever the folder is.
type aliasDir struct{ dir fs.Dir }

var _ fs.Computed = aliasDir{}

// Attr implements fs.Node.
func (d aliasDir) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := d.dir.Attr(ctx)
	a.Live = true
	return a, err
}

// Lookup implements fs.Dir.
func (d aliasDir) Lookup(ctx context.Context, name string) (fs.Node, error) {
	n, err := d.dir.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	return alias(n), nil
}

// List implements fs.Dir.
func (d aliasDir) List(ctx context.Context) ([]fs.Entry, error) { return d.dir.List(ctx) }

// Computed implements fs.Computed: the folder may be.
func (d aliasDir) Computed() {}

// Patience implements fs.Patient.
func (d aliasDir) Patience() time.Duration { return patienceOf(d.dir) }

// aliasFile is a file of the tree below find/.
type aliasFile struct{ fs.File }

var (
	_ fs.Measurer = aliasFile{}
	_ fs.Headed   = aliasFile{}
)

// shown returns the Attr of the file here. One whose size is not known yet is asked for
// it each time anyway.
func (f aliasFile) shown(a fs.Attr, err error) (fs.Attr, error) {
	a.InPlace, a.Live = false, a.Size != fs.SizeOnDemand
	return a, err
}

// Attr implements fs.Node.
func (f aliasFile) Attr(ctx context.Context) (fs.Attr, error) { return f.shown(f.File.Attr(ctx)) }

// Measure implements fs.Measurer.
func (f aliasFile) Measure(ctx context.Context) (fs.Attr, error) {
	if m, ok := f.File.(fs.Measurer); ok {
		return f.shown(m.Measure(ctx))
	}
	return f.Attr(ctx)
}

// Head implements fs.Headed; a file without a header has one of no length.
func (f aliasFile) Head() (length int64, version uint64) {
	if h, ok := f.File.(fs.Headed); ok {
		return h.Head()
	}
	return 0, 0
}

// Patience implements fs.Patient.
func (f aliasFile) Patience() time.Duration { return patienceOf(f.File) }
