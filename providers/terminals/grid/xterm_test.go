package grid

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

var seed = flag.Int("seed", 1, "what random streams begin with")

// A step is what happens to a terminal: bytes, or another size.
type step struct {
	Data []byte `json:"data,omitempty"`
	Cols int    `json:"cols,omitempty"`
	Rows int    `json:"rows,omitempty"`
}

func (s step) String() string {
	if s.Data == nil {
		return fmt.Sprintf("%dx%d", s.Cols, s.Rows)
	}
	return string(s.Data)
}

// A session is a terminal and what happens to it.
type session struct {
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	Steps []step `json:"steps"`
}

// shown is what xterm.js shows after a session.
type shown struct {
	Screen, Lines []string
	X, Y          int
	Alternate     bool
	Broken        bool // xterm.js has a fault here
}

// xterm returns what xterm.js shows after each session.
func xterm(t *testing.T, sessions ...session) []shown {
	t.Helper()
	modules := fstest.NodeModules(t, "@xterm/headless", "@xterm/addon-unicode11")
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, s := range sessions {
		fstest.Must(t, encoder.Encode(s))
	}
	node := exec.CommandContext(t.Context(), "node", "../../../testdata/terminals/xterm.cjs")
	node.Env = append(os.Environ(), "NODE_PATH="+modules)
	node.Stdin = &in
	var stderr strings.Builder
	node.Stderr = &stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("xterm.js: %v\n%s", err, stderr.String())
	}
	all := make([]shown, len(sessions))
	decoder := json.NewDecoder(bytes.NewReader(out))
	for i := range all {
		if err := decoder.Decode(&all[i]); err != nil {
			t.Fatalf("xterm.js, session %d: %v\n%s", i, err, stderr.String())
		}
	}
	return all
}

// play runs a session on a grid, with all bytes at one time.
func play(s session) *Grid {
	g := newClock().grid(s.Cols, s.Rows)
	for _, step := range s.Steps {
		if step.Data != nil {
			g.Write(step.Data)
		} else {
			g.Resize(step.Cols, step.Rows)
		}
	}
	return g
}

// differ returns how a grid differs from what xterm.js shows, if it does.
func differ(g *Grid, want shown) string {
	if want.Broken {
		return ""
	}
	for i, row := range want.Screen {
		want.Screen[i] = strings.TrimRight(row, " ")
	}
	if got := g.Screen(); !slices.Equal(got, want.Screen) {
		return fmt.Sprintf("screen\n%s\n\nxterm.js has\n%s", strings.Join(got, "\n"), strings.Join(want.Screen, "\n"))
	}
	if x, y := g.Cursor(); x != min(want.X, g.cols-1) || y != want.Y {
		return fmt.Sprintf("the cursor is at %d, %d, not %d, %d", x, y, want.X, want.Y)
	}
	if g.Alternate() != want.Alternate {
		return fmt.Sprintf("alternate screen: %t", g.Alternate())
	}
	return ""
}

// TestSamplesOnXterm compares the samples, and what grids show for them, with
// xterm.js.
func TestSamplesOnXterm(t *testing.T) {
	var sessions []session
	for _, c := range samples() {
		sessions = append(sessions, session{40, 10, []step{{Data: []byte(c.in)}}})
	}
	answers := xterm(t, sessions...)
	for i, c := range samples() {
		fstest.Equal(t, trimmed(strings.Join(answers[i].Lines, "\n")), c.lines, "xterm.js", c.name)
		fstest.Equal(t, differ(play(sessions[i]), answers[i]), "", c.name)
	}
}

// TestRandomOnXterm compares screens and logs with xterm.js's after random
// streams of everything that a terminal understands.
func TestRandomOnXterm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, uint64(*seed)))
	var sessions []session
	for range fstest.Rounds(1000) {
		cols, rows := 2+random.IntN(30), 1+random.IntN(12)
		sessions = append(sessions, session{cols, rows, stream(random, 1+random.IntN(60), cols, rows)})
	}
	for i, want := range xterm(t, sessions...) {
		if s := sessions[i]; differ(play(s), want) != "" {
			s = shrink(t, s)
			t.Fatalf("%d by %d, %q: %s", s.Cols, s.Rows, s.Steps, differ(play(s), xterm(t, s)[0]))
		}
	}
}

// shrink removes steps of a session as long as a grid differs from xterm.js.
func shrink(t *testing.T, s session) session {
	for size := len(s.Steps) / 2; size > 0; {
		var fewer []session
		for i := 0; i+size <= len(s.Steps); i += size {
			fewer = append(fewer, session{s.Cols, s.Rows, slices.Delete(slices.Clone(s.Steps), i, i+size)})
		}
		i := 0
		for answers := xterm(t, fewer...); i < len(fewer) && differ(play(fewer[i]), answers[i]) == ""; i++ {
		}
		if i < len(fewer) {
			s = fewer[i]
		} else {
			size /= 2
		}
	}
	return s
}

// stream returns a random stream of some pieces.
func stream(random *rand.Rand, pieces, cols, rows int) (steps []step) {
	number := func(limit int) string {
		if random.IntN(5) == 0 {
			return ""
		}
		return strconv.Itoa(random.IntN(limit + 2))
	}
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	add := func(text string) { steps = append(steps, step{Data: []byte(text)}) }
	pair := [][]string{{"\x1b[?1047h", "\x1b[?1047l"}, {"\x1b[?47h", "\x1b[?47l"}}[random.IntN(2)]
	alternate := random.IntN(2) == 0 // xterm.js has tab stops for each screen, terminals have them once
	for range pieces {
		switch random.IntN(13) {
		case 0, 1, 2:
			add(pick("word", "a longer text of words ", "x", strings.Repeat("y", 1+random.IntN(2*cols)), "日本語", "e\u0301", "é", "🚀", "~", "     "))
		case 3, 4:
			add(pick("\r\n", "\r\n", "\n", "\r", "\b", "\t", "\v", "\x00", "\x7f"))
		case 5, 6:
			add("\x1b[" + number(rows) + pick("A", "B", "E", "F", "d", "e", "S", "T", "L", "M"))
		case 7, 8:
			add("\x1b[" + number(cols) + pick("C", "D", "G", "`", "a", "I", "Z", "X", "P", "@", "b", " @", " A", "'}", "'~"))
		case 9:
			add("\x1b[" + number(rows) + ";" + number(cols) + pick("H", "f", "r", "H"))
		case 10:
			add("\x1b[" + number(2) + pick("J", "K", "K", "m"))
		case 11:
			if alternate {
				add(pair[0])
				pair[0], pair[1] = pair[1], pair[0]
			} else {
				add(pick("\x1bH", "\x1b[g", "\x1b[3g"))
			}
		case 12:
			add(pick("\x1bD", "\x1bE", "\x1bM", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[?45h", "\x1b[?45l",
				"\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b)0", "\x1b#8", "\x1b[!p", "\x1bc",
				"\x1b]0;title\a", "\x1bPq#0\x1b\\", "\x1b[?25l"))
		}
	}
	return steps
}
