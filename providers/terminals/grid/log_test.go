package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// script plays bytes and pauses, and checks what each has made final.
type script struct {
	t *testing.T
	c *clock
	g *Grid
}

func newScript(t *testing.T, cols, rows int) *script {
	c := newClock()
	return &script{t, c, c.grid(cols, rows)}
}

// write writes bytes, after which the log has grown by want.
func (s *script) write(text, want string) {
	s.t.Helper()
	s.g.Write([]byte(text))
	s.grown(text, want)
}

// wait lets time pass.
func (s *script) wait(d time.Duration, want string) {
	s.t.Helper()
	s.c.advance(d)
	s.g.Settle(s.c.now())
	s.grown(d.String(), want)
}

func (s *script) grown(after, want string) {
	s.t.Helper()
	fstest.Equal(s.t, taken(s.g), want, "log has grown by", after)
}

const (
	soon  = settlesSoon
	late  = settlesLate
	begin = "\x1b]133;C;ctx=secret\a"
	end0  = "\x1b]133;D;0;ctx=secret\a"
	ask   = "\x1b]133;A;ctx=secret\a"
)

// TestFinishedLineIsFinalSoon: within 10 ms, and not before the cursor may
// still go up at once.
func TestFinishedLineIsFinalSoon(t *testing.T) {
	s := newScript(t, 40, 10)
	s.write("one\r\ntwo\r\nthr", "")
	s.wait(soon-1, "")
	s.wait(1, "one\ntwo\n")
	s.write("ee\r\n\r\n", "")
	s.wait(soon, "three\n\n")
	s.wait(time.Hour, "")
	s.g.Close()
	s.grown("close", "")
}

// TestSettleTellsWhen: the time that it returns is when the next line is final.
func TestSettleTellsWhen(t *testing.T) {
	s := newScript(t, 40, 10)
	if next := s.g.Settle(s.c.now()); !next.IsZero() {
		t.Errorf("nothing waits, and it wants to be asked at %s", next)
	}
	s.g.Write([]byte("a\r\n"))
	s.c.advance(soon / 2)
	s.g.Write([]byte("b\r\n"))
	for _, want := range []string{"a\n", "b\n"} {
		next := s.g.Settle(s.c.now())
		s.c.Time = next.Add(-1)
		s.g.Settle(s.c.now())
		s.grown("a moment before", "")
		s.c.Time = next
		s.g.Settle(s.c.now())
		s.grown("that moment", want)
	}
	if next := s.g.Settle(s.c.now()); !next.IsZero() {
		t.Errorf("nothing waits, and it wants to be asked at %s", next)
	}
}

// TestProgressIsFolded: bars drawn over and over leave their last state.
func TestProgressIsFolded(t *testing.T) {
	s := newScript(t, 60, 10)
	for i := range 101 {
		s.write(fmt.Sprintf("\rone bar %d%%", i), "")
		s.wait(100*time.Millisecond, "")
	}
	s.write("\r\n", "")
	s.wait(soon, "one bar 100%\n")

	s.write("layer a: 0\r\nlayer b: 0\r\n", "")
	for i := range 30 {
		s.write(fmt.Sprintf("\x1b[2A\x1b[2Klayer a: %d\r\n\x1b[2Klayer b: %d\r\n", i, i*2), "")
		s.wait(100*time.Millisecond, "")
	}
	s.write("done\r\n", "")
	s.wait(late-1, "layer a: 29\nlayer b: 58\n")
	s.wait(1, "done\n")
}

// TestChangedRowIsLoggedAgain, and the unchanged ones below are not.
func TestChangedRowIsLoggedAgain(t *testing.T) {
	s := newScript(t, 60, 10)
	s.write("top\r\na\r\nb\r\nc\r\n", "")
	s.wait(soon, "top\na\nb\nc\n")
	s.write("\x1b[2AB\x1b[2B\r", "")
	s.wait(late, "B\n")
	s.write("\x1b[3A\x1b[2Ka\r\n\x1b[2KB\r\n\x1b[2Kc\r\n", "")
	s.wait(late, "") // drawn again, the same
	s.write("\x1b[3A\x1b[J", "")
	s.wait(late, "")
	s.write("x\x1b[3B\r", "")
	s.wait(late, "x\n") // rows that were logged and are empty now do not count as lines
	s.write("\x1b[2A\r\n\r\n", "")
	s.wait(late, "\n") // but a line feed makes one
	s.g.Close()
	s.grown("close", "")
}

// TestLineIsNotLoggedBeforeTheOneAbove, even if that one changes all the time.
func TestLineIsNotLoggedBeforeTheOneAbove(t *testing.T) {
	s := newScript(t, 60, 10)
	s.write("spinner\r\nresult\r\n\x1b[2A-\x1b[2B\r", "")
	for range 30 {
		s.wait(100*time.Millisecond, "")
		s.write("\x1b[2A|\x1b[2B\r", "")
	}
	s.wait(late, "|pinner\nresult\n")
}

// TestRowsThatScrollOffAreFinalAtOnce, blank ones included.
func TestRowsThatScrollOffAreFinalAtOnce(t *testing.T) {
	s := newScript(t, 60, 3)
	s.write("\x1b[Aa\r\n\r\nb\r\nc\r\n", "a\n\n")
	s.write("\r\n\r\n\r\n", "b\nc\n\n")
}

// TestCommandsAreCutExactly: what lies between the marks of a command is what it
// printed.
func TestCommandsAreCutExactly(t *testing.T) {
	for _, c := range []struct{ name, prompt, output, want string }{
		{"lines", "$ cmd\r\n", "a\r\nb\r\n", "a\nb\n"},
		{"nothing", "$ cmd\r\n", "", ""},
		{"no final line feed", "$ cmd\r\n", "a\r\nno nl", "a\nno nl\n"},
		{"the same after a long line", "$ cmd\r\n", strings.Repeat("x", 50), strings.Repeat("x", 50) + "\n"},
		{"a line that fills the row", "$ cmd\r\n", strings.Repeat("x", 40), strings.Repeat("x", 40) + "\n"},
		{"prompt of two lines", "~/dir\r\n> cmd\r\n", "out\r\n", "out\n"},
		{"progress", "$ cmd\r\n", "1%\r2%\r100%\r\n", "100%\n"},
		{"a full screen", "$ cmd\r\n", "\x1b[?1049h\x1b[Htext\x1b[?1049l", FullScreenLine + "\n"},
		{"a full screen that was not given back", "$ cmd\r\n", "\x1b[?1049h\x1b[Htext", FullScreenLine + "\n"},
		{"blank lines", "$ cmd\r\n", "\r\n\r\na\r\n\r\n", "\n\na\n\n"},
		{"cleared", "$ cmd\r\n", "a\r\n\x1b[H\x1b[2J", "a\n"},
		{"an interrupted list", "$ cmd\r\n", "1\r\n2\r\n\x1b[2A^C\r\n", "^C\n2\n"},
		{"more than the screen", "$ cmd\r\n", strings.Repeat("l\r\n", 30), strings.Repeat("l\n", 30)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1 << 20} {
				g := newClock().grid(40, 10)
				stream := "before\r\n" + ask + c.prompt + begin + c.output + end0 + ask + "$ next\r\n" + begin + "next's output\r\n" + end0
				var text strings.Builder
				var marks []Mark
				for i := 0; i < len(stream); i += size {
					g.Write([]byte(stream[i:min(i+size, len(stream))]))
					grown, more := g.Take()
					text.Write(grown)
					marks = append(marks, more...)
				}
				g.Close()
				grown, _ := g.Take()
				text.Write(grown)
				all := text.String()
				var outputs []string
				var from int64
				for _, m := range marks {
					if lines := strings.Count(all[:m.Offset], "\n"); int64(lines) != m.Lines {
						t.Errorf("a mark is in line %d, and says %d", lines, m.Lines)
					}
					switch m.Kind {
					case OutputStart:
						from = m.Offset
					case CommandEnd:
						outputs = append(outputs, all[from:m.Offset])
					}
				}
				if want := []string{c.want, "next's output\n"}; !slices.Equal(outputs, want) {
					t.Errorf("in pieces of %d: outputs %q, not %q; log\n%s", size, outputs, want, all)
				}
				if !strings.Contains(all, "before\n") || !strings.Contains(all, "$ next\n") {
					t.Errorf("in pieces of %d: log\n%s", size, all)
				}
			}
		})
	}
}

// TestOnlyTheNewPartOfACutRowIsLogged: the prompt after output without a line
// feed is a line of its own, also if nothing more comes to it.
func TestOnlyTheNewPartOfACutRowIsLogged(t *testing.T) {
	s := newScript(t, 40, 10)
	s.write(ask+"$ printf x\r\n"+begin+"no nl"+end0, "$ printf x\nno nl\n")
	s.write(ask+"$ ls\r\n"+begin, "$ ls\n")
	long := strings.Repeat("y", 38)
	s.write(long+end0, long+"\n")
	s.write(ask+"$ a command\r\n"+begin, "$ a command\n")
	s.write(long+"zz"+end0, long+"zz\n")
	s.write(ask+"$ a command\r\n"+begin, "$ a command\n")
	s.write("gone"+end0+ask+"\r\x1b[2K$ rewritten\r\n"+begin, "gone\n$ rewritten\n")
	s.write("kept"+end0+ask+"\r\n$ below\r\n"+begin, "kept\n$ below\n")
}

// TestLineEndMarksOfShells: what zsh and fish print after output without a line
// feed is not in the log.
func TestLineEndMarksOfShells(t *testing.T) {
	blanks := strings.Repeat(" ", 39)
	zsh := func(mark string) string {
		return "\x1b[1m\x1b[7m" + mark + "\x1b[27m\x1b[1m\x1b[0m" + blanks + "\r \r"
	}
	for _, c := range []struct{ name, output, want string }{
		{"line feed", "a\r\n", "a\n"},
		{"none", "no nl", "no nl\n"},
		{"nothing", "", ""},
		{"a row less one", strings.Repeat("x", 39), strings.Repeat("x", 39) + "\n"},
		{"a row", strings.Repeat("x", 40), strings.Repeat("x", 40) + "\n"},
		{"longer than a row", strings.Repeat("x", 45), strings.Repeat("x", 45) + "\n"},
		{"a percent sign", "100%", "100%\n"},
		{"wide", "日本", "日本\n"},
		{"one column", "x", "x\n"},
	} {
		for _, mark := range []string{"%", "#"} {
			s := newScript(t, 40, 10)
			s.write(begin, "")
			s.write(c.output+zsh(mark)+end0, c.want)
			s.write("\r\x1b[0m\x1b[J"+ask+"% ls\r\n"+begin, "% ls\n")
		}
		s := newScript(t, 40, 10)
		s.write(begin, "")
		s.write(c.output+end0, c.want)
		s.write("\x1b[2m⏎\x1b(B\x1b[m"+blanks+"\r⏎ \r\x1b[K"+ask+"> ls\r\n"+begin, "> ls\n")
	}
}

// TestPromptSettlesLate, since line editors redraw it; what jobs print meanwhile is
// still logged.
func TestPromptSettlesLate(t *testing.T) {
	s := newScript(t, 40, 10)
	s.write(ask+"~/dir\r\n> ", "")
	s.wait(late-1, "")
	s.wait(1, "~/dir\n")
	s.write("\r\nfrom a job\r\n> ", "")
	s.wait(late, "> \nfrom a job\n")
	s.write("ls\r\n"+begin, "> ls\n")
}

// TestScreenIsLoggedBeforeItIsErased, and a prompt stays where it was.
func TestScreenIsLoggedBeforeItIsErased(t *testing.T) {
	s := newScript(t, 40, 10)
	s.write("a\r\nb\r\npartial\x1b[H\x1b[2J", "a\nb\npartial\n")
	s.write("new\r\n", "")
	s.wait(soon, "new\n")
	s.write("more\x1b[2J", "more\n")
	s.write("\r\n\r\nafter\r\n", "")
	s.wait(soon, "\n\nafter\n")
}

// TestShellOnTheAlternateScreen: a program that was killed has left the screen
// to the shell, whose commands are logged there.
func TestShellOnTheAlternateScreen(t *testing.T) {
	s := newScript(t, 40, 10)
	s.write(begin+"\x1b[?1049h\x1b[H\x1b[2JVIM\x1b[5;1Hstatus", FullScreenLine+"\n")
	s.wait(late, "")
	s.write(end0+ask+"$ ls\r\n"+begin+"file\r\n"+end0, "$ ls\nfile\n")
	s.write(ask+"$ vi\r\n"+begin+"\x1b[?1049hVIM again", "$ vi\n"+FullScreenLine+"\n")
	s.write("\x1b[?1049l"+end0+ask, "")
	s.write("$ exit\r\n", "")
	s.g.Close()
	s.grown("close", "$ exit\n")
}

// TestForgedMarksChangeNothing: the same stream with and without them.
func TestForgedMarksChangeNothing(t *testing.T) {
	forged := []string{"\x1b]133;A\a", "\x1b]133;C;ctx=guess\a", "\x1b]133;D;0\x1b\\", "\x1b]133;D;0;ctx=\a", "\x1b]633;A\a", "\x1b]633;E;ls;guess\a",
		"\x1b]133;C;ctx=secre\a", "\x1b]133;ctx=secret\a", "\x1b]133;Z;ctx=secret\a", "\x1b]133;A;xctx=secret\a"}
	stream := func(forge func(int) string) string {
		text := ask + "$ x\r\n" + begin
		for i := range 40 {
			text += "part " + forge(i) + "rest\r\n\x1b[A" + forge(i+1) + "\r\n"
		}
		return text + end0
	}
	run := func(nonce, stream string) (string, []Mark) {
		c := newClock()
		g := New(Options{Cols: 40, Rows: 10, Nonce: nonce, Now: c.now})
		for _, piece := range strings.SplitAfter(stream, "\n") {
			c.advance(100 * time.Millisecond)
			g.Write([]byte(piece))
		}
		text, marks := g.Take()
		return string(text), marks
	}
	want, marks := run("secret", stream(func(int) string { return "" }))
	got, more := run("secret", stream(func(i int) string { return forged[i%len(forged)] }))
	if got != want || len(more) != len(marks) {
		t.Errorf("with forged marks: %q, %d marks; without: %q, %d", got, len(more), want, len(marks))
	}
	if _, marks := run("", ask+begin+end0+"\x1b]133;A;ctx=\a"); len(marks) != 0 {
		t.Errorf("without a nonce, marks are believed: %+v", marks)
	}
}
