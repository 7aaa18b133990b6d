package transcripts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// The archive keeps sessions that their agents may delete: of each the events as
// messages.jsonl has them, with long results whole, compressed, after a first
// line that tells of the session. An archived session is shown when the agent
// has it no more.

// archiveRank is below that of every source of an agent's own.
const archiveRank = -1 << 20

const archiveSuffix = ".jsonl.zst"

// archiveHead is the first line of an archived session.
type archiveHead struct {
	Session event.Session `json:"session"`
}

func (p *Provider) archiveDir() string { return filepath.Join(p.opts.State, "archive") }

// isArchived reports whether a file lies in the archive.
func (p *Provider) isArchived(path string) bool { return isBelow(path, p.archiveDir()) }

func (p *Provider) archivePath(s *session) string {
	name := fileName(s.id)
	if name != s.id {
		name += "-" + hex(hashID(s.id))
	}
	return filepath.Join(p.archiveDir(), s.agent, name+archiveSuffix)
}

// archiveLog is how an archived session is read.
func archiveLog() history.Log {
	return history.Log{
		Open: func(string) history.Reader { return new(archiveReader) }, Rank: archiveRank, Compressed: true,
	}
}

type archiveReader struct{}

func (*archiveReader) Record(line []byte, out event.Sink) {
	if bytes.HasPrefix(line, []byte(`{"session":`)) {
		var h archiveHead
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

// scanArchive finds the archived sessions.
func (p *Provider) scanArchive(ctx context.Context, seen map[string]bool) {
	_ = filepath.WalkDir(p.archiveDir(), func(path string, d iofs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || d.IsDir() || !strings.HasSuffix(path, archiveSuffix) {
			return ctx.Err()
		}
		seen[path] = true
		p.look(ctx, filepath.Base(filepath.Dir(path)), path, archiveLog())
		return nil
	})
}

// keepArchive archives the sessions that are quiet and not archived as they are,
// and keeps the archive within its limit.
func (p *Provider) keepArchive(ctx context.Context) {
	settings := p.settings.Load()
	if !settings.archive || !p.isScanned() {
		return
	}
	room := p.roomInArchive(settings.maxArchive)
	for _, s := range p.list.newest() {
		if ctx.Err() != nil {
			return
		}
		if err := p.archive(ctx, s, room); err != nil && ctx.Err() == nil {
			p.opts.Env.Log.Warn("a session is not archived", "session", s.id, "error", err)
			if isFull(err) {
				p.setCacheFault(err)
				return
			}
		}
	}
	p.pruneArchive(settings.maxArchive)
}

// archive archives one session, if it is quiet and has changed since.
func (p *Provider) archive(ctx context.Context, s *session, room *archiveRoom) error {
	p.list.mu.RLock()
	src, live, changed, fault := s.source(), s.shown.live, s.modTime(), s.shown.Fault
	had := s.shown.Messages >= 0
	size := s.shown.Size
	if src != nil && src.key == "" {
		size = src.stat.Size
	}
	p.list.mu.RUnlock()
	if src == nil || live || fault != "" || rankOf(src.format) == archiveRank {
		return nil
	}
	path := p.archivePath(s)
	if info, err := os.Stat(path); err == nil && info.ModTime().Equal(changed.Truncate(time.Microsecond)) {
		return nil
	}
	if !room.worth(changed, size) {
		return nil
	}
	if err := p.messages(ctx, s); err != nil {
		return err
	}
	p.list.mu.RLock()
	info, generation, length := s.info, s.shown.Generation, s.shown.Messages
	p.list.mu.RUnlock()
	err := p.writeArchive(path, info, p.bookPath(s, messagesFileName(generation)), length)
	if err == nil {
		t := changed.Truncate(time.Microsecond)
		err = os.Chtimes(path, t, t)
	}
	if !had {
		p.dropMessages(s)
	}
	if err == nil {
		room.add(path, changed)
		p.look(ctx, s.agent, path, archiveLog())
	}
	return err
}

// dropMessages throws messages.jsonl away, until it is asked for again.
func (p *Provider) dropMessages(s *session) {
	s.work.Lock()
	defer s.work.Unlock()
	b := p.load(s)
	if b.Messages < 0 {
		return
	}
	b.Messages = -1
	_ = os.Remove(filepath.Join(b.dir, messagesFileName(b.Generation)))
	p.save(s, b, true)
	p.list.mu.Lock()
	s.shown.Messages = -1
	p.list.mu.Unlock()
}

// writeArchive writes an archived session of the first size bytes of its
// messages.
func (p *Provider) writeArchive(path string, info event.Session, messages string, size int64) (err error) {
	in, err := os.Open(messages)
	if err != nil && size > 0 {
		return err
	}
	defer in.Close()
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
	head, err := json.Marshal(archiveHead{info})
	if err != nil {
		return err
	}
	if _, err := out.Write(append(head, '\n')); err != nil {
		return err
	}
	if err := copyMessages(out, io.LimitReader(in, size), func(path string) ([]byte, error) { return p.readSpill(info.Agent, path) }); err != nil {
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

// copyMessages copies messages, with the results whole that lie elsewhere.
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
