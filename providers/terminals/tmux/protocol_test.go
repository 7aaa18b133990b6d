package tmux

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	for _, test := range []struct{ line, pane, text string }{
		{`%output %0 a\134b\033[1m\015\012`, "%0", "a\\b\x1b[1m\r\n"},
		{`%output %12 日本 \377`, "%12", "日本 \xff"},
		{`%extended-output %3 5 : x : y`, "%3", "x : y"},
		{`%extended-output %3 5 later fields : x`, "%3", "x"},
		{`%output %1 `, "%1", ""},
		{`%output %1 \0 \99 \`, "%1", `\0 \99 \`},
		{`%output x y`, "", ""},
		{`%output`, "", ""},
		{`%extended-output %3 5`, "", ""},
		{`%begin 1 2 1`, "", ""},
	} {
		pane, text, ok := output([]byte(test.line))
		if pane != test.pane || string(text) != test.text || ok != (test.pane != "") {
			t.Errorf("%s: %s %q %v", test.line, pane, text, ok)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("plain \x1b[31m \\ \\123 \r\n日本"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var line bytes.Buffer
		line.WriteString("%output %1 ")
		for _, c := range text { // as tmux does
			if c < ' ' || c == '\\' {
				fmt.Fprintf(&line, "\\%03o", c)
			} else {
				line.WriteByte(c)
			}
		}
		if _, got, ok := output(line.Bytes()); !ok || !bytes.Equal(got, text) {
			t.Errorf("%q becomes %q", text, got)
		}
		output(text)
		fields(string(text))
		parseListing(string(text), "")
		parseListing("T "+strings.Repeat("$1 ", 13)+string(text), "T")
		parseCapture(string(text), []string{string(text), string(text), string(text)})
	})
}

func TestFields(t *testing.T) {
	got := fields(`$1 a\ b\\c  last\`)
	if want := []string{"$1", `a b\c`, "", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestListing(t *testing.T) {
	line := "T 3.3a 7 $%d @%d %%%d 100 80 24 0 x 1 2 %d x0 my\\ session vim /a\\ b\n"
	text := fmt.Sprintf(line, 1, 1, 1, 50) + fmt.Sprintf(line, 2, 1, 1, 40) + fmt.Sprintf(line, 2, 3, 4, 40)
	text += "T 3.3a 7 $9 @9 %9;kill-server 1 2 3 0 x 1 2 3 x0 a b c\n" // no identifier
	text += strings.TrimPrefix(fmt.Sprintf(line, 8, 8, 8, 8), "T ")    // in the path of a folder
	l := parseListing(text, "T")
	if len(l.panes) != 2 || len(l.sessions) != 2 || l.sessions[0].id != "$2" || l.pid != 7 || l.version != "3.3a" {
		t.Fatalf("%+v", l)
	}
	if !slices.Equal(l.sessions[0].windows, []string{"@1", "@3"}) || l.sessions[0].fragile {
		t.Errorf("%+v", l.sessions[0])
	}
	p := l.panes[0]
	if p.name() != "my session-1-2" || p.cwd != "/a b" || p.command != "vim" || p.dead || p.exit != -1 || p.pid != 100 {
		t.Errorf("%+v", p)
	}
}

// What a program printed cannot end an answer, nor be taken for tmux's own
// words.
func TestForged(t *testing.T) {
	var got []string
	c := &client{session: "$0", panes: map[string]*pane{}, news: func() { t.Error("news") }, ready: true}
	q := &question{token: "secret", commands: []string{"a", "b"}, answered: func(first string, answers []string, ok bool) {
		got = append([]string{first, fmt.Sprint(ok)}, answers...)
	}}
	c.questions = []*question{q}
	c.closed = true // there is no process to watch
	for line := range strings.Lines(`%begin 1 10 1
secret first words
%end 1 10 1
%begin 1 11 1
one
%end 1 11 1
%begin 1 12 1
%sessions-changed
%output %0 forged
%end 1 11 1
%begin 1 12 1
secret words
%end 1 11 1
%begin 1 12 1
secret
%end 1 12 1
%begin 1 13 1
%end 1 13 1
%begin 1 14 1
secret
%end 1 14 1
`) {
		if !c.line([]byte(strings.TrimSuffix(line, "\n"))) {
			t.Fatal("ended at", line)
		}
	}
	want := []string{"first words", "true", "one\n%end 1 11 1\n%begin 1 12 1\n%sessions-changed\n%output %0 forged\n%end 1 11 1\n%begin 1 12 1\nsecret words", ""}
	if !slices.Equal(got, want) || c.inBlock != "" {
		t.Errorf("%q, in block %q", got, c.inBlock)
	}
}

func TestVersion(t *testing.T) {
	for version, want := range map[string]string{
		"3.3a": "true", "3.2-rc3": "true", "3.5": "true", "next-3.6": "true", "openbsd-7.5": "true", "4.0": "true",
		"3.0a": "false", "3.1c": "false", "2.9a": "old", "1.8": "old", "": "old", "x.y": "old",
	} {
		f, err := featuresOf(version)
		got := fmt.Sprint(f.flags)
		if err != nil {
			got = "old"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

func TestOverlap(t *testing.T) {
	split := func(s string) []string { return strings.Fields(strings.ReplaceAll(s, ".", " ")) }
	for _, test := range []struct {
		log, lines string
		from       int
		sure       bool
	}{
		{"", "a b", 0, true},
		{"a b c", "a b c d", 3, true},
		{"x a b c", "b c d", 2, false},    // the beginning is gone: it cannot be sure
		{"a b c pro", "a b c d", 3, true}, // a prompt that was replaced
		{"a b c d", "a b c d", 4, true},
		{"y y y", "y y y y y", 5, false}, // which of them?
		{"a b c", "d e f", 3, false},
	} {
		from, sure := overlap(split(test.log), split(test.lines))
		if from != test.from && test.sure || sure != test.sure {
			t.Errorf("%s | %s: %d %v", test.log, test.lines, from, sure)
		}
	}
}
