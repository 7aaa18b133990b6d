package catalogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/mediatype"
)

// Kept is the content of a resource that is shown as a file. It is immutable.
type Kept struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	// Time is when this content was first fetched.
	Time   time.Time `json:"time"`
	Binary bool      `json:"binary,omitempty"`
	Body   []byte    `json:"body"`
}

// Same reports whether two contents are equal, whatever their times.
func (k *Kept) Same(o *Kept) bool {
	return k.MIMEType == o.MIMEType && k.Binary == o.Binary && bytes.Equal(k.Body, o.Body)
}

// Extension returns the extension of the file, without the dot.
func (k *Kept) Extension() string { return mediatype.Ext(k.MIMEType, k.Binary) }

// keptFile is the file of a kept resource. Each server has a folder of them.
type keptFile struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	*Kept
}

func (f keptFile) key() Key { return Key{f.Name, f.Origin} }

// keptDir returns the folder of a server's kept resources.
func (c Cache) keptDir(k Key) string {
	return filepath.Join(c.Dir, "kept", strings.TrimSuffix(filepath.Base(c.path(k)), ".json"))
}

func keptPath(dir, uri string) string {
	sum := sha256.Sum256([]byte(uri))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".json")
}

// Kept returns the kept resources of a server by URI.
func (c Cache) Kept(keys []Key) map[string]*Kept {
	all := make(map[string]*Kept)
	for _, k := range keys {
		c.readKept(c.keptDir(k), func(f keptFile) {
			if f.key() == k && all[f.URI] == nil {
				all[f.URI] = f.Kept
			}
		})
	}
	return all
}

// readKept reads the files of a folder. Damaged ones are logged and ignored.
func (c Cache) readKept(dir string, take func(keptFile)) {
	for _, path := range (Cache{Dir: dir}).files() {
		text, err := os.ReadFile(path)
		f := keptFile{Kept: new(Kept)}
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err == nil && (f.Kept == nil || f.URI == "" || path != keptPath(dir, f.URI)) {
			err = ErrForeign
		}
		if err != nil {
			c.Log.Warn("a kept resource is ignored", "file", path, "err", err)
			continue
		}
		take(f)
	}
}

// Keep stores the content of a resource.
func (c Cache) Keep(of Key, k *Kept) error {
	text, err := json.Marshal(keptFile{of.Name, of.Origin, k})
	if err != nil {
		return err
	}
	return atomicfile.Write(keptPath(c.keptDir(of), k.URI), text)
}

// Forget removes a kept resource under all keys of its server.
func (c Cache) Forget(keys []Key, uri string) error {
	for _, k := range keys {
		dir := c.keptDir(k)
		if err := os.Remove(keptPath(dir, uri)); err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return err
		}
		_ = os.Remove(dir) // fails if anything else is in it
	}
	return nil
}

// pruneKept removes the kept resources of all servers but those that keep returns
// true for.
func (c Cache) pruneKept(keep func(Key) bool) {
	dirs, _ := os.ReadDir(filepath.Join(c.Dir, "kept")) // none, where nothing is kept
	for _, e := range dirs {
		dir := filepath.Join(c.Dir, "kept", e.Name())
		gone := false
		c.readKept(dir, func(f keptFile) { gone = !keep(f.key()) })
		if !gone {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			c.Log.Warn("kept resources cannot be removed", "folder", dir, "err", err)
		}
	}
}
