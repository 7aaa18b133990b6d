// Package aider reads the histories of Aider. A history is a Markdown file in the
// repository that Aider works on, so it is only searched for below the folders that
// the user allows ([history.Machine]). One file contains all runs, each a session
// here, and is only appended to.
package aider

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
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// defaultName is the file's name unless the user chose another.
const defaultName = ".aider.chat.history.md"

// Agent returns the reader of Aider.
func Agent() history.Agent { return history.Agent{Name: "aider", Places: places} }

func places(m history.Machine) []history.Place {
	name := defaultName
	var places []history.Place
	if file := m.Env("AIDER_CHAT_HISTORY_FILE"); filepath.IsAbs(file) {
		place := history.OneFile(file, store())
		place.NoLinks = true
		places = append(places, place)
	} else if file != "" {
		name = filepath.Base(file)
	}
	for _, project := range m.Projects {
		places = append(places, history.Place{
			Dir: project,
			File: func(rel string) history.Format {
				if base := path.Base(rel); base != defaultName && base != name {
					return nil
				}
				return store()
			},
			Skip:    skip,
			NoLinks: true,
		})
	}
	return places
}

// skip reports whether a folder of a project is not searched: hidden folders and
// node_modules.
func skip(rel string) bool {
	base := path.Base(rel)
	return base == "node_modules" || base != "." && strings.HasPrefix(base, ".")
}

func store() history.Store { return history.Store{Sessions: listRuns, Read: readRun} }

// runHead is the beginning of the first line of a run.
const runHead = "# aider chat started at "

// run is one run of Aider in the file of a history.
type run struct {
	offset int
	// head is the first line of the run, "" for what comes before the first run.
	head string
	text []byte
}

// splitRuns returns the runs in a history of whole lines.
func splitRuns(text []byte) []run {
	var runs []run
	for at := 0; at < len(text); {
		end := nextRun(text[at:])
		if end < 0 {
			end = len(text) - at
		}
		run := run{offset: at, text: text[at : at+end]}
		if bytes.HasPrefix(run.text, []byte(runHead)) {
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

// nextRun returns the offset of the run after the one that text begins with, or
// -1.
func nextRun(text []byte) int {
	i := bytes.Index(text, []byte("\n"+runHead))
	if i < 0 {
		return -1
	}
	return i + 1
}

// listRuns lists the runs of a history in one pass over the bytes. A run's stamp
// is a checksum, so that only runs that have grown are read again.
func listRuns(_ context.Context, path string) ([]history.Entry, error) {
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
	same := make(map[string]int) // counts runs that began within one second
	var list []history.Entry
	for _, run := range splitRuns(text) {
		id := runID(full, run.head, same[run.head])
		same[run.head]++
		l := history.Entry{
			Session: event.Session{Agent: "aider", ID: id},
			Key:     id + "@" + strconv.Itoa(run.offset),
			Stamp:   fmt.Sprintf("%d-%08x", len(run.text), crc32.Checksum(run.text, table)),
		}
		setMeta(path, run.head, &l.Session)
		for typed := range prompts(run.text) {
			if l.Name(event.FromPrompt, records.Prompt(typed)); l.TitleRank == event.FromPrompt {
				break
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// runID returns an id for a run, since Aider gives it none.
func runID(path, head string, ordinal int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", path, head, ordinal))
	return hex.EncodeToString(sum[:8])
}

// setMeta stores what the path and the head of a run say about it. Aider writes the
// local time of the machine.
func setMeta(path, head string, s *event.Session) {
	if filepath.Base(path) == defaultName {
		s.CWD = filepath.Dir(path)
	}
	if t, err := time.ParseInLocation(time.DateTime, strings.TrimPrefix(head, runHead), time.Local); err == nil {
		s.Saw(t.UTC())
	}
}

// prompts returns the lines that a person typed in a run.
func prompts(run []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			i := bytes.Index(run, []byte("\n#### "))
			if i < 0 {
				return
			}
			run = run[i+1:]
			line, _, _ := bytes.Cut(run, []byte("\n"))
			if typed, ok := typedText(string(line)); ok && !yield(typed) {
				return
			}
		}
	}
}

// readRun reads one run, up to the beginning of the next.
func readRun(_ context.Context, path, key string, out event.Sink) error {
	id, at, _ := strings.Cut(key, "@")
	offset, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("%s has no run of Aider with the key %q", path, key)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := readText(io.NewSectionReader(f, offset, 1<<62))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	head := ""
	if bytes.HasPrefix(text, []byte(runHead)) {
		line, _, _ := bytes.Cut(text, []byte("\n"))
		head = strings.TrimSpace(string(line))
	} else if offset > 0 {
		return fmt.Errorf("%s: no run begins at byte %d: the file was rewritten", path, offset)
	}
	s := out.Session()
	s.ID = id
	setMeta(path, head, s)
	r := reader{out: out, start: s.Start}
	for line := range strings.Lines(string(text)) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	r.flush()
	return nil
}

// readText reads up to the beginning of the next run. A last line that is
// incomplete is left for later.
func readText(from io.Reader) ([]byte, error) {
	var text []byte
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		seen := max(0, len(text)-len(runHead)-1)
		text = append(text, piece[:n]...)
		if i := nextRun(text[seen:]); i >= 0 {
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
