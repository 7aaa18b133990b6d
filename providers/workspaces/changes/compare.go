// Package changes compares files on disk with what a session last saw of them, and
// finds out who has changed them.
package changes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/textdiff"
)

// State is how a file compares with what was seen of it.
type State string

// The states.
const (
	Same    State = "same"
	Changed State = "changed"
	Deleted State = "deleted"
	Unknown State = "unknown" // it cannot be looked at
)

// Change is how a file on disk compares with what a session last saw of it.
type Change struct {
	Path  string `json:"path"`
	State State  `json:"state"`
	// Modified is when the file was modified, Seen when the session last saw it, zero
	// if its agent stores no times.
	Modified time.Time `json:"modified,omitzero"`
	Seen     time.Time `json:"seen,omitzero"`
	// ByTime reports whether a file counts as changed because of its modification time
	// alone: Why says why its text was not compared. Why also says why a state is not
	// known, and more where there is more to say.
	ByTime bool   `json:"by_time,omitempty"`
	Why    string `json:"why,omitempty"`
	// Elsewhere reports whether all that the session has seen of a changed file is
	// still there: it changed in lines that the session has not seen.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Diff is the unified difference, without secrets, or "".
	Diff string `json:"diff,omitempty"`
}

const (
	// maxFile is the size of the largest file that is compared, in bytes.
	maxFile = 2 << 20
	// maxDiff is how much of a difference is shown, in bytes.
	maxDiff = 64 << 10
)

// Outdated reports whether an edit would be made on a reading that no longer holds.
func (c *Change) Outdated() bool { return c.State == Deleted || c.State == Changed && !c.Elsewhere }

// NeedsText reports whether it depends on the text that a session saw how a file
// compares with it.
func NeedsText(s facts.Read, last time.Time) bool {
	seen := cmp.Or(s.Time, last)
	info, err := os.Stat(s.File)
	return err != nil || !info.IsDir() && mayDiffer(info, seen)
}

// Compare compares a file with what a session last saw of it: by its text where that is
// known, else by its times. Last stands for the time when the session saw it, where that
// is not known. Compared is false for a folder. It opens nothing but regular files.
func Compare(s facts.Read, last time.Time) (c Change, compared bool) {
	c = Change{Path: s.File, State: Same, Seen: s.Time}
	seen := cmp.Or(s.Time, last)
	if !filepath.IsAbs(s.File) {
		c.State, c.Why = Unknown, "no path of this machine"
		return c, true
	}
	info, err := os.Stat(s.File)
	switch {
	case errors.Is(err, iofs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		if !s.Gone {
			c.State = Deleted
		}
		return c, true
	case err != nil:
		c.State, c.Why = Unknown, fs.Cause(err)
		return c, true
	case info.IsDir():
		return c, false
	}
	c.Modified = info.ModTime().UTC()
	if s.Gone {
		if c.Modified.After(seen) {
			c.State, c.Why = Changed, "the session had deleted it"
		}
		return c, true
	}
	later := c.Modified.Unix() > seen.Unix()
	if !later && !mayDiffer(info, seen) {
		return c, true
	}
	if later {
		c.State = Changed
	}
	if len(s.Parts) == 0 {
		if later {
			c.ByTime, c.Why = true, "its text as the session saw it is not known"
		}
		return c, true
	}
	text, why := "", "it is no regular file"
	if info.Mode().IsRegular() { // to open anything else may do something
		text, why = read(s.File)
	}
	if why != "" {
		if later {
			c.ByTime, c.Why = true, why
		}
		return c, true
	}
	c.compareText(s, text, later)
	return c, true
}

// mayDiffer reports whether a file may have another text than at a time, also if it was
// modified in the same second, or replaced by an older one.
func mayDiffer(info os.FileInfo, seen time.Time) bool {
	return info.ModTime().Unix() >= seen.Unix() || changeTime(info).Unix() > seen.Unix()
}

// compareText compares the text of a file with what was seen of it.
func (c *Change) compareText(s facts.Read, text string, later bool) {
	from := "as it was seen"
	if !c.Seen.IsZero() {
		from += " " + wording.Time(c.Seen)
	}
	from, to := c.Path+"\t"+from, c.Path+"\tnow, modified "+wording.Time(c.Modified)
	masked := mask.Text(text)
	var diffs []string
	if s.Whole {
		was := normal(s.Parts[0].Text)
		if was == text {
			c.State = Same
			return
		}
		diffs = append(diffs, textdiff.Unified(from, to, mask.Text(was), masked))
	} else {
		for _, p := range s.Parts {
			if textdiff.Piece("", "", p.Text, p.Line, text) == "" {
				continue
			}
			diff := textdiff.Piece(from, to, mask.Text(p.Text), p.Line, masked)
			if len(diffs) > 0 { // one heading is enough
				_, diff, _ = strings.Cut(diff, "\n")
				_, diff, _ = strings.Cut(diff, "\n")
			}
			diffs = append(diffs, diff)
		}
		if len(diffs) == 0 {
			if later {
				c.Elsewhere, c.Why = true, "not in the lines that were seen"
			}
			return
		}
	}
	if !later && c.Modified.Unix() == c.Seen.Unix() && !c.Modified.After(c.Seen) {
		return // as the call left it that the session saw it by
	}
	c.State = Changed
	if link, err := os.Readlink(c.Path); err == nil {
		c.Why = "it is a link to " + clean.Line(link) + "; what changed there is not shown" // it may lead outside
	} else if c.Diff = shown(strings.Join(diffs, "")); c.Diff == "" {
		c.Why = "in secrets, which are not shown"
	}
}

// read returns the text of a regular file, or why it cannot be compared.
func read(path string) (text, why string) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be another file by now
	if err != nil {
		return "", fs.Cause(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fs.Cause(err)
	case !info.Mode().IsRegular():
		return "", "it is no regular file"
	case info.Size() > maxFile:
		return "", fmt.Sprintf("it is too large to be compared, %s", wording.Size(info.Size()))
	}
	body, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", fs.Cause(err)
	}
	switch text = string(body); {
	case strings.IndexByte(text, 0) >= 0:
		return "", "it is binary"
	case !utf8.ValidString(text):
		return "", "it is not in UTF-8" // logs are, so what was seen is not known exactly
	}
	return normal(text), ""
}

// normal returns a text in the form in which texts are compared: agents keep neither the
// kind of line ends, nor the mark at the start, nor empty lines at the end.
func normal(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return text + "\n"
}

// shown returns a difference as it may be shown.
func shown(diff string) string {
	diff = clean.Text(mask.Text(diff))
	if len(diff) <= maxDiff {
		return diff
	}
	diff = clean.Prefix(diff, maxDiff)
	return diff[:strings.LastIndexByte(diff, '\n')+1] + "[the difference goes on: read the file]\n"
}

// Text returns changes as a list: a line for each file, with its state, when it was
// modified, and its path as name shows it, and below it the difference.
func Text(all []Change, name func(path string) string) string {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.Line(name(c.Path)) + "\n" + c.Diff)
		if c.ByTime {
			b.WriteString("    what changed is not known: " + c.Why + "\n")
		}
	}
	return b.String()
}

// Line returns the change of a file as a line, without its end.
func (c *Change) Line(name string) string {
	at := "-"
	if !c.Modified.IsZero() {
		at = wording.Time(c.Modified)
	}
	line := fmt.Sprintf("%s  %-20s  %s", c.State, at, clean.Line(name))
	if c.Why != "" && !c.ByTime {
		line += " (" + c.Why + ")"
	}
	return line
}
