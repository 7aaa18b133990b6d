package proposed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonlines"
)

// decidedName is the file in the folder for what cannot be made again: a line of JSON
// for each decision about a proposal, the last one counts.
const decidedName = "proposed.jsonl"

// Verdict is what became of a proposal.
type Verdict string

// The verdicts.
const (
	Accepted  Verdict = "accepted"
	Dismissed Verdict = "dismissed"
)

// Decided is a decision about a proposal, with the proposal as far as it must be known
// when its session is gone.
type Decided struct {
	Verdict Verdict   `json:"verdict"`
	Name    string    `json:"name"`
	Scope   string    `json:"scope"`
	Text    string    `json:"text"`
	Type    string    `json:"type"`
	Source  string    `json:"source,omitempty"`
	Time    time.Time `json:"time"`
}

// decisions is the file of them.
type decisions struct {
	path    string
	version string // of the file that was read
	all     []Decided
	damaged int
	err     error
}

// load reads the file again if it is another one than before.
func (d *decisions) load() {
	info, err := os.Stat(d.path)
	version := ""
	if err == nil {
		version = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	if version == d.version && version != "" {
		return
	}
	d.version, d.all, d.damaged, d.err = version, nil, 0, nil
	if errors.Is(err, iofs.ErrNotExist) {
		return
	}
	text, err := os.ReadFile(d.path)
	if d.err = err; err != nil {
		d.version = ""
		return
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var one Decided
		if json.Unmarshal(line, &one) != nil || one.Verdict == "" || one.Text == "" {
			d.damaged++ // such as one whose writer was killed: nothing was decided
			continue
		}
		d.all = append(d.all, one)
	}
}

// problems returns what is wrong with the file.
func (d *decisions) problems() []fs.Problem {
	switch {
	case d.err != nil:
		return []fs.Problem{{What: "it is not known which proposals were dismissed, so none are listed: " + clean.Line(d.err.Error()), Mend: "make it readable, or remove it: " + wording.ShellWord(d.path)}}
	case d.damaged > 0:
		return []fs.Problem{{What: wording.Count(d.damaged, "damaged lines") + " in " + clean.Line(d.path) + ": what was dismissed there may be proposed again", Mend: "correct or remove them"}}
	}
	return nil
}

// Decide notes a decision, which is on disk when it returns. Several processes may do so
// at once.
func (b *Book) Decide(one Decided) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return jsonlines.Append(b.decided.path, one)
}

// Last returns the last decision about the proposal with a name.
func (b *Book) Last(name string) (last Decided, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.decided.load()
	for _, one := range b.decided.all {
		if one.Name == name {
			last, ok = one, true
		}
	}
	return last, ok
}

// Problems returns what is wrong with what was decided, as it was last read.
func (b *Book) Problems() []fs.Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.decided.problems()
}

// NameOf returns the name of a proposal as somebody writes it: with or without the
// folder and the extension.
func NameOf(written string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(written, "memory/"), "proposed/"), extension)
}
