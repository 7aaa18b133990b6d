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
		{`%extended-output %0 0 : a\134b\033[1m\015\012`, "%0", "a\\b\x1b[1m\r\n"},
		{`%extended-output %12 0 : 日本 \377`, "%12", "日本 \xff"},
		{`%extended-output %3 5 : x : y`, "%3", "x : y"},
		{`%extended-output %3 5 later fields : x`, "%3", "x"},
		{`%extended-output %1 0 : `, "%1", ""},
		{`%extended-output %1 0 : \0 \99 \`, "%1", `\0 \99 \`},
		{`%output %1 x`, "", ""},
		{`%extended-output`, "", ""},
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
		line.WriteString("%extended-output %1 0 : ")
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
		parseListing(string(text), "")
		parseListing("T\t"+strings.Repeat("$1\t", 14)+string(text), "T")
		parseCapture(string(text), []string{string(text), string(text), string(text)})
	})
}

func TestListing(t *testing.T) {
	line := "T\t3.3a\t$%d\t@%d\t%%%d\t100\t80\t24\t0\t\t1\t2\t0\tmy session\tvim\t/a\tb\n"
	text := fmt.Sprintf(line, 1, 1, 1) + fmt.Sprintf(line, 2, 1, 1) + fmt.Sprintf(line, 2, 3, 4)
	text += "T\t3.3a\t$9\t@9\t%9;kill-server\t1\t2\t3\t0\t\t1\t2\t0\ta\tb\tc\n" // no identifier
	text += strings.TrimPrefix(fmt.Sprintf(line, 8, 8, 8), "T\t")               // in the path of a folder
	l := parseListing(text, "T")
	if len(l.panes) != 2 || len(l.sessions) != 2 || l.sessions[0].id != "$1" || l.version != "3.3a" {
		t.Fatalf("%+v", l)
	}
	if !slices.Equal(l.sessions[1].windows, []string{"@1", "@3"}) || l.sessions[0].fragile {
		t.Errorf("%+v", l.sessions[1])
	}
	p := l.panes[0]
	if p.name() != "my session-1-2" || p.cwd != "/a\tb" || p.command != "vim" || p.dead || p.exit != -1 || p.pid != 100 {
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
	for version, want := range map[string]bool{
		"3.3a": true, "3.2-rc3": true, "3.5": true, "next-3.6": true, "openbsd-7.5": true, "4.0": true, "master": true,
		"3.0a": false, "3.1c": false, "2.9a": false, "1.8": false,
	} {
		if err := supported(version); (err == nil) != want {
			t.Errorf("%s: %v", version, err)
		}
	}
}
