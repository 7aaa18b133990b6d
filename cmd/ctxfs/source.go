package main

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"path"
	"time"

	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/find"
	"ctxfs/providers/mcp"
	"ctxfs/providers/transcripts"
)

// source is where the commands that need no mount read the tree: from the
// background process if there is one, else from configuration and caches.
type source interface {
	// list returns a folder's entries, or the one entry of a file.
	list(ctx context.Context, path string) ([]lsEntry, error)
	// cat writes a file.
	cat(ctx context.Context, path string, w io.Writer) error
	statuses(ctx context.Context) ([]providerStatus, error)
	// find returns what is found, best first.
	find(ctx context.Context, args findArgs) ([]fs.Match, error)
	// tools lists the tools of a server; "" means all.
	tools(ctx context.Context, server string) ([]mcp.Toolbox, error)
	// flags are the arguments of a tool.
	flags(ctx context.Context, server, tool string) ([]mcp.Flag, error)
	// session finds a session of an agent.
	session(ctx context.Context, w transcripts.Wanted) (transcripts.Known, error)
	// sessions lists those at and below a folder, the newest first; nil means all.
	sessions(ctx context.Context, below []string) ([]transcripts.Known, error)
	close()
}

// lsEntry is a line of a listing.
type lsEntry struct {
	Name     string    `json:"name"`
	Type     string    `json:"type"` // "file", "dir" or "link"
	Mode     string    `json:"mode"` // as ls -l prints it
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	// Itself says that this is the file named, not one in a folder named.
	Itself bool `json:"itself,omitempty"`
}

type pathArgs struct {
	Path string `json:"path"`
}

func (a *app) source(ctx context.Context) (source, error) {
	c, err := a.Running(ctx)
	if err != nil {
		return nil, err
	}
	if c != nil {
		c.Close()
		return &remoteSource{app: a}, nil
	}
	return a.offline()
}

// offline is the tree as configuration and caches have it.
func (a *app) offline() (*localSource, error) {
	w := a.newWorld(worldOptions{offline: true, hide: a.InMount})
	return &localSource{world: w}, nil
}

// localSource reads the tree in this process.
type localSource struct{ world *world }

func (s *localSource) close() { s.world.close() }

func (s *localSource) statuses(context.Context) ([]providerStatus, error) {
	return s.world.statuses(), nil
}

func (s *localSource) find(ctx context.Context, args findArgs) ([]fs.Match, error) {
	if _, err := s.world.tree.Resolve(ctx, args.In); err != nil {
		return nil, treeFault(args.In, err)
	}
	return s.world.providers.Finder().Find(ctx, args.Query, find.Options{In: args.In, Limit: args.Limit})
}

func (s *localSource) list(ctx context.Context, name string) ([]lsEntry, error) {
	tree := s.world.tree
	n, err := tree.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	d, ok := n.(fs.Dir)
	if !ok {
		e, err := s.entry(ctx, path.Base(name), n)
		e.Itself = true
		return []lsEntry{e}, err
	}
	listed, err := tree.List(ctx, d)
	if err != nil {
		return nil, err
	}
	entries := make([]lsEntry, 0, len(listed))
	for _, l := range listed {
		child, err := tree.Lookup(ctx, d, l.Name)
		var e lsEntry
		if err == nil {
			e, err = s.entry(ctx, l.Name, child)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since it was listed
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (s *localSource) entry(ctx context.Context, name string, n fs.Node) (lsEntry, error) {
	a, err := s.world.tree.Stat(ctx, n)
	if err != nil {
		return lsEntry{}, err
	}
	e := lsEntry{Name: name, Type: "file", Mode: a.Mode.String(), Size: a.Size, Modified: a.ModTime.UTC()}
	switch a.Mode.Type() {
	case iofs.ModeDir:
		e.Type = "dir"
	case iofs.ModeSymlink:
		e.Type = "link"
	}
	return e, nil
}

// file finds a file and its size.
func (s *localSource) file(ctx context.Context, name string) (fs.File, int64, error) {
	n, err := s.world.tree.Resolve(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	f, ok := n.(fs.File)
	if !ok {
		return nil, 0, fs.ErrIsDir
	}
	a, err := s.world.tree.Stat(ctx, f)
	return f, a.Size, err
}

func (s *localSource) cat(ctx context.Context, name string, w io.Writer) error {
	f, size, err := s.file(ctx, name)
	if err != nil {
		return treeFault(name, err)
	}
	return s.copy(ctx, f, size, w)
}

// copy writes a file as large as it was when it was asked for.
func (s *localSource) copy(ctx context.Context, f fs.File, size int64, w io.Writer) error {
	buf := make([]byte, min(size, 1<<17))
	for off := int64(0); off < size; {
		n, err := s.world.tree.ReadAt(ctx, f, buf[:min(int64(len(buf)), size-off)], off)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			off += int64(n)
		}
		if err != nil && !(errors.Is(err, io.EOF) && off == size) {
			return err
		}
	}
	return nil
}

// send answers a "read": the size, then the bytes.
func (s *localSource) send(ctx context.Context, name string, c *control.Conn) error {
	f, size, err := s.file(ctx, name)
	if err != nil {
		return treeFault(name, err)
	}
	if err := c.Reply(size); err != nil {
		return err
	}
	return s.copy(ctx, f, size, c)
}

// remoteSource asks the background process, and goes on without it where it
// has ended meanwhile.
type remoteSource struct {
	app   *app
	after *localSource // from then on; nil before
}

func (s *remoteSource) close() {
	if s.after != nil {
		s.after.close()
	}
}

func (s *remoteSource) call(ctx context.Context, op string, args, value any, then func(*control.Client) error, without func(source) error) error {
	c, err := s.app.Process().Dial(ctx)
	if err == nil {
		defer c.Close()
		if op == "read" { // the file may have to be made first
			err = c.Call(ctx, op, args, value, nil)
		} else {
			err = c.Ask(ctx, op, args, value)
		}
	}
	switch {
	case errors.Is(err, control.ErrGone), errors.Is(err, control.ErrNotRunning):
		if s.after == nil {
			if s.after, err = s.app.offline(); err != nil {
				return err
			}
		}
		return without(s.after)
	case err != nil || then == nil:
		return err
	}
	return then(c)
}

func (s *remoteSource) statuses(ctx context.Context) (all []providerStatus, err error) {
	err = s.call(ctx, "providers", nil, &all, nil, func(after source) error {
		all, err = after.statuses(ctx)
		return err
	})
	return all, err
}

func (s *remoteSource) find(ctx context.Context, args findArgs) (matches []fs.Match, err error) {
	err = s.call(ctx, "find", args, &matches, nil, func(after source) error {
		matches, err = after.find(ctx, args)
		return err
	})
	return matches, err
}

func (s *remoteSource) list(ctx context.Context, name string) (entries []lsEntry, err error) {
	err = s.call(ctx, "list", pathArgs{name}, &entries, nil, func(after source) error {
		entries, err = after.list(ctx, name)
		return err
	})
	return entries, err
}

func (s *remoteSource) cat(ctx context.Context, name string, w io.Writer) error {
	var size int64
	receive := func(c *control.Client) error {
		n, err := io.Copy(w, io.LimitReader(c.Rest(), size))
		if err == nil && n < size {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return s.call(ctx, "read", pathArgs{name}, &size, receive, func(after source) error { return after.cat(ctx, name, w) })
}
