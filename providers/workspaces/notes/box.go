package notes

import (
	"context"
	"fmt"
	iofs "io/fs"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// Attr implements fs.Node. The box is live.
func (b *Box) Attr(ctx context.Context) (fs.Attr, error) {
	files, err := b.files.Attr(ctx)
	if err != nil {
		return fs.Attr{}, err
	}
	inbox, err := b.drop.Attr(ctx)
	if err != nil {
		return fs.Attr{}, err
	}
	inbox.ModTime = wording.Later(inbox.ModTime, files.ModTime)
	inbox.Mode, inbox.Version = iofs.ModeDir|0o755, inbox.Version+files.Version
	return inbox, nil
}

// List implements fs.Dir: the notes, and what became of those that were created here.
func (b *Box) List(ctx context.Context) ([]fs.Entry, error) {
	files, err := b.files.List(ctx)
	if err != nil {
		return nil, err
	}
	results, err := b.drop.List(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(files, results)
	slices.SortFunc(all, func(x, y fs.Entry) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// Lookup implements fs.Dir.
func (b *Box) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if n, err := b.files.Lookup(ctx, name); err == nil {
		return n, nil
	}
	return b.drop.Lookup(ctx, name)
}

// Create implements fs.Inbox.
func (b *Box) Create(ctx context.Context, name string, from fs.Standpoint) (fs.Draft, error) {
	if _, err := b.files.Lookup(ctx, name); err == nil {
		return nil, fmt.Errorf("%w: there is a note of this name", fs.ErrExist)
	}
	return b.drop.Create(ctx, name, from)
}
