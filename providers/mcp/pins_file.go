package mcp

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// pinStore is the folder of the pinned definitions: a file a server. A file is
// a header on one line, which is all that is read of it as long as nothing has
// changed, then the definitions, a line each.
type pinStore struct{ dir string } // "" keeps nothing

const pinsFormat = 1

// pinsHeader is the first line of a file of pins.
type pinsHeader struct {
	Format    int `json:"format"`
	Rendering int `json:"rendering"` // with which the sums were made
	// Name and Origin are those of the server.
	Name     string      `json:"name"`
	Origin   string      `json:"origin"`
	Accepted time.Time   `json:"accepted,omitzero"`
	Pins     []pinHeader `json:"pins"` // in the order of their definitions
}

type pinHeader struct {
	Name   string              `json:"name"`
	Nth    int                 `json:"nth,omitempty"`
	Pinned time.Time           `json:"pinned"`
	Sum    rawjson.Fingerprint `json:"sum"`
	Size   int                 `json:"size"` // of its definition, in bytes, without the line's end
}

// path is the file of a server. Unlike that of a cache it must be nobody
// else's, whatever names a project chooses.
func (p pinStore) path(k catalogue.Key) string {
	sum := sha256.Sum256([]byte(k.Name + "\x00" + k.Origin))
	return filepath.Join(p.dir, names.File(k.Name)+"-"+hex.EncodeToString(sum[:16])+".json")
}

// read gives what is pinned of a server under any of its sources, the decisive
// one before others; whole with the definitions.
func (p pinStore) read(keys []catalogue.Key, whole bool) *pins {
	all := &pins{of: make(map[pinKey]pin)}
	if p.dir == "" {
		return all
	}
	for _, k := range keys {
		path := p.path(k)
		one, err := readPins(path, k, whole)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
		case err != nil:
			all.damaged = append(all.damaged, path)
			all.fault = fmt.Sprintf("%s cannot be read: %v", path, wording.Cause(err))
		default:
			all.stale = all.stale || one.stale
			if one.accepted.After(all.accepted) {
				all.accepted = one.accepted
			}
			for tool, pin := range one.of {
				if _, ok := all.of[tool]; !ok {
					all.of[tool] = pin
				}
			}
		}
	}
	return all
}

// readPins reads the file of a source.
func readPins(path string, k catalogue.Key, whole bool) (*pins, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parsePins(bufio.NewReaderSize(file, 16<<10), k, whole)
}

// parsePins reads the text of the file of a source.
func parsePins(in *bufio.Reader, k catalogue.Key, whole bool) (*pins, error) {
	line, err := in.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var h pinsHeader
	switch err := json.Unmarshal(line, &h); {
	case err != nil:
		return nil, catalogue.ErrDamaged
	case h.Format != pinsFormat:
		return nil, fmt.Errorf("it is of format %d, and not %d", h.Format, pinsFormat)
	case (catalogue.Key{Name: h.Name, Origin: h.Origin}) != k:
		return nil, catalogue.ErrForeign
	}
	all := &pins{of: make(map[pinKey]pin, len(h.Pins)), accepted: h.Accepted, stale: h.Rendering != catalogue.Rendering}
	whole = whole || all.stale
	for _, i := range h.Pins {
		one := pin{time: i.Pinned, sum: i.Sum}
		if whole {
			definition, err := in.ReadBytes('\n')
			if err != nil || len(definition) != i.Size+1 || !json.Valid(definition) || definition[0] != '{' {
				return nil, catalogue.ErrDamaged
			}
			one.definition = definition[:i.Size]
			if all.stale { // another ctxfs may have shown more or less of it
				one.sum = rawjson.FingerprintOf(catalogue.ItemOf(one.definition).Definition())
			}
		}
		all.of[pinKey{i.Name, i.Nth}] = one
	}
	return all, nil
}

// write saves pins that have their definitions, for the decisive source.
func (p pinStore) write(k catalogue.Key, all *pins) error {
	h := pinsHeader{Format: pinsFormat, Rendering: catalogue.Rendering, Name: k.Name, Origin: k.Origin, Accepted: all.accepted}
	var definitions bytes.Buffer
	tools := slices.SortedFunc(maps.Keys(all.of), func(a, b pinKey) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return a.nth - b.nth
	})
	for _, tool := range tools {
		one := all.of[tool]
		h.Pins = append(h.Pins, pinHeader{Name: tool.name, Nth: tool.nth, Pinned: one.time, Sum: one.sum, Size: len(one.definition)})
		definitions.Write(one.definition)
		definitions.WriteByte('\n')
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomicfile.Write(p.path(k), slices.Concat(text, []byte("\n"), definitions.Bytes()))
}
