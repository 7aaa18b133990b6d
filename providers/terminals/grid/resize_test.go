package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestResize: what is on the screen, and in the log, after a resize.
func TestResize(t *testing.T) {
	long := "0123456789abcdefghijklmnopqrstuvwxyz"
	for _, c := range []struct {
		name, in   string
		cols, rows int
		screen     []string
		x, y       int
		log        string // after the next line is printed and the terminal closed
	}{
		{"wider: a wrapped line is one again", long + "\r\nb\r\n", 40, 5, []string{long, "b"}, 0, 2, long + "\nb\nnext\n"},
		{"narrower: a line is wrapped", "0123456789\r\nb\r\n", 4, 5, []string{"0123", "4567", "89", "b"}, 0, 4, "0123456789\nb\nnext\n"},
		{"narrower: rows leave by the top", long + "\r\n" + long + "\r\n", 10, 5, []string{long[:10], long[10:20], long[20:30], long[30:]}, 0, 4, long + "\n" + long + "\nnext\n"},
		{"the cursor stays with its character", "0123456789\x1b[3D", 4, 5, []string{"0123", "4567", "89"}, 3, 1, ""},
		{"the cursor after the end of its line", "01234567", 4, 5, []string{"0123", "4567"}, 4, 1, "01234567next\n"},
		{"wide characters are not cut", "a日本語日本語\r\n", 4, 5, []string{"a日", "本語", "日本", "語"}, 0, 4, "a日本語日本語\nnext\n"},
		{"clusters are kept", "e\u0301o\u0308xxxx\r\n", 4, 5, []string{"e\u0301o\u0308xx", "xx"}, 0, 2, "e\u0301o\u0308xxxx\nnext\n"},
		{"blanks within are kept", "a\x1b[8Cb\r\n", 4, 5, []string{"a", "", " b"}, 0, 3, "a        b\nnext\n"},
		{"lower: blank rows leave first", "a\r\nb\r\n", 20, 3, []string{"a", "b", ""}, 0, 2, "a\nb\nnext\n"},
		{"lower: rows leave by the top", "a\r\nb\r\nc\r\nd\r\ne", 20, 2, []string{"d", "e"}, 1, 1, "a\nb\nc\nd\nenext\n"},
		{"higher", "a\r\nb\r\nc\r\nd\r\ne\r\nf", 20, 8, []string{"b", "c", "d", "e", "f"}, 1, 4, "a\nb\nc\nd\ne\nfnext\n"},
		{"the smallest", "abc\r\n", 0, 0, []string{""}, 0, 0, "abc\nnext\n"},
		{"a full screen is cut", "sh\r\n\x1b[?1049h\x1b[H" + long[:20] + "\r\n2\r\n3\r\n4\r\n5", 10, 3, []string{"3", "4", "5"}, 1, 2, "sh\n" + FullScreenLine + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newClock().grid(20, 5)
			g.Write([]byte(c.in))
			g.Resize(c.cols, c.rows)
			got := g.Screen()
			for len(got) > len(c.screen) && got[len(got)-1] == "" {
				got = got[:len(got)-1]
			}
			if x, y := g.on.x, g.on.y; !slices.Equal(got, c.screen) || x != c.x || y != c.y {
				t.Errorf("screen %q, cursor %d, %d", got, x, y)
			}
			if c.log != "" {
				g.Write([]byte("next\r\n"))
				g.Close()
				fstest.Equal(t, taken(g), c.log, "log")
			}
		})
	}
}

// TestResizeLogsNothingTwice: what was logged before is not logged again, in
// whatever pieces its rows are now.
func TestResizeLogsNothingTwice(t *testing.T) {
	s := newScript(t, 20, 5)
	long := strings.Repeat("0123456789", 3)
	s.write(long+"\r\nb\r\n", "")
	s.wait(soon, long+"\nb\n")
	for _, cols := range []int{8, 40, 13, 20} {
		s.g.Resize(cols, 5)
		s.wait(late, "")
	}
	s.write("c\r\n", "")
	s.wait(late, "c\n")
	s.g.Close()
	s.grown("close", "")
}

// TestResizesKeepText: lines of words survive any sizes that the terminal takes
// meanwhile.
func TestResizesKeepText(t *testing.T) {
	random := rand.New(rand.NewPCG(8, uint64(*seed)))
	for range fstest.Rounds(300) {
		c := newClock()
		g := c.grid(2+random.IntN(60), 1+random.IntN(20))
		var want strings.Builder
		for range random.IntN(60) {
			line := strings.Repeat([]string{"word ", "日本", "x", "e\u0301"}[random.IntN(4)], random.IntN(30)) + "."
			want.WriteString(line + "\n")
			cut := random.IntN(len(line))
			g.Write([]byte(line[:cut]))
			if random.IntN(3) == 0 {
				g.Resize(2+random.IntN(60), 1+random.IntN(20))
			}
			g.Write([]byte(line[cut:] + "\r\n"))
			c.advance(soon / 2)
		}
		g.Close()
		if got := taken(g); got != want.String() {
			t.Fatalf("log %q, not %q", got, want.String())
		}
	}
}

// TestResizeOnXterm compares screens with xterm.js's where it has nothing above
// the screen that it would bring back.
func TestResizeOnXterm(t *testing.T) {
	random := rand.New(rand.NewPCG(9, uint64(*seed)))
	var sessions []session
	for range fstest.Rounds(200) {
		cols := 4 + random.IntN(30)
		var text strings.Builder
		for range 1 + random.IntN(5) {
			fmt.Fprintf(&text, "%s\r\n", strings.Repeat([]string{"word ", "日本", "x"}[random.IntN(3)], random.IntN(12)))
		}
		sessions = append(sessions, session{cols, 60, []step{{Data: []byte(text.String())}, {Cols: 4 + random.IntN(30), Rows: 60}}})
	}
	for i, want := range xterm(t, sessions...) {
		g := play(sessions[i])
		for y, row := range want.Screen {
			want.Screen[y] = strings.TrimRight(row, " ")
		}
		if got := g.Screen(); !slices.Equal(got, want.Screen) {
			t.Fatalf("%d by %d, %q: screen %q, xterm.js has %q", sessions[i].Cols, sessions[i].Rows, sessions[i].Steps, got, want.Screen)
		}
	}
}
