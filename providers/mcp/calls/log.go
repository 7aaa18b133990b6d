package calls

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/mask"
)

// The log of calls is a file of JSON lines, one for each call, to which any number
// of processes write. When it is large it is renamed, and replaces the one that was
// renamed before.
const (
	logName     = "calls.jsonl"
	olderSuffix = ".1" // of the one that was renamed
	maxLog      = 16 << 20
)

// Called is a line of the log of calls.
type Called struct {
	Time time.Time `json:"time"` // when the call was requested
	Caller
	Server string `json:"server"` // the name of its folder, or else as in the call
	Tool   string `json:"tool"`   // its own name, or else as in the call
	// Project is the folder of the project for which the call was made.
	Project string `json:"project,omitempty"`
	// Wanted is what the caller had searched for before, if searches learn.
	Wanted string `json:"wanted,omitempty"`
	// MS is the duration in milliseconds.
	MS      int64  `json:"ms"`
	Outcome string `json:"outcome"`
	// Task is the ID of the task that the call was, if it went on without its caller.
	Task string `json:"task,omitempty"`
	// Bytes is the size of the text in bytes, before it was shortened.
	Bytes int    `json:"bytes"`
	File  string `json:"file,omitempty"`
	Error string `json:"error,omitempty"` // one line
	// Misfit says how the result breaks the tool's output schema.
	Misfit string `json:"misfit,omitempty"`
	// Arguments are logged only where the policy says so.
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Log is the log of calls. It is safe for concurrent use.
type Log struct {
	path         string
	max          int64
	table, older *Table

	mu sync.Mutex // the file's lock is one of the process
}

// NewLog returns the log in a folder.
func NewLog(dir string) *Log {
	path := filepath.Join(dir, logName)
	return &Log{path: path, max: maxLog, table: &Table{path: path}, older: &Table{path: path + olderSuffix}}
}

// add writes a whole line or nothing. The line is in the file when add returns.
func (l *Log) add(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, size, err := l.open()
	if err != nil {
		return err
	}
	defer f.Close() // and with it the lock
	if _, err = f.Write(line); err != nil {
		_ = f.Truncate(size) // part of a line would corrupt the next one
	}
	return err
}

// open returns the file, locked against other processes, and its size in bytes.
// A full file is renamed first.
func (l *Log) open() (*os.File, int64, error) {
	for {
		f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if os.IsNotExist(err) {
			if err = os.MkdirAll(filepath.Dir(l.path), 0o700); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, 0, err
		}
		size, present, err := l.lock(f)
		switch {
		case err == nil && present && size < l.max:
			return f, size, nil
		case err == nil && present:
			err = os.Rename(l.path, l.path+olderSuffix)
		}
		f.Close()
		if err != nil {
			return nil, 0, err
		}
	}
}

// lock locks the file, and reports whether it still has its name: another process
// may have renamed it meanwhile.
func (l *Log) lock(f *os.File) (size int64, present bool, err error) {
	if err := filelock.WaitFile(context.Background(), f, filelock.Exclusive); err != nil {
		return 0, false, fmt.Errorf("lock %s: %w", l.path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	now, err := os.Stat(l.path)
	if err != nil && !os.IsNotExist(err) {
		return 0, false, err
	}
	return info.Size(), err == nil && os.SameFile(info, now), nil
}

// Entry is the content of a call's line besides the call and its outcome.
type Entry struct {
	Begun     time.Time
	Took      time.Duration
	Server    string                   // the name of its folder; "" is as it was called
	Tool      string                   // its own name; "" is as it was called
	Task      string                   // the ID of its task, or ""
	Arguments json.RawMessage          // nil are not logged
	Clean     func(text string) string // takes secrets out of a text; may be nil
}

// Record writes the line of a call that returned r and failed, and returns the
// line. Without an error the line is in the file.
func (l *Log) Record(c *Call, in Entry, r *Result, failed error) (Called, error) {
	if in.Clean == nil {
		in.Clean = func(text string) string { return text }
	}
	line := Called{
		Time: in.Begun.UTC(), Caller: c.Caller, Server: cmp.Or(in.Server, c.Server), Tool: cmp.Or(in.Tool, c.Tool), Project: c.Project, Wanted: mask.Text(c.Wanted),
		MS: in.Took.Milliseconds(), Outcome: Outcome(r, failed), Task: in.Task,
	}
	if r != nil {
		line.Bytes, line.File, line.Misfit = r.Size, r.File, r.Misfit
		if r.Failed {
			first, _, _ := bytes.Cut(bytes.TrimSpace(r.Text), []byte("\n"))
			line.Error = string(first[:min(len(first), 64<<10)])
		}
	}
	if failed != nil && line.Outcome != OutcomeCancelled { // the outcome says it all
		line.Error = failed.Error()
	}
	for _, text := range []*string{&line.Via, &line.Agent, &line.Session, &line.Dir, &line.Server, &line.Tool, &line.Project, &line.Wanted, &line.Error, &line.Misfit} {
		*text = clean.Cut(clean.Line(in.Clean(*text)), loggedText)
	}
	if in.Arguments != nil {
		line.Arguments = loggedArguments(in.Arguments, in.Clean)
	}
	text, err := jsonscan.Line(line)
	if err == nil {
		err = l.add(text)
	}
	return line, err
}

// The bounds of what is logged, in bytes.
const (
	loggedText = 400      // of each text
	loggedArgs = 64 << 10 // of arguments
)

// loggedArguments returns arguments without secrets, however they are escaped.
func loggedArguments(args json.RawMessage, redact func(string) string) json.RawMessage {
	if len(args) > loggedArgs {
		args, _ = json.Marshal(wording.Size(int64(len(args))) + " left out") // strings always encode
		return args
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return nil
	}
	args, _ = json.Marshal(redacted(value, redact)) // it was decoded
	return args
}

func redacted(value any, redact func(string) string) any {
	switch v := value.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = redacted(v[i], redact)
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			if text, ok := member.(string); ok {
				member = mask.Field(name, text)
			}
			clean[redact(name)] = redacted(member, redact)
		}
		return clean
	}
	return value
}
