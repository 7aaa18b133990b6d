package holder

import (
	"strings"
	"testing"
)

func TestModes(t *testing.T) {
	for _, c := range []struct{ written, enter, leave string }{
		{"text \x1b[31mred\x1b[m\r\n", "", "\x1b[m"},
		{"\x1b[?1049h\x1b[?25l", "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l\x1b[m"},
		{"\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", "", "\x1b[m"},
		{"\x1b[?1;2004h\x1b=", "\x1b[?1h\x1b[?2004h\x1b=", "\x1b[?2004l\x1b[?1l\x1b>\x1b[m"},
		{"\x1b[?1000h\x1b=\x1bc", "", "\x1b[m"},
		{"\x1b[?12h\x1b[4h\x1b[?99999999999999999999h", "", "\x1b[m"},
		{"\x1b[?\x1b[?2004h", "\x1b[?2004h", "\x1b[?2004l\x1b[m"},
	} {
		var whole, bytewise modes
		whole.write([]byte(c.written))
		for i := range len(c.written) {
			bytewise.write([]byte(c.written[i : i+1]))
		}
		for _, m := range []*modes{&whole, &bytewise} {
			if enter, leave := string(m.enter()), string(m.leave()); enter != c.enter || leave != c.leave {
				t.Errorf("%q: %q, %q", c.written, enter, leave)
			}
		}
	}
}

func FuzzModes(f *testing.F) {
	f.Add("\x1b[?1049h\x1b[?1;;25l\x1b[", 3)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var whole, cut modes
		whole.write([]byte(text))
		at = min(max(at, 0), len(text))
		cut.write([]byte(text[:at]))
		cut.write([]byte(text[at:]))
		if string(whole.enter()) != string(cut.enter()) || len(whole.on) > len(keptModes) || strings.ContainsAny(string(whole.leave()), "\n") {
			t.Errorf("%q cut at %d: %q, %q", text, at, whole.enter(), cut.enter())
		}
	})
}
