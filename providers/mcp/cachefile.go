package mcp

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

	"ctxfs/providers/internal/rawjson"
)

// A cache file is a stream of JSON values: a header on one line, then the
// texts that are shown, with nothing between them, then the lists as they
// came. The texts are made of the lists, and made again where they are damaged
// or of another rendering. That takes many times as long as reading them, and
// a mount waits for it.
const (
	cacheFormat = 2 // of cache files; others are ignored
	rendering   = 2 // moves when the texts are made in another way
)

// header is the first line of a cache file.
type header struct {
	Format    int `json:"format"`
	Rendering int `json:"rendering"`
	about
	Sections [sections]cachedSection `json:"sections"`
	Sum      uint32                  `json:"sum"` // CRC-32C of the texts
}

type cachedSection struct {
	Changed time.Time    `json:"changed,omitzero"`
	Items   []cachedItem `json:"items,omitempty"`
}

type cachedItem struct {
	Name    string    `json:"name"`
	File    string    `json:"file"`
	Summary string    `json:"summary,omitempty"`
	Since   time.Time `json:"since"`
	Size    int       `json:"size"` // of its text, in bytes
	// Sum is that of a tool's definition.
	Sum rawjson.Fingerprint `json:"sum,omitzero"`
}

var errDamaged = errors.New("the file is damaged")

// cacheFile is a cache file that is being read.
type cacheFile struct {
	header
	file iofs.File
	rest *bufio.Reader // what follows the header
	size int           // of all texts
}

// openCacheFile reads the header. The file is to be closed.
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
		return fmt.Errorf("%w: %w", errDamaged, err)
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
				return errDamaged
			}
			c.size += i.Size
		}
	}
	if int64(c.size) > info.Size() {
		return errDamaged
	}
	return nil
}

func (c *cacheFile) close() { c.file.Close() }

// snapshot reads what is shown: its texts, or else the lists.
func (c *cacheFile) snapshot() (*snapshot, error) {
	texts := make([]byte, c.size)
	if _, err := io.ReadFull(c.rest, texts); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if c.Rendering != rendering || checksum(texts) != c.Sum {
		lists, err := c.lists()
		if err != nil {
			return nil, err
		}
		return show(&catalogue{about: c.about, Lists: lists}), nil
	}
	s := &snapshot{about: c.about}
	for k := range s.sections {
		from := &c.Sections[k]
		is := section{changed: from.Changed, items: make([]item, len(from.Items))}
		for j, i := range from.Items {
			is.items[j] = item{name: i.Name, file: i.File, summary: i.Summary, since: i.Since, body: texts[:i.Size:i.Size], sum: i.Sum}
			texts = texts[i.Size:]
		}
		s.sections[k] = is
	}
	return s, nil
}

// catalogue reads the lists, before anything else was read.
func (c *cacheFile) catalogue() (*catalogue, error) {
	if _, err := c.rest.Discard(c.size); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	lists, err := c.lists()
	if err != nil {
		return nil, err
	}
	return &catalogue{about: c.about, Lists: lists}, nil
}

func (c *cacheFile) lists() (lists [kinds]list, err error) {
	text, err := io.ReadAll(c.rest)
	if err == nil {
		err = json.Unmarshal(text, &lists)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errDamaged, err)
	}
	return lists, err
}

// cacheFileText is the content of the cache file of a catalogue and of what is
// shown of it.
func cacheFileText(cat *catalogue, s *snapshot) ([]byte, error) {
	h := header{Format: cacheFormat, Rendering: rendering, about: cat.about}
	var texts []byte
	for k, is := range s.sections {
		to := cachedSection{Changed: is.changed}
		for _, i := range is.items {
			to.Items = append(to.Items, cachedItem{Name: i.name, File: i.file, Summary: i.summary, Since: i.since, Size: len(i.body), Sum: i.sum})
			texts = append(texts, i.body...)
		}
		h.Sections[k] = to
	}
	h.Sum = checksum(texts)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // definitions are to come back as they were
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	out.Write(texts)
	if err := enc.Encode(cat.Lists); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func checksum(texts []byte) uint32 {
	return crc32.Checksum(texts, crc32.MakeTable(crc32.Castagnoli))
}
