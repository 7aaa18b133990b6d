package fstest

import (
	"context"
	iofs "io/fs"
	"time"

	"ctxfs/fs"
)

// PanickingFile returns a file whose Attr answers and whose reads panic.
func PanickingFile(t time.Time) fs.File { return panickingFile{t} }

// PanickingDir returns a folder whose Attr answers and whose lookups and lists
// panic.
func PanickingDir(t time.Time) fs.Dir { return panickingDir{t} }

type panickingFile struct{ modTime time.Time }

func (f panickingFile) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: 0o444, Size: 1, ModTime: f.modTime, Version: 1}, nil
}

func (panickingFile) ReadAt(context.Context, []byte, int64) (int, error) {
	panic("this file panics")
}

type panickingDir struct{ modTime time.Time }

func (d panickingDir) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: d.modTime}, nil
}

func (panickingDir) Lookup(context.Context, string) (fs.Node, error) { panic("this folder panics") }
func (panickingDir) List(context.Context) ([]fs.Entry, error)        { panic("this folder panics") }
