// Package archive keeps sessions that their agents may delete: one file each,
// compressed with zstd, at <agent>/<id>.jsonl.zst. Its first line describes the
// session, the others are its events as messages.jsonl has them, with long results
// whole. An archived session is a source like any other, of the lowest rank: it is
// shown when the agent no longer has the session.
//
// When it is full, the archive keeps the newest sessions ([Room]).
package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
	"ctxfs/providers/transcripts/source"
)

const suffix = ".jsonl.zst"

// header is the first line of an archived session.
type header struct {
	Session event.Session `json:"session"`
}

// Archive is the folder of archived sessions.
type Archive struct{ Dir string }

// Contains reports whether a file lies in the archive.
func (a Archive) Contains(path string) bool { return fs.Within(path, a.Dir) }

// Path returns the path of an archived session, by its agent and id.
func (a Archive) Path(agent, id string) string {
	name := names.File(id)
	if name != id {
		name += fmt.Sprintf("-%016x", fs.BytesVersion([]byte(id)))
	}
	return filepath.Join(a.Dir, agent, name+suffix)
}

// Walk visits the archived sessions until ctx is done.
func (a Archive) Walk(ctx context.Context, visit func(agent, path string)) {
	_ = filepath.WalkDir(a.Dir, func(path string, d iofs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return ctx.Err()
		}
		visit(filepath.Base(filepath.Dir(path)), path)
		return nil
	})
}

// Format returns how an archived session is read.
func Format() history.Log {
	return history.Log{
		Open: func(string) history.Reader { return new(reader) }, Rank: source.LowestRank, Compressed: true,
	}
}

type reader struct{}

func (*reader) Record(line []byte, out event.Sink) {
	if bytes.HasPrefix(line, []byte(`{"session":`)) {
		var h header
		if json.Unmarshal(line, &h) == nil {
			agent := out.Session().Agent
			*out.Session() = h.Session
			out.Session().Agent = agent
		}
		return
	}
	e, err := render.ParseMessage(line)
	if err != nil {
		out.Emit(event.Event{Kind: event.Unknown, Text: "not of the archive", Record: string(line)})
		return
	}
	out.Emit(e)
}

// Write writes an archived session to path: info and the first size bytes of the
// messages file, with the full text of results in other files, which spill reads. If
// there are fewer bytes, nothing is written.
func (a Archive) Write(path string, info event.Session, messages string, size int64, spill func(path string) ([]byte, error)) (err error) {
	in, err := os.Open(messages)
	if err != nil && size > 0 {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); size < 0 || size > 0 && (err != nil || info.Size() < size) {
		return errors.New("its messages were deleted meanwhile")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	defer tmp.Close()
	out, err := zstd.NewWriter(tmp)
	if err != nil {
		return err
	}
	head, err := json.Marshal(header{info})
	if err != nil {
		return err
	}
	if _, err := out.Write(append(head, '\n')); err != nil {
		return err
	}
	if err := copyMessages(out, io.LimitReader(in, size), spill); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// copyMessages copies messages, with the full text of results in other files.
func copyMessages(out io.Writer, in io.Reader, spill func(path string) ([]byte, error)) error {
	from := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := from.ReadBytes('\n')
		if len(line) > 0 {
			if bytes.Contains(line, []byte(`"spill":`)) {
				line = withSpill(line, spill)
			}
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func withSpill(line []byte, spill func(path string) ([]byte, error)) []byte {
	e, err := render.ParseMessage(bytes.TrimSuffix(line, []byte("\n")))
	if err != nil || e.Result == nil || e.Result.Spill == "" {
		return line
	}
	text, err := spill(e.Result.Spill)
	if err != nil {
		return line
	}
	e.Result.Text, e.Result.Spill = string(text), ""
	return render.AppendJSON(nil, &e)
}

// Room is the space left in the archive. A full archive keeps the newest sessions:
// one that would be deleted again at once is not archived.
type Room struct {
	free   int64
	oldest time.Time // of what is in it
}

// Worth reports whether a session of that time, whose log has that many bytes,
// would stay in the archive.
func (r *Room) Worth(changed time.Time, size int64) bool {
	return size <= r.free || changed.After(r.oldest)
}

// Add records that a session of that time was archived at path.
func (r *Room) Add(path string, changed time.Time) {
	if info, err := os.Stat(path); err == nil {
		r.free -= info.Size()
	}
	if r.oldest.IsZero() || changed.Before(r.oldest) {
		r.oldest = changed
	}
}

// archived is a file of the archive.
type archived struct {
	path string
	size int64
	time time.Time
}

// files lists the archive, the oldest first.
func (a Archive) files() (all []archived, total int64) {
	_ = filepath.WalkDir(a.Dir, func(path string, d iofs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, archived{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(all, func(a, b archived) int { return a.time.Compare(b.time) })
	return all, total
}

// Room returns the room that the archive has within a limit, in bytes.
func (a Archive) Room(limit int64) *Room {
	all, total := a.files()
	r := &Room{free: limit - total}
	if len(all) > 0 {
		r.oldest = all[0].time
	}
	return r
}

// Prune deletes the oldest archived sessions until the rest is within the limit,
// in bytes, and returns the paths of those that it has deleted.
func (a Archive) Prune(limit int64) (deleted []string) {
	all, total := a.files()
	for _, f := range all {
		if total <= limit {
			break
		}
		if os.Remove(f.path) == nil {
			total -= f.size
			deleted = append(deleted, f.path)
		}
	}
	return deleted
}
