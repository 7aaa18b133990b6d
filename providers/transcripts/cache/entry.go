package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
	"ctxfs/providers/transcripts/source"
)

// Format is the version of the cache's format. Entries of another version are
// rendered again.
const Format = 8

// Entry is the cached data of one session, in a folder of its own: its texts, and
// the state to resume from. The state gives the length of each file; bytes after
// that were written by a process that did not finish.
type Entry struct {
	dir string
	state

	// file is state.json as it was last read or written, or nil.
	file os.FileInfo
	// ids are the native ids recorded so far, by hash, with the numbers of their
	// events; nil while not read from disk.
	ids map[uint64]uint32
	// names are the names in results/ in lower case; nil while not read from disk.
	names map[string]struct{}
}

// state is state.json.
type state struct {
	Format     int           `json:"format"`
	Generation uint32        `json:"generation"`
	Session    event.Session `json:"session"`
	Source     sourceState   `json:"source"`
	Seq        int           `json:"seq"`
	Results    int           `json:"results"`
	// Repeats identifies the sessions whose records are left out in this one; 0 for
	// none.
	Repeats uint64 `json:"repeats,omitempty"`
	// Whole reports that the session has no records of its own, so that the inherited
	// ones are shown here too: an empty transcript is of no use.
	Whole bool `json:"whole,omitempty"`
	// Understood reports that at least one record is one of the agent's.
	Understood bool `json:"understood,omitempty"`
	// Timed reports that at least one event that is not quiet has a time.
	Timed bool `json:"timed,omitempty"`

	// The lengths of the files, in bytes. Messages is -1 if there are no messages.
	Transcript int64 `json:"transcript_size"`
	Index      int64 `json:"results_size"`
	IDs        int64 `json:"ids_size"`
	Text       int64 `json:"text_size"`
	Sums       int64 `json:"sums_size"`
	Messages   int64 `json:"messages_size"`

	Reader  json.RawMessage   `json:"reader,omitempty"`
	Writer  render.Transcript `json:"writer"`
	Summary render.Summary    `json:"summary"`
}

// sourceState records how much of the source was read, and how to recognize that
// part.
type sourceState struct {
	Path   string      `json:"path"`
	Stamp  string      `json:"stamp,omitempty"`
	Stat   source.Stat `json:"stat"`
	Offset int64       `json:"offset"`        // bytes of a log that were read
	Sum    uint32      `json:"sum"`           // CRC-32C of them
	Tail   uint32      `json:"tail"`          // CRC-32C of the last tailSize of them
	Newest int64       `json:"newest_offset"` // where the last record began
}

const stateName = "state.json"

// The names of an entry's files, by generation: a new one does not disturb the
// readers of the old.
func transcriptFileName(gen uint32) string { return fmt.Sprintf("%d.md", gen) }
func messagesFileName(gen uint32) string   { return fmt.Sprintf("%d.jsonl", gen) }
func resultsFileName(gen uint32) string    { return fmt.Sprintf("%d.results", gen) }
func idsFileName(gen uint32) string        { return fmt.Sprintf("%d.ids", gen) }
func sumsFileName(gen uint32) string       { return fmt.Sprintf("%d.sums", gen) }
func textFileName(gen uint32) string       { return fmt.Sprintf("%d.text", gen) }

func entryFileNames(gen uint32) []string {
	return []string{
		transcriptFileName(gen), messagesFileName(gen), resultsFileName(gen), idsFileName(gen), sumsFileName(gen), textFileName(gen),
	}
}

// readEntry reads the state in a folder. If the state does not exist, or cannot be
// used, the entry is new.
func readEntry(dir string) *Entry {
	b := &Entry{dir: dir}
	text, err := b.readState()
	if err == nil {
		err = json.Unmarshal(text, &b.state)
	}
	if err != nil || b.Format != Format {
		b.state = state{Messages: -1, Generation: b.Generation}
		return b
	}
	sizes := map[string]int64{
		transcriptFileName(b.Generation): b.Transcript, resultsFileName(b.Generation): b.Index,
		idsFileName(b.Generation): b.IDs, sumsFileName(b.Generation): b.Sums, textFileName(b.Generation): b.Text,
	}
	for name, size := range sizes {
		if info, err := os.Stat(filepath.Join(dir, name)); size > 0 && (err != nil || info.Size() < size) {
			b.state = state{Messages: -1, Generation: max(b.Generation, 1) - 1} // rendering gives the same bytes again
			return b
		}
	}
	if info, err := os.Stat(filepath.Join(dir, messagesFileName(b.Generation))); b.Messages > 0 && (err != nil || info.Size() < b.Messages) {
		b.Messages = -1
	}
	return b
}

// readState reads state.json and notes which file that was.
func (b *Entry) readState() ([]byte, error) {
	f, err := os.Open(filepath.Join(b.dir, stateName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if b.file, err = f.Stat(); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// current reports whether state.json is the file that was last read or written.
// Numbers of files are used again, so its size and time count too.
func (b *Entry) current() bool {
	now, err := os.Stat(filepath.Join(b.dir, stateName))
	if err != nil || b.file == nil {
		return errors.Is(err, iofs.ErrNotExist) && b.file == nil
	}
	return os.SameFile(now, b.file) && now.Size() == b.file.Size() && now.ModTime().Equal(b.file.ModTime())
}

// startGeneration deletes what there is and starts the next generation.
func (b *Entry) startGeneration(s event.Session) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return cacheFaultOf(err)
	}
	old := b.Generation
	b.state = state{Format: Format, Generation: old + 1, Session: s, Messages: -1}
	b.Writer.ID8 = render.ID8(s.ID)
	b.ids, b.names = make(map[uint64]uint32), make(map[string]struct{})
	for _, name := range entryFileNames(b.Generation) {
		if err := os.Remove(filepath.Join(b.dir, name)); err != nil && !os.IsNotExist(err) {
			return cacheFaultOf(err)
		}
	}
	if old > 1 { // readers of the last generation may go on
		for _, name := range entryFileNames(old - 1) {
			_ = os.Remove(filepath.Join(b.dir, name))
		}
	}
	return nil
}

// save writes the state.
func (b *Entry) save() error {
	text, err := json.Marshal(&b.state)
	if err != nil {
		return err
	}
	path := filepath.Join(b.dir, stateName)
	if err := atomicfile.Write(path, text); err != nil {
		return err
	}
	b.file, err = os.Stat(path)
	return err
}

// errLost is a fault of the cache: one of the entry's files is no longer what was
// written to it.
var errLost = errors.New("a file of the cache was deleted or damaged")

// appendTo writes at the end of one of the entry's files, whose length is size, and
// adds the length of the text to that. The error is errLost if the file is shorter.
func (b *Entry) appendTo(name string, text []byte, size *int64) error {
	if len(text) == 0 {
		return nil
	}
	flags := os.O_WRONLY
	if *size == 0 {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(filepath.Join(b.dir, name), flags, 0o600)
	if *size > 0 && errors.Is(err, iofs.ErrNotExist) {
		err = errLost
	}
	if err != nil {
		return cacheFaultOf(err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() < *size {
		err = errLost // WriteAt would fill the hole with zeros
	}
	if err == nil {
		_, err = f.WriteAt(text, *size)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return cacheFaultOf(err)
	}
	*size += int64(len(text))
	return nil
}

// size returns the size of the entry on disk, in bytes.
func (s *state) size() int64 {
	return s.Transcript + s.Index + s.IDs + s.Text + s.Sums + max(s.Messages, 0)
}
