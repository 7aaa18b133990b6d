package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/mcp/config"
)

// keptFile is a kept resource in the cache: a file of its own, in a folder for
// each server.
type keptFile struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	*kept
}

// keptDir is the folder of what is kept of a server.
func (c cache) keptDir(name, origin string) string {
	return filepath.Join(c.dir, "kept", strings.TrimSuffix(filepath.Base(c.path(name, origin)), ".json"))
}

func keptPath(dir, uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".json")
}

// kept gives what is kept of a server, by URI.
func (c cache) kept(d *config.Server) map[string]*kept {
	all := make(map[string]*kept)
	for _, s := range d.Sources() {
		c.readKept(c.keptDir(s.Name, s.Origin()), func(f keptFile) {
			if f.Name == s.Name && f.Origin == s.Origin() && all[f.URI] == nil {
				all[f.URI] = f.kept
			}
		})
	}
	return all
}

// readKept reads the files of a folder. One that is damaged is as good as none.
func (c cache) readKept(dir string, take func(keptFile)) {
	for _, path := range (cache{dir: dir}).files() {
		text, err := os.ReadFile(path)
		f := keptFile{kept: new(kept)}
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err == nil && (f.kept == nil || f.URI == "" || path != keptPath(dir, f.URI)) {
			err = errForeign
		}
		if err != nil {
			c.log.Warn("a kept resource is ignored", "file", path, "err", err)
			continue
		}
		take(f)
	}
}

// keep writes what is kept of a resource.
func (c cache) keep(d *config.Server, k *kept) error {
	text, err := json.Marshal(keptFile{d.Name, d.Origin(), k})
	if err != nil {
		return err
	}
	return atomicfile.Write(keptPath(c.keptDir(d.Name, d.Origin()), k.URI), text)
}

// forget removes what is kept of a resource, from all of the server's sources.
func (c cache) forget(d *config.Server, uri string) error {
	for _, s := range d.Sources() {
		dir := c.keptDir(s.Name, s.Origin())
		if err := os.Remove(keptPath(dir, uri)); err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return err
		}
		_ = os.Remove(dir) // if nothing else is in it
	}
	return nil
}

// pruneKept removes what is kept of servers that are configured no more. Keep
// tells which are to stay.
func (c cache) pruneKept(keep func(name, origin string) bool) {
	dirs, _ := os.ReadDir(filepath.Join(c.dir, "kept")) // none, where nothing is kept
	for _, e := range dirs {
		dir := filepath.Join(c.dir, "kept", e.Name())
		gone := false
		c.readKept(dir, func(f keptFile) { gone = !keep(f.Name, f.Origin) })
		if !gone {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			c.log.Warn("kept resources cannot be removed", "folder", dir, "err", err)
		}
	}
}
