package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	iofs "io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/config"
)

// Cache is the folder of catalogues, with one file per server. It is safe for
// concurrent use.
type Cache struct {
	Dir string
	Log *slog.Logger
}

// Key identifies the entry that configures a server: its name and its origin
// ([config.Source.Origin]).
type Key struct{ Name, Origin string }

// KeyOf returns the key of an entry.
func KeyOf(s config.Source) Key { return Key{s.Name, s.Origin()} }

// KeysOf returns the keys of all entries of a server, the decisive one first.
func KeysOf(d *config.Server) (keys []Key) {
	for _, s := range d.Sources() {
		keys = append(keys, KeyOf(s))
	}
	return keys
}

// FileName returns the name of a server's file, without an extension. It depends on the
// origin too, by so many bytes of a hash, so that servers of one name have files of their
// own: with 16, whatever names a project chooses.
func (k Key) FileName(bytes int) string {
	sum := sha256.Sum256([]byte(k.Name + "\x00" + k.Origin))
	return names.File(k.Name) + "-" + hex.EncodeToString(sum[:bytes])
}

// path returns the file of a server's catalogue.
func (c Cache) path(k Key) string { return filepath.Join(c.Dir, k.FileName(4)+".json") }

// Snapshot returns the snapshot that was last saved, under the first of the keys
// that has a readable file, or nil.
func (c Cache) Snapshot(keys []Key) (s *Snapshot) {
	c.find(keys, func(f *cacheFile) (err error) {
		s, err = f.snapshot()
		return err
	})
	return s
}

// Catalogue returns the catalogue that was last saved, under the first of the keys
// that has a readable file, or nil.
func (c Cache) Catalogue(keys []Key) (cat *Catalogue) {
	c.find(keys, func(f *cacheFile) (err error) {
		cat, err = f.catalogue()
		return err
	})
	return cat
}

// find reads the first readable file of the keys.
func (c Cache) find(keys []Key, read func(*cacheFile) error) {
	for _, k := range keys {
		if c.read(c.path(k), func(f *cacheFile) error {
			if f.key() != k {
				return ErrForeign
			}
			return read(f)
		}) {
			return
		}
	}
}

var ErrForeign = errors.New("it is of another server")

// read reads a cache file and reports whether it could be read. A damaged one is
// logged and ignored: it is replaced when the server has answered.
func (c Cache) read(path string, read func(*cacheFile) error) bool {
	f, err := openCacheFile(path)
	if err == nil {
		err = read(f)
		f.close()
	}
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		c.Log.Warn("a cached catalogue is ignored", "file", path, "err", err)
	}
	return err == nil
}

// Save stores a catalogue and its snapshot.
func (c Cache) Save(cat *Catalogue, s *Snapshot) error {
	text, err := cacheFileText(cat, s)
	if err != nil {
		return err
	}
	return atomicfile.Write(c.path(cat.key()), text)
}

// From returns what is stored of all servers that a configuration file had.
func (c Cache) From(source string) (found []About) {
	for _, path := range c.files() {
		c.read(path, func(f *cacheFile) error {
			if f.Source == source {
				found = append(found, f.About)
			}
			return nil
		})
	}
	return found
}

// Prune removes what is stored of all servers but those that keep returns true
// for.
func (c Cache) Prune(keep func(Key) bool) {
	for _, path := range c.files() {
		gone := false
		c.read(path, func(f *cacheFile) error {
			gone = !keep(f.key())
			return nil
		})
		if !gone {
			continue
		}
		if err := os.Remove(path); err != nil {
			c.Log.Warn("a cached catalogue cannot be removed", "file", path, "err", err)
		}
	}
	c.pruneKept(keep)
}

func (c Cache) files() []string {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil // there is no cache yet
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && e.Type().IsRegular() {
			files = append(files, filepath.Join(c.Dir, e.Name()))
		}
	}
	return files
}
