package tmux

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Gap is the line of a log after which output may be missing.
const Gap = "[ctxfs: output may be missing here: it came while it was not recorded, or faster than tmux keeps it]"

// capture is what tmux holds of a pane.
type capture struct {
	alternate      bool // a full-screen program has the screen
	x, y           int  // the cursor
	savedX, savedY int  // that of the screen beneath the program
	upper, lower   int  // the scrolling region
	history        int  // in rows
	cols, rows     int

	lines []string // history and screen, wrapped rows joined
	shown []string // the screen; the last of the lines, if it is not alternate
}

// captureFormat is the format of the numbers of a capture.
const captureFormat = "#{pane_id} #{alternate_on} #{cursor_x} #{cursor_y} #{alternate_saved_x} #{alternate_saved_y} " +
	"#{scroll_region_upper} #{scroll_region_lower} #{history_size} #{pane_width} #{pane_height}"

// captureCommands returns the commands that print the texts of a capture.
func captureCommands(pane string) []string {
	return []string{
		"capture-pane -p -J -S - -t " + pane,
		"capture-pane -p -J -t " + pane,
		"capture-pane -a -q -p -J -t " + pane,
	}
}

// parseCapture parses the answers; the pane is "" if it no longer exists.
func parseCapture(first string, answers []string) (c capture, pane string, ok bool) {
	words := strings.Split(first, " ")
	if len(words) != 11 || len(answers) < 3 {
		return c, "", false
	}
	numbers := make([]int, len(words))
	for i, word := range words[1:] {
		// A screen that was never saved has huge coordinates.
		if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1<<24 {
			numbers[i+1] = n
		}
	}
	c = capture{
		alternate: numbers[1] == 1, x: numbers[2], y: numbers[3], savedX: numbers[4], savedY: numbers[5],
		upper: numbers[6], lower: numbers[7], history: numbers[8], cols: numbers[9], rows: numbers[10],
	}
	all, shown, beneath := answers[0], answers[1], answers[2]
	if c.alternate {
		// The history may end within a line that continues below.
		all = strings.TrimSuffix(all, shown) + beneath
	}
	c.lines, c.shown = plainLines(all), plainLines(shown)
	return c, words[0], c.cols > 0 && c.rows > 0
}

// plainLines returns the lines of a text, without trailing blanks and control bytes.
func plainLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, line), " ")
	}
	return lines
}

// reset makes everything that a terminal shows final, and empties it.
const reset = "\x1b[?1049l\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[H\x1b[2J"

// replayAll returns bytes that make an empty terminal show what tmux shows, with
// all history.
func (c *capture) replayAll() []byte {
	var b bytes.Buffer
	lines, blank := trim(c.lines)
	writeLines(&b, lines)
	if n := min(blank, c.history, c.rows); n > 0 { // rows are blank below what scrolled
		fmt.Fprintf(&b, "\x1b[%dS", n)
	}
	if c.alternate {
		fmt.Fprintf(&b, "\x1b[%d;%dH", c.savedY+1, c.savedX+1)
	} else {
		fmt.Fprintf(&b, "\x1b[%d;%dH", c.y+1, c.x+1)
	}
	c.program(&b)
	return b.Bytes()
}

// replaySince returns bytes that make an empty terminal show what came after the
// log's last lines. Sure reports that nothing is missing between them.
func (c *capture) replaySince(log []string) (text []byte, sure bool) {
	lines, blank := trim(c.lines)
	from, sure := overlap(log, lines)
	x, y := c.x, c.y
	if c.alternate {
		x, y = c.savedX, c.savedY
	}
	last := c.rows - 1 - blank
	switch {
	case !sure && !c.alternate:
		from = len(lines) - len(c.shown) + blank
	case !sure:
		from = len(lines) - c.rows + blank
	}
	if y <= last { // the line that is being written is repeated as a whole
		from = min(from, len(lines)-1)
	}
	var b bytes.Buffer
	writeLines(&b, lines[max(from, 0):])
	switch {
	case from >= len(lines): // the cursor is on a row of its own
	case y < last:
		fmt.Fprintf(&b, "\x1b[%dA", last-y)
	default:
		b.WriteString(strings.Repeat("\r\n", min(y-last, c.rows)))
	}
	fmt.Fprintf(&b, "\x1b[%dG", x+1)
	c.program(&b)
	return b.Bytes(), sure
}

// program writes the screen of a full-screen program, and the scrolling region.
func (c *capture) program(b *bytes.Buffer) {
	if c.alternate {
		b.WriteString("\x1b[?1049h\x1b[H")
		lines, _ := trim(c.shown)
		writeLines(b, lines)
		fmt.Fprintf(b, "\x1b[%d;%dH", c.y+1, c.x+1)
	}
	if c.lower > c.upper && (c.upper > 0 || c.lower < c.rows-1) {
		fmt.Fprintf(b, "\x1b7\x1b[%d;%dr\x1b8", c.upper+1, c.lower+1)
	}
}

// writeLines writes lines with a line end between any two.
func writeLines(b *bytes.Buffer, lines []string) {
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line)
	}
}

// trim removes the blank lines at the end, and counts them.
func trim(lines []string) (trimmed []string, blank int) {
	n := len(lines)
	for n > 0 && lines[n-1] == "" {
		n--
	}
	return lines[:n], len(lines) - n
}

// windowLines is how many lines of a log are searched for.
const windowLines = 50

// overlap finds where lines continue after the end of a log: the index of the
// first line that is not in it. The last lines of the log may have been cut, or
// be a prompt that is gone. It is not sure if those lines are missing, or occur
// more than once.
func overlap(log, lines []string) (from int, sure bool) {
	log, _ = trim(log)
	if len(log) == 0 {
		return 0, true
	}
	for cut := range min(3, len(log)) {
		end := len(log) - cut
		window := log[max(0, end-windowLines):end]
		window, _ = trim(window)
		if len(window) == 0 {
			continue
		}
		found := -1
		for i := len(window); i <= len(lines); i++ {
			if slices.Equal(lines[i-len(window):i], window) {
				if found >= 0 {
					return len(lines), false
				}
				found = i
			}
		}
		if found < 0 {
			continue
		}
		for _, line := range log[end:] { // lines that were cut and are there after all
			if found < len(lines) && lines[found] == line {
				found++
			}
		}
		return found, true
	}
	return len(lines), false
}

// tail returns the last lines of a log, from the end of its file.
func tail(text []byte) []string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	if len(text) == 0 {
		return nil
	}
	return plainLines(string(text))
}
