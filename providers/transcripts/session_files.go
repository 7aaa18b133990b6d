package transcripts

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"time"

	"ctxfs/fs"
)

// patience is how long somebody may wait for a session to be rendered: a
// gigabyte takes some ten seconds.
const patience = 5 * time.Minute

// incarnation is the version of a session's growing files. The caller holds the
// catalogue's lock.
func (s *session) incarnation() uint64 {
	h := fnv.New64a()
	h.Write([]byte(s.agent + "\x00" + s.id))
	if s.shown.Generation == 0 && s.shown.Fault != "" {
		return h.Sum64() // nothing, which is another text than what may be read later
	}
	// What has not been rendered will be the first generation.
	return h.Sum64() + uint64(max(s.shown.Generation, 1))
}

// version is that of what is made of a session as a whole. The caller holds the
// catalogue's lock.
func (s *session) version() uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range []uint64{s.incarnation(), uint64(s.shown.Events), uint64(s.shown.Size), uint64(s.info.TitleRank), uint64(s.modTime().UnixNano()), uint64(len(s.children))} {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	h.Write([]byte(s.info.Title))
	return h.Sum64()
}

// unready tells whether a session must be rendered before it can be read: what is
// live is shown as far as it is. The caller holds the catalogue's lock.
func (s *session) unready() bool {
	return s.behind() && (!s.shown.live || s.shown.Generation == 0 || s.shown.Evicted)
}

// growing is the Attr of a file that grows with its session; size is -1 where
// it is not known. The caller holds the catalogue's lock.
func (s *session) growing(size int64) fs.Attr {
	return fs.Attr{Mode: 0o444, Size: size, ModTime: s.modTime(), Version: s.incarnation(), Live: s.shown.live && size >= 0}
}

// transcriptFile is transcript.md.
type transcriptFile struct {
	p *Provider
	s *session
}

func (f transcriptFile) Patience() time.Duration { return patience }

func (f transcriptFile) Attr(context.Context) (fs.Attr, error) {
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(f.s) {
		return fs.Attr{}, fs.ErrNotExist
	}
	if f.s.unready() {
		return f.s.growing(fs.SizeOnDemand), nil
	}
	return f.s.growing(f.s.shown.Size), nil
}

func (f transcriptFile) Measure(ctx context.Context) (fs.Attr, error) {
	if err := f.p.current(ctx, f.s); err != nil {
		return fs.Attr{}, err
	}
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	return f.s.growing(f.s.shown.Size), nil
}

func (f transcriptFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return f.p.readBook(ctx, f.s, p, off, false)
}

// messagesFile is messages.jsonl. It is made when it is first asked for, and
// grows with the session from then on.
type messagesFile struct {
	p *Provider
	s *session
}

func (f messagesFile) Patience() time.Duration { return patience }

func (f messagesFile) Attr(context.Context) (fs.Attr, error) {
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(f.s) {
		return fs.Attr{}, fs.ErrNotExist
	}
	size := f.s.shown.Messages
	if f.s.unready() || size < 0 {
		size = fs.SizeOnDemand
	}
	return f.s.growing(size), nil
}

func (f messagesFile) Measure(ctx context.Context) (fs.Attr, error) {
	if err := f.p.messages(ctx, f.s); err != nil {
		return fs.Attr{}, err
	}
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	return f.s.growing(f.s.shown.Messages), nil
}

func (f messagesFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return f.p.readBook(ctx, f.s, p, off, true)
}

// readBook reads from a file of a session's cache as far as it was published.
// Where the cache was thrown away meanwhile it is made again.
func (p *Provider) readBook(ctx context.Context, s *session, b []byte, off int64, messages bool) (int, error) {
	for tries := 1; ; tries++ {
		c := p.list
		c.mu.RLock()
		there, ready, generation, size := c.there(s), !s.unready(), s.shown.Generation, s.shown.Size
		if messages {
			size = s.shown.Messages
		}
		c.mu.RUnlock()
		if !there {
			return 0, fs.ErrNotExist
		}
		if !ready || size < 0 {
			if tries > maxTries {
				return 0, fs.ErrBroken
			}
			bring := p.current
			if messages {
				bring = p.messages
			}
			if err := bring(ctx, s); err != nil {
				return 0, err
			}
			continue
		}
		if off >= size {
			return 0, io.EOF
		}
		wanted := b[:min(int64(len(b)), size-off)]
		name := transcriptFileName(generation)
		if messages {
			name = messagesFileName(generation)
		}
		n, err := readAt(p.bookPath(s, name), wanted, off)
		short := errors.Is(err, io.EOF) && n < len(wanted) // than what was published
		switch {
		case (errors.Is(err, os.ErrNotExist) || short) && tries <= maxTries:
			if err := p.renderAgain(ctx, s, messages); err != nil {
				return 0, err
			}
			continue
		case err == nil && len(wanted) < len(b):
			err = io.EOF
		case short:
			err = fs.ErrBroken
		}
		return n, err
	}
}

func readAt(path string, p []byte, off int64) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

// derivedFile is a file that is made of what a session was as a whole at one
// version: a new version is a new file.
type derivedFile struct {
	p       *Provider
	s       *session
	name    string
	version uint64
}

func (f derivedFile) Patience() time.Duration { return patience }

func (f derivedFile) Attr(context.Context) (fs.Attr, error) {
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.there(f.s) {
		return fs.Attr{}, fs.ErrNotExist
	}
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: f.s.modTime(), Version: f.version}
	if text, ok := f.p.texts.get(f.key()); ok && !f.s.behind() {
		a.Size = int64(len(text))
	}
	return a, nil
}

func (f derivedFile) key() textKey { return textKey{f.s, f.name, f.version} }

func (f derivedFile) Measure(ctx context.Context) (fs.Attr, error) {
	text, err := f.text(ctx)
	if err != nil {
		return fs.Attr{}, err
	}
	c := f.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	return fs.Attr{Mode: 0o444, Size: int64(len(text)), ModTime: f.s.modTime(), Version: f.version}, nil
}

func (f derivedFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	text, err := f.text(ctx)
	if err != nil {
		return 0, err
	}
	return readBytes(text, p, off)
}

func readBytes(text, p []byte, off int64) (int, error) {
	if off >= int64(len(text)) {
		return 0, io.EOF
	}
	n := copy(p, text[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f derivedFile) text(ctx context.Context) ([]byte, error) {
	if text, ok := f.p.texts.get(f.key()); ok {
		return text, nil
	}
	text, err := f.p.derive(ctx, f.s, f.name)
	if err != nil {
		return nil, err
	}
	f.p.texts.put(f.key(), text)
	return text, nil
}
