package mounts

import (
	"context"
	"fmt"
	"os"
	"time"

	"ctxfs/fs"
	"ctxfs/mounts/control"
)

// sync writes the tree to a plain folder and, unless once is set, keeps it
// current until ctx ends. It reports each pass.
func (s *Server) sync(ctx context.Context, dir string, once bool, report func(Report)) error {
	dir, err := Resolve(dir)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	done := make(chan struct{})
	defer close(done)

	s.mounting.Lock()
	err = s.addFolder(dir, end, done)
	s.mounting.Unlock()
	if err != nil {
		return err
	}
	f, err := NewFolder(s.opts.Tree, dir, FolderOptions{Log: s.opts.Log, Report: report})
	if err != nil {
		return err
	}
	defer f.Close()
	if once {
		r, err := f.Pass(ctx)
		if err == nil {
			report(r)
		}
		return err
	}
	return f.Run(ctx)
}

// checkFolder refuses a folder that cannot be synced into.
func checkFolder(dir string, sources []string) error {
	if err := checkSources(dir, sources); err != nil {
		return err
	}
	if _, mounted, err := mountedAt(dir); err != nil || mounted {
		if err == nil {
			err = &control.Fault{Message: dir + " is a mount of ctxfs", Hint: "choose a plain folder: what is mounted is current anyway"}
		}
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &control.Fault{Message: dir + " is a file, not a folder", Hint: "choose a folder, or a name that does not exist"}
	}
	return nil
}

func (s *Server) addFolder(dir string, end context.CancelFunc, done <-chan struct{}) error {
	if s.ending() {
		return errEnding
	}
	if s.find(dir) != nil {
		return &control.Fault{Message: fmt.Sprintf("%s is shown already", dir), Hint: "see what is shown where: ctxfs status"}
	}
	if err := checkFolder(dir, s.opts.Sources()); err != nil {
		return err
	}
	s.add(&view{ViewInfo: ViewInfo{Dir: dir, Kind: "folder", Since: time.Now()}, end: end, done: done})
	return nil
}

// SyncOnce writes a tree to a plain folder in one pass, without a server.
// Sources are the folders on disk that the tree passes through.
func SyncOnce(ctx context.Context, tree *fs.Tree, dir string, sources []string) (Report, error) {
	dir, err := Resolve(dir)
	if err != nil {
		return Report{}, err
	}
	if err := checkFolder(dir, sources); err != nil {
		return Report{}, err
	}
	f, err := NewFolder(tree, dir, FolderOptions{})
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	return f.Pass(ctx)
}
