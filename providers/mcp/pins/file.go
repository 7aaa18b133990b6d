package pins

import (
	"bufio"
	"bytes"
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
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// Store is the folder of the pinned definitions, with one file per server. A file
// is a header on one line, then the definitions, one line each. As long as nothing
// has changed, only the header is read.
type Store struct{ Dir string }

const fileFormat = 1

// header is the first line of a file.
type header struct {
	Format    int `json:"format"`
	Rendering int `json:"rendering"` // catalogue.Rendering when the sums were made
	// Name and Origin are the key of the server.
	Name     string    `json:"name"`
	Origin   string    `json:"origin"`
	Accepted time.Time `json:"accepted,omitzero"`
	Pins     []entry   `json:"pins"` // in the order of their definitions
}

type entry struct {
	Name   string              `json:"name"`
	Nth    int                 `json:"nth,omitempty"`
	Pinned time.Time           `json:"pinned"`
	Sum    rawjson.Fingerprint `json:"sum"`
	Size   int                 `json:"size"` // of its definition in bytes, without the line's end
}

// path returns the file of a server. Unlike that of a cache it must not be shared
// with another server, whatever names a project chooses.
func (p Store) path(k catalogue.Key) string {
	return filepath.Join(p.Dir, k.FileName(16)+".json")
}

// read returns the pins of a server under any of its keys, in order of precedence;
// if whole is set, with the definitions.
func (p Store) read(keys []catalogue.Key, whole bool) *State {
	s := &State{pinned: make(map[toolKey]pin)}
	for _, k := range keys {
		path := p.path(k)
		one, err := readFile(path, k, whole)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
		case err != nil:
			s.damaged = append(s.damaged, path)
			s.fault = fmt.Sprintf("%s cannot be read: %v", path, wording.Cause(err))
		default:
			s.stale = s.stale || one.stale
			s.accepted = wording.Later(s.accepted, one.accepted)
			for tool, pin := range one.pinned {
				if _, ok := s.pinned[tool]; !ok {
					s.pinned[tool] = pin
				}
			}
		}
	}
	return s
}

func readFile(path string, k catalogue.Key, whole bool) (*State, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parseFile(bufio.NewReaderSize(file, 16<<10), k, whole)
}

// parseFile reads the text of the file of one key.
func parseFile(in *bufio.Reader, k catalogue.Key, whole bool) (*State, error) {
	line, err := in.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var h header
	switch err := json.Unmarshal(line, &h); {
	case err != nil:
		return nil, catalogue.ErrDamaged
	case h.Format != fileFormat:
		return nil, fmt.Errorf("it is of format %d, and not %d", h.Format, fileFormat)
	case (catalogue.Key{Name: h.Name, Origin: h.Origin}) != k:
		return nil, catalogue.ErrForeign
	}
	s := &State{pinned: make(map[toolKey]pin, len(h.Pins)), accepted: h.Accepted, stale: h.Rendering != catalogue.Rendering}
	whole = whole || s.stale
	for _, i := range h.Pins {
		one := pin{time: i.Pinned, sum: i.Sum}
		if whole {
			definition, err := in.ReadBytes('\n')
			if err != nil || len(definition) != i.Size+1 || !json.Valid(definition) || definition[0] != '{' {
				return nil, catalogue.ErrDamaged
			}
			one.definition = definition[:i.Size]
			if s.stale { // another ctxfs may have shown more or less of it
				one.sum = rawjson.FingerprintOf(catalogue.ItemOf(one.definition).Definition())
			}
		}
		s.pinned[toolKey{i.Name, i.Nth}] = one
	}
	return s, nil
}

// write writes the file of a key. All pins have their definitions.
func (p Store) write(k catalogue.Key, s *State) error {
	h := header{Format: fileFormat, Rendering: catalogue.Rendering, Name: k.Name, Origin: k.Origin, Accepted: s.accepted}
	var definitions bytes.Buffer
	tools := slices.SortedFunc(maps.Keys(s.pinned), func(a, b toolKey) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return a.nth - b.nth
	})
	for _, tool := range tools {
		one := s.pinned[tool]
		h.Pins = append(h.Pins, entry{Name: tool.name, Nth: tool.nth, Pinned: one.time, Sum: one.sum, Size: len(one.definition)})
		definitions.Write(one.definition)
		definitions.WriteByte('\n')
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomicfile.Write(p.path(k), slices.Concat(text, []byte("\n"), definitions.Bytes()))
}
