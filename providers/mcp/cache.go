package mcp

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

// cache is the folder of catalogues: a file a server.
type cache struct {
	dir string
	log *slog.Logger
}

// path is where the catalogue of a server is kept: by its name and the origin
// of its entry, so that servers of one name do not meet.
func (c cache) path(name, origin string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + origin))
	return filepath.Join(c.dir, names.File(name)+"-"+hex.EncodeToString(sum[:4])+".json")
}

// shown gives what was shown of a server when it was last saved from any of
// its sources, or nil.
func (c cache) shown(d *config.Server) (s *snapshot) {
	c.find(d, func(f *cacheFile) (err error) {
		s, err = f.snapshot()
		return err
	})
	return s
}

// load gives the catalogue of a server from any of its sources, or nil.
func (c cache) load(d *config.Server) (cat *catalogue) {
	c.find(d, func(f *cacheFile) (err error) {
		cat, err = f.catalogue()
		return err
	})
	return cat
}

// find reads the first cache file of a server's sources that can be read.
func (c cache) find(d *config.Server, read func(*cacheFile) error) {
	for _, s := range d.Sources() {
		if c.read(c.path(s.Name, s.Origin()), func(f *cacheFile) error {
			if f.Name != s.Name || f.origin() != s.Origin() {
				return errForeign
			}
			return read(f)
		}) {
			return
		}
	}
}

var errForeign = errors.New("it is of another server")

// read reads a cache file and tells whether it could. One that is damaged is
// as good as none: it is written anew when the server has answered.
func (c cache) read(path string, read func(*cacheFile) error) bool {
	f, err := openCacheFile(path)
	if err == nil {
		err = read(f)
		f.close()
	}
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		c.log.Warn("a cached catalogue is ignored", "file", path, "err", err)
	}
	return err == nil
}

// save writes a catalogue and what is shown of it.
func (c cache) save(cat *catalogue, s *snapshot) error {
	text, err := cacheFileText(cat, s)
	if err != nil {
		return err
	}
	return atomicfile.Write(c.path(cat.Name, cat.origin()), text)
}

// from tells of all servers that a file configured.
func (c cache) from(source string) (found []about) {
	for _, path := range c.files() {
		c.read(path, func(f *cacheFile) error {
			if f.Source == source {
				found = append(found, f.about)
			}
			return nil
		})
	}
	return found
}

// prune removes the catalogues of servers that are configured no more. Keep
// tells which are to stay.
func (c cache) prune(keep func(name, origin string) bool) {
	for _, path := range c.files() {
		gone := false
		c.read(path, func(f *cacheFile) error {
			gone = !keep(f.Name, f.origin())
			return nil
		})
		if !gone {
			continue
		}
		if err := os.Remove(path); err != nil {
			c.log.Warn("a cached catalogue cannot be removed", "file", path, "err", err)
		}
	}
}

func (c cache) files() []string {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil // there is no cache yet
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && e.Type().IsRegular() {
			files = append(files, filepath.Join(c.dir, e.Name()))
		}
	}
	return files
}
