package catalogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	iofs "io/fs"
	"os"
	"time"
)

// A cache file is a header in JSON on one line, then the texts of the snapshot with
// nothing between them, then the raw lists in JSON. The texts are rendered again
// from the lists if they are damaged or have another rendering; that takes many
// times as long as reading them, and a mount waits for it.
const (
	cacheFormat = 2 // version of the file format; files of others are ignored
	Rendering   = 3 // moves when the texts are made in another way
)

// header is the first line of a cache file.
type header struct {
	Format    int `json:"format"`
	Rendering int `json:"rendering"`
	About
	Sections [NumFolders]cachedSection `json:"sections"`
	Sum      uint32                    `json:"sum"` // CRC-32C of the texts
}

type cachedSection struct {
	Changed time.Time    `json:"changed,omitzero"`
	Items   []cachedItem `json:"items,omitempty"`
}

type cachedItem struct {
	Item
	Size int `json:"size"` // of its text, in bytes
}

var ErrDamaged = errors.New("the file is damaged")

// cacheFile is a cache file that is being read.
type cacheFile struct {
	header
	file iofs.File
	rest *bufio.Reader // what follows the header
	size int           // of all texts, in bytes
}

// openCacheFile opens a file and reads its header. The caller must close it.
func openCacheFile(path string) (*cacheFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := readCacheFile(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return c, nil
}

// readCacheFile reads the header.
func readCacheFile(file iofs.File) (*cacheFile, error) {
	c := &cacheFile{file: file, rest: bufio.NewReaderSize(file, 16<<10)}
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *cacheFile) readHeader() error {
	line, err := c.rest.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := json.Unmarshal(line, &c.header); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if c.Format != cacheFormat {
		return fmt.Errorf("it is of format %d, and not %d", c.Format, cacheFormat)
	}
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	for _, s := range c.Sections {
		for _, i := range s.Items {
			if i.Size < 0 || int64(i.Size) > info.Size() {
				return ErrDamaged
			}
			c.size += i.Size
		}
	}
	if int64(c.size) > info.Size() {
		return ErrDamaged
	}
	return nil
}

func (c *cacheFile) close() { c.file.Close() }

// snapshot reads the texts, or renders them from the lists.
func (c *cacheFile) snapshot() (*Snapshot, error) {
	texts := make([]byte, c.size)
	if _, err := io.ReadFull(c.rest, texts); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if c.Rendering != Rendering || checksum(texts) != c.Sum {
		lists, err := c.lists()
		if err != nil {
			return nil, err
		}
		return NewSnapshot(&Catalogue{About: c.About, Lists: lists}), nil
	}
	s := &Snapshot{About: c.About}
	for k := range s.Sections {
		from := &c.Sections[k]
		is := Section{Changed: from.Changed, Items: make([]Item, len(from.Items))}
		for j, i := range from.Items {
			is.Items[j] = i.Item
			is.Items[j].Body = texts[:i.Size:i.Size]
			texts = texts[i.Size:]
		}
		s.Sections[k] = is
	}
	return s, nil
}

// catalogue reads the lists. It may only be called instead of snapshot.
func (c *cacheFile) catalogue() (*Catalogue, error) {
	if _, err := c.rest.Discard(c.size); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	lists, err := c.lists()
	if err != nil {
		return nil, err
	}
	return &Catalogue{About: c.About, Lists: lists}, nil
}

func (c *cacheFile) lists() (lists [Kinds]List, err error) {
	text, err := io.ReadAll(c.rest)
	if err == nil {
		err = json.Unmarshal(text, &lists)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return lists, err
}

// cacheFileText returns the content of the cache file of a catalogue and its
// snapshot.
func cacheFileText(cat *Catalogue, s *Snapshot) ([]byte, error) {
	h := header{Format: cacheFormat, Rendering: Rendering, About: cat.About}
	var texts []byte
	for k, is := range s.Sections {
		to := cachedSection{Changed: is.Changed}
		for _, i := range is.Items {
			to.Items = append(to.Items, cachedItem{Item: i, Size: len(i.Body)})
			texts = append(texts, i.Body...)
		}
		h.Sections[k] = to
	}
	h.Sum = checksum(texts)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // definitions must be read as they were
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	out.Write(texts)
	if err := enc.Encode(cat.Lists); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func checksum(texts []byte) uint32 { return crc32.Checksum(texts, crc32.MakeTable(crc32.Castagnoli)) }
