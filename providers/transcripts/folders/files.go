package folders

import (
	"context"
	"io"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/catalogue"
)

// patience is how long a reader may wait for a session to be rendered: a
// gigabyte takes some ten seconds.
const patience = 5 * time.Minute

// growingFile is transcript.md or messages.jsonl, which grow with the session.
// messages.jsonl is made when it is first asked for, and grows from then on.
type growingFile struct {
	node
	messages bool
}

// attr returns the Attr of the file at one moment; the size is SizeOnDemand where
// it is not known.
func (f growingFile) attr(v *catalogue.View) fs.Attr {
	size := v.Published.Size
	if f.messages {
		size = v.Published.Messages
	}
	return fs.Attr{Mode: 0o444, Size: size, ModTime: v.ModTime, Version: v.Incarnation(), Live: v.Live && size >= 0}
}

func (f growingFile) Patience() time.Duration { return patience }

func (f growingFile) Attr(context.Context) (fs.Attr, error) {
	v, err := f.view()
	if err != nil {
		return fs.Attr{}, err
	}
	if v.Unready() {
		v.Published.Size, v.Published.Messages = fs.SizeOnDemand, fs.SizeOnDemand
	}
	return f.attr(&v), nil
}

// measures is how often a file is made that was dropped before it could be measured: when what
// its session repeats becomes known, or the cache has no room.
const measures = 20

func (f growingFile) Measure(ctx context.Context) (fs.Attr, error) {
	for range measures {
		if err := f.t.Cache.Current(ctx, f.s, f.messages); err != nil {
			return fs.Attr{}, err
		}
		v, _ := f.t.Catalogue.View(f.s)
		if a := f.attr(&v); a.Size != fs.SizeOnDemand {
			return a, nil
		}
	}
	return fs.Attr{}, fs.ErrInterrupted
}

func (f growingFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return f.t.Cache.ReadAt(ctx, f.s, p, off, f.messages)
}

// derivedFile is a file derived from a whole session at one version: a new version
// is a new file.
type derivedFile struct {
	node
	name    string
	version uint64
}

func (f derivedFile) Patience() time.Duration { return patience }

func (f derivedFile) Attr(context.Context) (fs.Attr, error) {
	v, err := f.view()
	if err != nil {
		return fs.Attr{}, err
	}
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: v.ModTime, Version: f.version}
	if text, ok := f.t.texts.get(f.key()); ok && !v.Behind {
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
	v, _ := f.t.Catalogue.View(f.s)
	return fs.Attr{Mode: 0o444, Size: int64(len(text)), ModTime: v.ModTime, Version: f.version}, nil
}

func (f derivedFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	text, err := f.text(ctx)
	if err != nil {
		return 0, err
	}
	return readBytes(text, p, off)
}

// readBytes reads len(p) bytes of a text from an offset, as [io.ReaderAt] does.
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
	return f.t.text(f.key(), func() ([]byte, error) { return f.render(ctx) })
}

type textKey struct {
	s       *catalogue.Session
	name    string
	version uint64
}

// text returns the text with a key: what is in memory, or what is made now.
func (t *Tree) text(key textKey, make func() ([]byte, error)) ([]byte, error) {
	if text, ok := t.texts.get(key); ok {
		return text, nil
	}
	text, err := make()
	if err != nil {
		return nil, err
	}
	t.texts.put(key, text)
	return text, nil
}
