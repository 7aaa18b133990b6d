package scan

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/transcripts/agents/history"
)

// place is one of an agent's folders with histories. It does not change.
type place struct {
	agent string
	history.Place
	real string // Dir with links resolved; "" where it is not there
}

// rel returns the path below the place's folder, with slashes; ok is false for a path
// elsewhere.
func (pl *place) rel(path string) (rel string, ok bool) {
	for _, dir := range []string{pl.Dir, pl.real} {
		if dir == "" {
			continue
		}
		if path == dir {
			return "", true
		}
		if rest, found := strings.CutPrefix(path, dir+"/"); found {
			return filepath.ToSlash(rest), true
		}
	}
	return "", false
}

// findPlaces asks the agents where they keep their histories.
func (s *Scanner) findPlaces() (places []*place) {
	for _, a := range s.Agents {
		for _, pl := range a.Places(s.Machine()) {
			pl.Dir = filepath.Clean(pl.Dir)
			real, _ := filepath.EvalSymlinks(pl.Dir)
			one := &place{agent: a.Name, Place: pl, real: real}
			places = append(append(places, one), one.linked()...)
		}
	}
	return places
}

// linked returns the folders that are linked into a place, as by users who move or
// rename a project's folder: each is a place of its own. Links that lead into the
// place, or to a folder that it lies in, are left out.
func (pl *place) linked() (places []*place) {
	if pl.NoLinks || pl.real == "" {
		return nil
	}
	entries, err := os.ReadDir(pl.real)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 || pl.Skip != nil && pl.Skip(e.Name()) {
			continue
		}
		dir := filepath.Join(pl.Dir, e.Name())
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || fs.Within(real, pl.real) || fs.Within(pl.real, real) {
			continue
		}
		if info, err := os.Stat(real); err != nil || !info.IsDir() {
			continue
		}
		prefix := e.Name() + "/"
		below := history.Place{Dir: dir, File: func(rel string) history.Format { return pl.File(prefix + rel) }}
		if pl.Skip != nil {
			below.Skip = func(rel string) bool { return pl.Skip(prefix + rel) }
		}
		places = append(places, &place{agent: pl.agent, Place: below, real: real})
	}
	return places
}

func (s *Scanner) allPlaces() []*place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places
}

// refreshPlaces asks for the places again, and watches exactly those.
func (s *Scanner) refreshPlaces() []*place {
	s.askingPlaces.Lock()
	defer s.askingPlaces.Unlock()
	places := s.findPlaces()
	s.mu.Lock()
	before := s.places
	s.places = places
	s.mu.Unlock()
	if s.watcher == nil {
		return places
	}
	for _, pl := range places {
		s.watcher.Add(pl.Dir) // before the walk, so that nothing is missed
	}
	for _, pl := range before {
		if !slices.ContainsFunc(places, func(o *place) bool { return o.Dir == pl.Dir }) {
			s.watcher.Remove(pl.Dir)
		}
	}
	return places
}

// placesMoved reports whether an agent has other places by now.
func (s *Scanner) placesMoved() bool {
	return !slices.EqualFunc(s.findPlaces(), s.allPlaces(), func(a, b *place) bool { return a.agent == b.agent && a.Dir == b.Dir })
}

// pollTime is the least time between two scans of what cannot be watched.
const pollTime = 3 * time.Second

// RescanUnwatched scans the places that are not watched, or not wholly: there are
// more folders than the system or the watch allows, or some may not be read.
func (s *Scanner) RescanUnwatched(ctx context.Context) {
	for _, pl := range s.allPlaces() {
		if ctx.Err() != nil {
			return
		}
		if s.watcher != nil {
			if err := s.watcher.Err(pl.Dir); err == nil || errors.Is(err, os.ErrNotExist) {
				continue
			}
		}
		seen := make(map[string]bool)
		s.walk(ctx, pl, pl.Dir, seen)
		if ctx.Err() != nil {
			return
		}
		for _, dir := range []string{pl.Dir, pl.real} {
			if dir != "" {
				s.dropUnseen(dir, seen)
			}
		}
	}
}

// poll calls RescanUnwatched every few seconds, or less often if needed to cost at
// most one twentieth of a core.
func (s *Scanner) poll() {
	wait := pollTime
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		s.RescanUnwatched(s.ctx)
		wait = max(pollTime, 20*time.Since(began))
	}
}

// setUnreadable records the folders of a place that may not be read, in place of
// those known at and below a folder.
func (s *Scanner) setUnreadable(pl *place, below string, paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.unreadable, func(path, _ string) bool { return fs.Within(path, below) })
	for _, path := range paths {
		s.unreadable[path] = pl.agent
	}
}

// UnreadableFolders returns the folders that may not be read, sorted.
func (s *Scanner) UnreadableFolders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.unreadable))
}

// maxSpill is the length of the longest file of a result that is read, in bytes.
const maxSpill = 256 << 20

// ReadSpill reads an agent's own file with a result. The path comes from a log,
// from text of any origin: only files where the agent keeps its histories are read,
// others are [fs.ErrPermission].
func (s *Scanner) ReadSpill(agent, path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	among := slices.ContainsFunc(s.allPlaces(), func(pl *place) bool {
		_, ok := pl.rel(real)
		return ok && pl.agent == agent
	})
	if !among {
		return nil, fs.ErrPermission
	}
	info, err := os.Lstat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpill {
		return nil, fs.ErrInvalid
	}
	text, err := os.ReadFile(real)
	return []byte(mask.Text(clean.Text(string(text)))), err
}
