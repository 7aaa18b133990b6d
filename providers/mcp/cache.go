package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	iofs "io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/names"
)

// cache is the folder of catalogues: a file a server.
type cache struct {
	dir string
	log *slog.Logger
}

// path is where the catalogue of a server is kept: by its name and the file
// that configures it, so that servers of one name do not meet.
func (c cache) path(name, source string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + source))
	return filepath.Join(c.dir, names.File(name)+"-"+hex.EncodeToString(sum[:4])+".json")
}

// load gives the catalogue of a server from any of its sources, or nil.
func (c cache) load(d *definition) *catalogue {
	for _, s := range d.sources() {
		if cat := c.read(c.path(s.name, s.file)); cat != nil && cat.Name == s.name && cat.Source == s.file {
			return cat
		}
	}
	return nil
}

// read reads one cache file. One that is damaged is as good as none: it is
// written anew when the server has answered.
func (c cache) read(path string) *catalogue {
	text, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, iofs.ErrNotExist) {
			c.log.Warn("a cached catalogue cannot be read", "file", path, "err", err)
		}
		return nil
	}
	var cat catalogue
	if err := json.Unmarshal(text, &cat); err != nil || cat.Format != cacheFormat {
		c.log.Warn("a cached catalogue is ignored", "file", path, "format", cat.Format, "err", err)
		return nil
	}
	return &cat
}

// save writes a catalogue.
func (c cache) save(cat *catalogue) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // definitions are to come back as they were
	if err := enc.Encode(cat); err != nil {
		return err
	}
	return atomicfile.Write(c.path(cat.Name, cat.Source), text.Bytes())
}

// from gives all catalogues of servers that a file configured.
func (c cache) from(source string) []*catalogue {
	var found []*catalogue
	for _, path := range c.files() {
		if cat := c.read(path); cat != nil && cat.Source == source {
			found = append(found, cat)
		}
	}
	return found
}

// prune removes the catalogues of servers that are configured no more. Keep
// tells which are to stay.
func (c cache) prune(keep func(name, source string) bool) {
	for _, path := range c.files() {
		if cat := c.read(path); cat != nil && !keep(cat.Name, cat.Source) {
			if err := os.Remove(path); err != nil {
				c.log.Warn("a cached catalogue cannot be removed", "file", path, "err", err)
			}
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
