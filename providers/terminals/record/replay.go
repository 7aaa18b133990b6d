package record

import (
	"bytes"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// ReplayFile is the recording that asciinema plays.
const ReplayFile = "replay.cast"

// maxReplay is the size at which it ends.
const maxReplay = 16 << 20

// How much output waits to be written, and for how long. An unfinished word, unless
// it is long, waits for its end, so that no secret is cut.
const (
	replayWait = 250 * time.Millisecond
	replayFull = 32 << 10
	replayWord = 4 << 10
)

// replay writes a recording: asciicast v2
// (docs.asciinema.org/manual/asciicast/v2). It has everything that the terminal
// is sent, except secrets. A recording that cannot be written ends.
type replay struct {
	dir    *folder
	mask   Masker
	file   *os.File // nil if not recorded, or ended
	began  time.Time
	events []event
	text   []byte // of all events
	cut    []byte // an incomplete character
	size   int64
}

// event is output that ends at an offset of the text.
type event struct {
	at  time.Time
	end int
}

func (p *replay) begin(now time.Time, m Meta, mask Masker) {
	f, err := os.OpenFile(p.dir.file(ReplayFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	p.file, p.began, p.mask = f, now, mask
	head := struct {
		Version   int   `json:"version"`
		Width     int   `json:"width"`
		Height    int   `json:"height"`
		Timestamp int64 `json:"timestamp"`
	}{2, m.Cols, m.Rows, now.Unix()}
	p.write(jsonLine(head))
}

// output records what the terminal is sent.
func (p *replay) output(now time.Time, text []byte) {
	if p.file == nil {
		return
	}
	p.text = append(append(p.text, p.cut...), text...)
	p.cut = p.cut[:0]
	whole := len(p.text)
	for i := 1; i < utf8.UTFMax && i <= whole; i++ {
		if c := p.text[whole-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(p.text[whole-i:]) {
				whole -= i
			}
			break
		}
	}
	p.cut = append(p.cut, p.text[whole:]...)
	p.text = p.text[:whole]
	p.events = append(p.events, event{now, whole})
	if whole >= replayFull {
		p.put(now, false)
	}
}

// flush writes what has waited, and returns when it should be called again.
func (p *replay) flush(now time.Time) (next time.Time) {
	if p.file == nil || len(p.events) == 0 {
		return time.Time{}
	}
	if due := p.events[0].at.Add(replayWait); due.After(now) {
		return due
	}
	p.put(now, false)
	return time.Time{} // what is left waits for more
}

// put writes what waits: all, or up to the unfinished word.
func (p *replay) put(now time.Time, all bool) {
	n := len(p.text)
	if !all {
		n = bytes.LastIndexFunc(p.text, func(c rune) bool { return c <= ' ' }) + 1
		if len(p.text)-n > replayWord {
			n = len(p.text)
		}
	}
	var lines []byte
	text, kept := p.text[:n], p.text[n:]
	masked := p.mask.Mask(text)
	if bytes.Equal(masked, text) {
		from := 0
		for len(p.events) > 0 && from < n {
			e := p.events[0]
			to := min(e.end, n)
			lines = append(lines, p.event(e.at, "o", text[from:to])...)
			if from = to; e.end > n {
				break
			}
			p.events = p.events[1:]
		}
	} else {
		lines = p.event(p.events[0].at, "o", masked)
		for len(p.events) > 0 && p.events[0].end <= n {
			p.events = p.events[1:]
		}
	}
	for i := range p.events {
		p.events[i].end -= n
	}
	p.text = append(p.text[:0], kept...)
	p.write(lines)
	if p.size > maxReplay {
		p.write(p.event(now, "m", []byte("the recording ends at 16 MiB; the terminal goes on")))
		p.end()
	}
}

// event returns a line of the recording.
func (p *replay) event(at time.Time, code string, text []byte) []byte {
	seconds := float64(at.Sub(p.began).Microseconds()) / 1e6
	return jsonLine([]any{seconds, code, string(text)})
}

func (p *replay) resize(now time.Time, cols, rows int) {
	if p.file == nil {
		return
	}
	p.put(now, true)
	if p.file != nil {
		p.write(p.event(now, "r", fmt.Appendf(nil, "%dx%d", cols, rows)))
	}
}

func (p *replay) write(lines []byte) {
	if p.file == nil || len(lines) == 0 {
		return
	}
	n, err := p.file.Write(lines)
	if err != nil {
		_ = p.file.Truncate(p.size) // half a line is invalid
		p.end()
		return
	}
	p.size += int64(n)
}

func (p *replay) end() {
	if p.file != nil {
		p.file.Close()
	}
	p.file, p.text, p.events = nil, nil, nil
}

func (p *replay) close(now time.Time) {
	if p.file != nil {
		p.put(now, true)
	}
	p.end()
}
