package terminals

import (
	"context"
	"encoding/binary"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/terminals/record"
)

// liveFolder is a folder whose names may not be cached.
type liveFolder struct{ *fs.Folder }

// Attr implements fs.Node.
func (f liveFolder) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.Folder.Attr(ctx)
	a.Live = true
	return a, err
}

// part is a part of a log. Its header is read whenever its size is asked for,
// so that a new header needs no notification.
type part struct {
	*fs.Log
	length int64
}

func newPart(path string, headerLen int64) *part { return &part{fs.NewLog(path, headerLen), headerLen} }

// Head implements fs.Headed.
func (p *part) Head() (length int64, version uint64) {
	head := make([]byte, p.length)
	n, _ := p.ReadAt(context.Background(), head, 0) // a missing header has no version of its own
	return p.length, fs.BytesVersion(head[:n])
}

// output is the output of a command, a slice of its terminal's log, below a
// header that describes the command.
type output struct {
	header  []byte
	text    *record.Output
	end     time.Time
	version uint64
}

// newOutput returns the output of a command; the error means that it was
// deleted.
func newOutput(t *record.Terminal, c *record.Record) (*output, error) {
	o, err := t.Output(*c)
	if err != nil {
		return nil, err
	}
	header := c.Header()
	var b []byte
	for _, n := range []int64{t.Started.UnixNano(), int64(c.N), c.Start.UnixNano(), int64(c.Part), int64(c.EndPart), c.Bytes[0], c.Bytes[1]} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return &output{header, o, c.End, fs.BytesVersion([]byte(t.ID), header, b)}, nil
}

// Attr implements fs.Node.
func (o *output) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: 0o444, Size: int64(len(o.header)) + o.text.Size(), ModTime: o.end, Version: o.version}, nil
}

// ReadAt implements fs.File.
func (o *output) ReadAt(_ context.Context, p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, iofs.ErrInvalid
	}
	if off < int64(len(o.header)) {
		n = copy(p, o.header[off:])
	}
	if n == len(p) {
		return n, nil
	}
	more, err := o.text.ReadAt(p[n:], off+int64(n)-int64(len(o.header)))
	return n + more, err
}

// commands is the folder of the outputs of all commands: <n>.txt.
type commands struct {
	state func() *record.Terminal

	mu     sync.Mutex
	of     *record.Terminal // the state that listed was made of
	listed []fs.Entry
}

// Attr implements fs.Node.
func (d *commands) Attr(context.Context) (fs.Attr, error) {
	t := d.state()
	a := fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: t.Started, Version: uint64(len(t.Records)), Live: true}
	if n := len(t.Records); n > 0 {
		a.ModTime = t.Records[n-1].End
	}
	return a, nil
}

// Lookup implements fs.Dir.
func (d *commands) Lookup(_ context.Context, name string) (fs.Node, error) {
	digits, ok := strings.CutSuffix(name, ".txt")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || strconv.Itoa(n) != digits {
		return nil, fs.ErrNotExist
	}
	t := d.state()
	i, found := slices.BinarySearchFunc(t.Records, n, func(c record.Record, n int) int { return c.N - n })
	if !found {
		return nil, fs.ErrNotExist
	}
	o, err := newOutput(t, &t.Records[i])
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return o, nil
}

// List implements fs.Dir.
func (d *commands) List(context.Context) ([]fs.Entry, error) {
	t := d.state()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == t {
		return d.listed, nil
	}
	listed := make([]fs.Entry, 0, len(t.Records))
	for i := range t.Records {
		if _, err := t.Output(t.Records[i]); err == nil {
			listed = append(listed, fs.Entry{Name: strconv.Itoa(t.Records[i].N) + ".txt"})
		}
	}
	slices.SortFunc(listed, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
	d.of, d.listed = t, listed
	return listed, nil
}

// passed returns a node for a file of a terminal that is passed through; nil if
// it does not exist.
func passed(dir, name string) fs.Node {
	path := filepath.Join(dir, name)
	if name != record.ScreenFile {
		return fs.NewLog(path, 0)
	}
	if n, err := fs.NewDiskFile(path, fs.DiskOptions{}); err == nil {
		return n
	}
	return nil
}
