package scan

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ctxfs/fs/cell"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/source"
)

// scan inspects all histories on disk. A file that has not changed since it was
// last inspected is not opened.
func (s *Scanner) scan(ctx context.Context) {
	places := s.refreshPlaces()
	seen := make(map[string]bool)
	for _, pl := range places {
		if ctx.Err() != nil {
			return
		}
		s.walk(ctx, pl, pl.Dir, seen)
	}
	s.Archive.Walk(ctx, func(agent, path string) {
		seen[path] = true
		s.Inspect(ctx, agent, path, archive.Format(), false)
	})
	if ctx.Err() == nil {
		s.dropUnseen("", seen)
	}
}

// dropUnseen drops the files below a folder, "" for all, that were not seen and
// are not there. A file whose presence cannot be known stays as it was.
func (s *Scanner) dropUnseen(below string, seen map[string]bool) {
	for _, path := range s.Catalogue.Unseen(below, seen) {
		s.inspecting.lock(path)
		if info, err := os.Lstat(path); source.IsGone(err) || err == nil && (!info.Mode().IsRegular() || s.Format(path) == nil) {
			s.Found(s.Catalogue.Drop(path, s.Now()))
		}
		s.inspecting.unlock(path)
	}
}

// Format returns how the history in a file is read; nil if the file is not a
// history.
func (s *Scanner) Format(path string) history.Format {
	for _, pl := range s.allPlaces() {
		if rel, ok := pl.rel(path); ok {
			if format := pl.File(rel); format != nil {
				return format
			}
		}
	}
	if s.Archive.Contains(path) {
		return archive.Format()
	}
	return nil
}

// walkers is how many files are inspected at the same time: they wait for the
// disk.
const walkers = 4

// walk inspects all histories of a place at and below a folder, and adds their
// paths to seen.
func (s *Scanner) walk(ctx context.Context, pl *place, dir string, seen map[string]bool) {
	var mu sync.Mutex
	var work cell.Group
	slots := make(chan struct{}, walkers)
	var unreadable []string
	root := dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		root = real
	}
	_ = filepath.WalkDir(root, func(path string, d iofs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if errors.Is(err, iofs.ErrPermission) {
				unreadable = append(unreadable, path)
			}
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case s.Hide != nil && s.Hide(path):
			return skip(d)
		}
		rel, _ := pl.rel(path)
		if d.IsDir() {
			if rel != "" && (d.Name() == ".git" || d.Name() == "node_modules" || pl.Skip != nil && pl.Skip(rel)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		format := pl.File(rel)
		if format == nil {
			return nil
		}
		mu.Lock()
		seen[path] = true
		mu.Unlock()
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			s.Inspect(ctx, pl.agent, path, format, false)
		})
		return nil
	})
	work.Wait()
	s.setUnreadable(pl, root, unreadable)
}

func skip(d iofs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// Changed inspects paths on disk that have changed. Those that are there come
// before those that are gone: a file that was moved is found in its new place
// first.
func (s *Scanner) Changed(paths []string) {
	done := make(map[string]bool)
	var gone []string
	for _, path := range paths {
		if path = source.Database(path); done[path] {
			continue
		}
		done[path] = true
		if _, err := os.Lstat(path); err != nil {
			gone = append(gone, path)
			continue
		}
		s.changedAt(s.ctx, path)
	}
	for _, path := range gone {
		s.changedAt(s.ctx, path)
	}
}

func (s *Scanner) changedAt(ctx context.Context, path string) {
	places := s.allPlaces()
	for i, pl := range places {
		if path == pl.Dir || path == pl.real {
			before := pl.real
			if now := s.refreshPlaces(); i < len(now) && now[i].Dir == pl.Dir {
				pl = now[i] // which may lead elsewhere
			}
			seen := make(map[string]bool)
			s.walk(ctx, pl, pl.Dir, seen)
			for _, dir := range []string{pl.Dir, before, pl.real} {
				if dir != "" {
					s.dropUnseen(dir, seen)
				}
			}
		} else if rel, ok := pl.rel(path); ok {
			s.changedBelow(ctx, pl, path, rel)
		}
	}
}

func (s *Scanner) changedBelow(ctx context.Context, pl *place, path, rel string) {
	info, err := os.Lstat(path)
	switch {
	case source.IsGone(err):
		s.inspecting.lock(path)
		paths, touched := s.Catalogue.Drop(path, s.Now())
		s.inspecting.unlock(path)
		s.Found(paths, touched)
	case err != nil:
	case info.IsDir():
		seen := make(map[string]bool)
		s.walk(ctx, pl, path, seen)
		s.dropUnseen(path, seen)
	case info.Mode()&os.ModeSymlink != 0:
		if s.placesMoved() {
			s.Rescan() // it may lead to a folder with histories
		}
	case info.Mode().IsRegular():
		switch format := pl.File(rel).(type) {
		case history.Log:
			s.Inspect(ctx, pl.agent, path, format, false)
		case history.Store:
			s.inspectStoreSoon(pl.agent, path, format, false)
		default:
			if !strings.Contains(rel, "/") && s.placesMoved() {
				s.Rescan() // the file was a list of places
			}
		}
	}
}

// Rescan scans all places again in the background, because the places may be others.
// Before the scanner is started it does nothing.
func (s *Scanner) Rescan() { s.rescans.Poke() }
