package agents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// aiderHead begins the line that begins a run.
const aiderHead = "# aider chat started at "

// aiderRun is one run of Aider within the file of a history.
type aiderRun struct {
	offset int
	// head is the line that began it, "" for what stands before the first.
	head string
	text []byte
}

// aiderSplit finds the runs in a history of whole lines.
func aiderSplit(text []byte) []aiderRun {
	var runs []aiderRun
	for at := 0; at < len(text); {
		end := aiderNext(text[at:])
		if end < 0 {
			end = len(text) - at
		}
		run := aiderRun{offset: at, text: text[at : at+end]}
		if bytes.HasPrefix(run.text, []byte(aiderHead)) {
			line, _, _ := bytes.Cut(run.text, []byte("\n"))
			run.head = strings.TrimSpace(string(line))
		}
		if run.head != "" || len(bytes.TrimSpace(run.text)) > 0 {
			runs = append(runs, run)
		}
		at += end
	}
	return runs
}

// aiderNext is where the run after the one that text begins with starts, or -1.
func aiderNext(text []byte) int {
	i := bytes.Index(text, []byte("\n"+aiderHead))
	if i < 0 {
		return -1
	}
	return i + 1
}

// aiderSessions lists the runs of a history. It goes through the bytes once: a
// run's stamp is a checksum, so that only runs that have grown are read again.
func aiderSessions(_ context.Context, path string) ([]history.Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // half a line may be half a head
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	same := make(map[string]int) // runs that began within one second
	var list []history.Entry
	for _, run := range aiderSplit(text) {
		id := aiderID(full, run.head, same[run.head])
		same[run.head]++
		l := history.Entry{
			Session: event.Session{Agent: "aider", ID: id},
			Key:     id + "@" + strconv.Itoa(run.offset),
			Stamp:   fmt.Sprintf("%d-%08x", len(run.text), crc32.Checksum(run.text, table)),
		}
		aiderMeta(path, run.head, &l.Session)
		for typed := range aiderPrompts(run.text) {
			if l.Name(event.FromPrompt, prompt(typed)); l.TitleRank == event.FromPrompt {
				break
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// aiderID is the id of a run, which has none of its own.
func aiderID(path, head string, ordinal int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", path, head, ordinal))
	return hex.EncodeToString(sum[:8])
}

// aiderMeta fills in what the place of a run tells of it. Aider writes the local
// time of the machine.
func aiderMeta(path, head string, s *event.Session) {
	if filepath.Base(path) == aiderName {
		s.CWD = filepath.Dir(path)
	}
	if t, err := time.ParseInLocation(time.DateTime, strings.TrimPrefix(head, aiderHead), time.Local); err == nil {
		s.Saw(t.UTC())
	}
}

// aiderPrompts are the lines that a person typed in a run.
func aiderPrompts(run []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			i := bytes.Index(run, []byte("\n#### "))
			if i < 0 {
				return
			}
			run = run[i+1:]
			line, _, _ := bytes.Cut(run, []byte("\n"))
			if typed, ok := aiderTyped(string(line)); ok && !yield(typed) {
				return
			}
		}
	}
}

// aiderRead reads one run: from where it begins to where the next one does.
func aiderRead(_ context.Context, path, key string, out event.Sink) error {
	id, at, _ := strings.Cut(key, "@")
	offset, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("%s: no run of Aider is called %q", path, key)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := aiderText(io.NewSectionReader(f, offset, 1<<62))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	head := ""
	if bytes.HasPrefix(text, []byte(aiderHead)) {
		line, _, _ := bytes.Cut(text, []byte("\n"))
		head = strings.TrimSpace(string(line))
	} else if offset > 0 {
		return fmt.Errorf("%s: no run begins at byte %d any more (the file was written anew)", path, offset)
	}
	s := out.Session()
	s.ID = id
	aiderMeta(path, head, s)
	r := aiderReader{out: out, start: s.Start}
	for line := range strings.Lines(string(text)) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	r.flush()
	return nil
}

// aiderText reads up to the next run's beginning. A last line that is not whole
// is left for the next time.
func aiderText(from io.Reader) ([]byte, error) {
	var text []byte
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		seen := max(0, len(text)-len(aiderHead)-1)
		text = append(text, piece[:n]...)
		if i := aiderNext(text[seen:]); i >= 0 {
			return text[:seen+i], nil
		}
		if err == io.EOF {
			return text[:bytes.LastIndexByte(text, '\n')+1], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
