package record

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
)

// ScreenFile shows the screen.
const ScreenFile = "screen.txt"

// How long a change of the screen may wait for further changes, and the least time
// between two writes.
const (
	screenWait = 2 * time.Millisecond
	screenRest = 8 * time.Millisecond
)

type screen struct {
	dir     *folder
	text    []byte    // as last written
	changed time.Time // since when the screen may have changed; zero if it has not
	written time.Time
}

// touch records that the screen may have changed.
func (s *screen) touch(now time.Time) {
	if s.changed.IsZero() {
		s.changed = now
	}
}

// show writes the screen if it is time, and returns when it will be.
func (s *screen) show(now time.Time, r *Recorder) (next time.Time) {
	if s.changed.IsZero() {
		return time.Time{}
	}
	due := wording.Later(wording.Later(s.changed.Add(screenWait), s.written.Add(screenRest)), s.dir.retryAt)
	if due.After(now) {
		return due
	}
	s.write(now, r)
	return time.Time{}
}

func (s *screen) write(now time.Time, r *Recorder) {
	text := s.render(r)
	s.changed = time.Time{}
	if s.text != nil && bytes.Equal(text, s.text) || !s.dir.exists() {
		return
	}
	if err := atomicfile.Write(s.dir.file(ScreenFile), text); err != nil {
		s.dir.failed(now, err)
		s.changed = now
		return
	}
	s.text, s.written = text, now
}

// render returns the text of the screen, without trailing blank rows.
func (s *screen) render(r *Recorder) []byte {
	rows := r.grid.Screen()
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	// A secret may continue in the next row, and in the next line.
	var lines [][]string // the rows of each
	var whole strings.Builder
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && utf8.RuneCountInString(rows[n-1]) >= r.meta.Cols {
			n++
		}
		for _, row := range rows[:n] {
			whole.WriteString(row)
		}
		whole.WriteByte('\n')
		lines, rows = append(lines, rows[:n]), rows[n:]
	}
	var b bytes.Buffer
	hidden := strings.SplitAfter(string(r.mask.Again([]byte(whole.String()))), "\n")
	for i, rows := range lines {
		line := strings.TrimSuffix(hidden[i], "\n")
		if line == strings.Join(rows, "") {
			b.WriteString(strings.Join(rows, "\n"))
			b.WriteByte('\n')
			continue
		}
		for len(line) > 0 {
			cut := 0
			for col := 0; col < r.meta.Cols && cut < len(line); col++ {
				_, size := utf8.DecodeRuneInString(line[cut:])
				cut += size
			}
			b.WriteString(line[:cut])
			b.WriteByte('\n')
			line = line[cut:]
		}
	}
	return b.Bytes()
}

// Screen returns what the screen shows now, including secrets, one string
// a row, and the place of the cursor, counted from 0.
func (r *Recorder) Screen() (rows []string, col, row int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	col, row = r.grid.Cursor()
	return r.grid.Screen(), col, row
}
