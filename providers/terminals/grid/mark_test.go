package grid

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestMarks reads every kind of mark, and what it reports.
func TestMarks(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		in   string
		want []Mark
	}{
		{"\x1b]133;A;ctx=secret\a", []Mark{{Kind: PromptStart}}},
		{"\x1b]133;B;ctx=secret\x1b\\", []Mark{{Kind: InputStart}}},
		{"\x1b]133;C;ctx=secret;cwd=/a%20b%3bc;cmdline_url=echo%20%25s%3b%0als;history=12\a",
			[]Mark{{Kind: OutputStart, Folder: "/a b;c", Command: "echo %s;\nls", Parameters: map[string]string{"history": "12"}}}},
		{"\x1b]133;C;cmdline_url=ls;ctx=secret\a", []Mark{{Kind: OutputStart, Command: "ls"}}},
		{"\x1b]133;C;ctx=secret;cmdline_url=%1b[31m%e2%80%aex%zz%4\a", []Mark{{Kind: OutputStart, Command: "x%zz%4"}}},
		{"\x1b]133;D;0;ctx=secret\a", []Mark{{Kind: CommandEnd}}},
		{"\x1b]133;D;130;ctx=secret\u009c", []Mark{{Kind: CommandEnd, Exit: 130}}},
		{"\x1b]133;D;ctx=secret\a", []Mark{{Kind: CommandEnd, Exit: -1}}},
		{"\x1b]633;D;1;ctx=secret\a", []Mark{{Kind: CommandEnd, Exit: 1}}},
		{"\x1b]633;E;echo a\\x3b \\\\x41 \\x1b[1m;secret\a", []Mark{{Kind: CommandLine, Command: "echo a; \\x41 "}}},
		{"\x1b]133;A;ctx=secret\a\x1b]133;A;ctx=secret\a", []Mark{{Kind: PromptStart}}},
		{"\x1b]133;C;ctx=secret;cmdline_url=" + long + "\a", []Mark{{Kind: OutputStart, Command: long[:maxCommand-len("133;C;ctx=secret;cmdline_url=")], Truncated: true}}},
		{"\x1b]133;C;cmdline_url=" + long + ";ctx=secret\a", nil}, // the nonce is cut off
		{"\x1b]7;file://host/a%20b\a", []Mark{{Kind: Folder, Host: "host", Folder: "/a b"}}},
		{"\x1b]7;file:///a\a\x1b]7;file:///b\a", []Mark{{Kind: Folder, Folder: "/b"}}},
		{"\x1b]7;kitty-shell-cwd://host/a%20b\a", []Mark{{Kind: Folder, Host: "host", Folder: "/a%20b"}}},
		{"\x1b]7;http://host/a\a\x1b]7;/a\a", nil},
		{"\x1b]1337;CurrentDir=/a b\a", []Mark{{Kind: Folder, Folder: "/a b"}}},
		{"\x1b]1337;File=name=x:AAAA\a", nil},
		{"\x1b]0;one\a\x1b]2;t\u202ewo\a", []Mark{{Kind: Title, Title: "two"}}},
		{"\x1b]0;one\a\x1b]7;file:///a\a\x1b]0;two\a", []Mark{{Kind: Folder, Folder: "/a"}, {Kind: Title, Title: "two"}}},
		{"\x1b]0;cut by CAN\x18", nil},
		{"\x1b]0;ended by a sequence\x1b[m", []Mark{{Kind: Title, Title: "ended by a sequence"}}},
	} {
		for _, size := range []int{1, 1 << 20} {
			clock := newClock()
			g := clock.grid(80, 24)
			clock.advance(time.Minute)
			for i := 0; i < len(c.in); i += size {
				g.Write([]byte(c.in[i:min(i+size, len(c.in))]))
			}
			text, marks := g.Take()
			for i := range marks {
				if !marks[i].At.Equal(clock.now()) {
					t.Errorf("%.80q: at %s", c.in, marks[i].At)
				}
				marks[i].At = time.Time{}
			}
			if len(text) > 0 || len(marks)+len(c.want) > 0 && !reflect.DeepEqual(marks, c.want) {
				t.Errorf("%.80q in pieces of %d: %.300q %+.300v", c.in, size, text, fmt.Sprintf("%+v", marks))
			}
		}
	}
}

// TestFloodOfTitlesTakesNoMemory: of those at the same place the last is kept.
func TestFloodOfTitlesTakesNoMemory(t *testing.T) {
	g := newClock().grid(80, 24)
	g.Write([]byte(strings.Repeat("\x1b]0;a\a\x1b]7;file:///a\a", 10_000)))
	if _, marks := g.Take(); len(marks) != 2 {
		t.Errorf("%d marks", len(marks))
	}
}

// TestMarkPlaces: marks of full-screen programs, titles and folders lie where the
// log ended when they came.
func TestMarkPlaces(t *testing.T) {
	g := newClock().grid(80, 24)
	g.Write([]byte("a\r\nb\x1b]0;before anything is final\a\x1b[?1049h\x1b]0;vim\a"))
	text, marks := g.Take()
	if string(text) != "a\nb\n"+FullScreenLine+"\n" || len(marks) != 3 ||
		marks[0].Offset != 0 || marks[1].Kind != FullScreen || marks[1].Offset != 4 || marks[1].Lines != 2 || marks[2].Offset != int64(len(text)) || marks[2].Lines != 3 {
		t.Errorf("%q %+v", text, marks)
	}
}
