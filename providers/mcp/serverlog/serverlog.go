// Package serverlog keeps the logging messages of servers: a text for each server,
// with a line for each message, whose end is kept.
//
// A line is its time, the level, the logger, and the text; further lines of the
// text are indented, so that no server can make up a line:
//
//	2026-11-22T14:20:11.480Z warning db [~/src/app]: the index is missing
//	  create it with: make index
//
// Secrets are hidden in it. A server that logs too much has messages dropped (see
// package wire), and a line that says how many.
package serverlog

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/wire"
)

// The text on disk has at most maxText bytes. A longer one is cut to its last
// keptText bytes, from the beginning of a line.
const (
	maxText  = 256 << 10
	keptText = 192 << 10
)

const (
	maxMessage = 8 << 10                // bytes of the text of a message that are kept
	maxWaiting = 1 << 20                // bytes of messages that wait to be written
	pause      = 100 * time.Millisecond // between two writes
)

// Options are what a log needs to know of its server.
type Options struct {
	// Path is the file.
	Path string
	Now  func() time.Time
	// Clean removes secrets and control characters from a text of several lines.
	Clean func(text string) string
	// Written is called after each write, from a goroutine of the log; first
	// reports whether there was no file before. It only enqueues.
	Written func(first bool)
}

// Log is the log of one server. It is safe for concurrent use.
type Log struct {
	o    Options
	node *fs.Log

	mu      sync.Mutex
	waiting []entry
	size    int // of their texts, in bytes
	dropped int // messages, since the last that waits
	writing bool
	closed  bool
	stop    chan struct{} // closed by Close
	ended   cell.Group
}

// entry is a message that waits to be written.
type entry struct {
	wire.LogMessage
	time    time.Time
	project string
}

// New returns the log of a server. It writes nothing before the first message.
func New(o Options) *Log { return &Log{o: o, node: fs.NewLog(o.Path, 0), stop: make(chan struct{})} }

// Node returns the file to show: a live file. It is nil if nothing has been kept.
func (l *Log) Node() fs.Node {
	if _, err := os.Lstat(l.o.Path); err != nil {
		return nil
	}
	return l.node
}

// Post keeps a message. Project is the folder of the project whose instance of the
// server has logged it, or "". It does not wait.
func (l *Log) Post(m wire.LogMessage, project string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.Dropped += l.dropped
	l.dropped = 0
	switch {
	case l.closed:
		return
	case l.size+len(m.Text) > maxWaiting:
		l.dropped = m.Dropped + 1
		return
	}
	l.waiting = append(l.waiting, entry{m, l.o.Now(), project})
	l.size += len(m.Text)
	if !l.writing {
		l.writing = true
		l.ended.Go(l.write)
	}
}

// Close writes what waits, and ends the log.
func (l *Log) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.stop)
	}
	l.mu.Unlock()
	l.ended.Wait()
}

// write writes what waits until nothing does.
func (l *Log) write() {
	for {
		l.mu.Lock()
		all := l.waiting
		l.waiting, l.size = nil, 0
		l.writing = len(all) > 0
		l.mu.Unlock()
		if len(all) == 0 {
			return
		}
		var text bytes.Buffer
		for _, e := range all {
			_ = cell.Run(func() { l.format(&text, e) })
		}
		first, err := l.append(text.Bytes())
		if err == nil {
			l.o.Written(first)
		}
		select {
		case <-time.After(pause):
		case <-l.stop:
		}
	}
}

// format writes the lines of a message.
func (l *Log) format(w *bytes.Buffer, e entry) {
	at := e.time.UTC().Format("2006-01-02T15:04:05.000Z")
	if e.Dropped > 0 {
		fmt.Fprintf(w, "%s ctxfs: left out %s, because too many came at once\n", at, wording.Count(e.Dropped, "messages"))
	}
	text := clean.Prefix(e.Text, 2*maxMessage) // what is cut off is not searched for secrets
	text = strings.TrimRight(l.o.Clean(text), " \t\n")
	if len(text) > maxMessage {
		text = clean.Prefix(text, maxMessage) + "…"
	}
	fmt.Fprintf(w, "%s %s", at, cmp.Or(clean.Cut(clean.Line(e.Level), 20), "-"))
	if e.Logger != "" {
		fmt.Fprintf(w, " %s", clean.Cut(clean.Line(l.o.Clean(e.Logger)), 80))
	}
	if e.project != "" {
		fmt.Fprintf(w, " [%s]", clean.Line(e.project))
	}
	w.WriteByte(':')
	if text != "" {
		w.WriteString(" " + strings.ReplaceAll(text, "\n", "\n  "))
	}
	w.WriteByte('\n')
}

// append adds lines to the file, and shortens it if it is too long. First reports
// whether there was no file.
func (l *Log) append(text []byte) (first bool, err error) {
	f, err := os.OpenFile(l.o.Path, os.O_RDWR|os.O_APPEND, 0o600)
	if os.IsNotExist(err) {
		first = true
		if err = os.MkdirAll(filepath.Dir(l.o.Path), 0o700); err == nil {
			f, err = os.OpenFile(l.o.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return first, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return first, err
	}
	size := info.Size()
	if last := make([]byte, 1); size > 0 {
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...) // a write was cut off: the disk was full, or the process killed
		}
	}
	if size+int64(len(text)) <= maxText {
		_, err = f.Write(text)
		return first, err
	}
	begin := max(0, size-keptText)
	kept := make([]byte, size-begin)
	if _, err := f.ReadAt(kept, begin); err != nil && err != io.EOF {
		return first, err
	}
	return first, atomicfile.Write(l.o.Path, end(append(kept, text...), keptText))
}

// end returns the last whole messages of a text, of at most limit bytes.
func end(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return nil
		}
		text = text[i+1:]
		if !bytes.HasPrefix(text, []byte("  ")) {
			return text
		}
	}
}
