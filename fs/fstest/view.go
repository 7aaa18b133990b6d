package fstest

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"path"
	"time"

	"ctxfs/fs"
)

// FS returns a tree as an io/fs file system. Its operations end with ctx. Folders, files
// and the file system itself also implement ReadDirFS, StatFS, ReadFileFS, io.ReaderAt and
// io.Seeker. Links are shown as links and not followed.
func FS(ctx context.Context, t *fs.Tree) iofs.FS { return &view{tree: t, ctx: ctx} }

type view struct {
	tree *fs.Tree
	ctx  context.Context
}

var (
	_ iofs.ReadDirFS  = (*view)(nil)
	_ iofs.StatFS     = (*view)(nil)
	_ iofs.ReadFileFS = (*view)(nil)
	_ iofs.ReadLinkFS = (*view)(nil)
)

func (v *view) resolve(op, name string) (fs.Node, error) {
	if !iofs.ValidPath(name) {
		return nil, pathError(op, name, fs.ErrInvalid)
	}
	n, err := v.tree.Resolve(v.ctx, name)
	return n, pathError(op, name, err)
}

func (v *view) Open(name string) (iofs.File, error) {
	n, err := v.resolve("open", name)
	if err != nil {
		return nil, err
	}
	info, err := v.stat("open", name, n)
	if err != nil {
		return nil, err
	}
	if d, ok := n.(fs.Dir); ok {
		return &openDir{view: v, name: name, dir: d, info: info}, nil
	}
	f, _ := n.(fs.File)
	return &openFile{view: v, name: name, file: f, info: info}, nil
}

func (v *view) Stat(name string) (iofs.FileInfo, error) {
	n, err := v.resolve("stat", name)
	if err != nil {
		return nil, err
	}
	return v.stat("stat", name, n)
}

// Lstat implements io/fs.ReadLinkFS.
func (v *view) Lstat(name string) (iofs.FileInfo, error) { return v.Stat(name) }

// ReadLink implements io/fs.ReadLinkFS.
func (v *view) ReadLink(name string) (string, error) {
	n, err := v.resolve("readlink", name)
	if err != nil {
		return "", err
	}
	l, ok := n.(fs.Link)
	if !ok {
		return "", pathError("readlink", name, fs.ErrInvalid)
	}
	target, err := v.tree.Target(v.ctx, l)
	return target, pathError("readlink", name, err)
}

func (v *view) stat(op, name string, n fs.Node) (iofs.FileInfo, error) {
	a, err := v.tree.Stat(v.ctx, n)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return info{name: path.Base(name), Attr: a}, nil
}

func (v *view) ReadDir(name string) ([]iofs.DirEntry, error) {
	n, err := v.resolve("readdir", name)
	if err != nil {
		return nil, err
	}
	d, ok := n.(fs.Dir)
	if !ok {
		return nil, pathError("readdir", name, fs.ErrNotDir)
	}
	return v.readDir(name, d)
}

func (v *view) readDir(name string, d fs.Dir) ([]iofs.DirEntry, error) {
	entries, err := v.tree.List(v.ctx, d)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	list := make([]iofs.DirEntry, len(entries))
	for i, e := range entries {
		list[i] = dirEntry{Entry: e, view: v, dir: d, path: path.Join(name, e.Name)}
	}
	return list, nil
}

func (v *view) ReadFile(name string) ([]byte, error) {
	n, err := v.resolve("read", name)
	if err != nil {
		return nil, err
	}
	f, ok := n.(fs.File)
	if !ok {
		if _, ok := n.(fs.Dir); ok {
			return nil, pathError("read", name, fs.ErrIsDir)
		}
		return nil, pathError("read", name, fs.ErrInvalid) // a link
	}
	body, err := v.tree.ReadAll(v.ctx, f)
	return body, pathError("read", name, err)
}

// info is an io/fs.FileInfo whose Sys is the fs.Attr.
type info struct {
	name string
	fs.Attr
}

func (i info) Name() string        { return i.name }
func (i info) Size() int64         { return i.Attr.Size }
func (i info) Mode() iofs.FileMode { return i.Attr.Mode }
func (i info) ModTime() time.Time  { return i.Attr.ModTime }
func (i info) Sys() any            { return i.Attr }
func (i info) String() string      { return iofs.FormatFileInfo(i) }

type dirEntry struct {
	fs.Entry
	view *view
	dir  fs.Dir
	path string
}

func (e dirEntry) Name() string        { return e.Entry.Name }
func (e dirEntry) IsDir() bool         { return e.Entry.Type.IsDir() }
func (e dirEntry) Type() iofs.FileMode { return e.Entry.Type }
func (e dirEntry) String() string      { return iofs.FormatDirEntry(e) }

func (e dirEntry) Info() (iofs.FileInfo, error) {
	n, err := e.view.tree.Lookup(e.view.ctx, e.dir, e.Entry.Name)
	if err != nil {
		return nil, pathError("stat", e.path, err)
	}
	return e.view.stat("stat", e.path, n)
}

type openDir struct {
	view   *view
	name   string
	dir    fs.Dir
	info   iofs.FileInfo
	list   []iofs.DirEntry
	listed bool
}

func (d *openDir) Stat() (iofs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error                 { return nil }
func (d *openDir) Read([]byte) (int, error)     { return 0, pathError("read", d.name, fs.ErrIsDir) }

func (d *openDir) ReadDir(n int) ([]iofs.DirEntry, error) {
	if !d.listed {
		list, err := d.view.readDir(d.name, d.dir)
		if err != nil {
			return nil, err
		}
		d.list, d.listed = list, true
	}
	if n <= 0 || n > len(d.list) {
		if n > 0 && len(d.list) == 0 {
			return nil, io.EOF
		}
		n = len(d.list)
	}
	head := d.list[:n:n]
	d.list = d.list[n:]
	return head, nil
}

type openFile struct {
	view *view
	name string
	file fs.File // nil for a link
	info iofs.FileInfo
	off  int64
}

func (f *openFile) Stat() (iofs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error                 { return nil }

func (f *openFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || f.file == nil {
		return 0, pathError("read", f.name, fs.ErrInvalid)
	}
	n, err := f.view.tree.ReadAt(f.view.ctx, f.file, p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = pathError("read", f.name, err)
	}
	return n, err
}

func (f *openFile) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.off
	case io.SeekEnd:
		offset += f.info.Size()
	default:
		return 0, pathError("seek", f.name, fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, pathError("seek", f.name, fs.ErrInvalid)
	}
	f.off = offset
	return offset, nil
}

// pathError wraps err with the operation and the path, once.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return &iofs.PathError{Op: op, Path: path, Err: err}
}
