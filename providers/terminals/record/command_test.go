package record

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestCommandsAreRecordedExactly(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("echo hi"))
	p.now = p.now.Add(1500 * time.Millisecond)
	p.put("hi\r\n" + ends(0) + prompt() + begins("false") + ends(1) + prompt() + begins("printf x"))
	p.put("x" + ends(0) + prompt() + begins("for i in 1 2\ndo echo $i; done") + "1\r\n2\r\n" + ends(0) + prompt())
	p.wait(time.Second)
	got := p.load()
	wants := []struct {
		command, output string
		exit            int
		ms              int64
	}{
		{"echo hi", "hi\n", 0, 1500}, {"false", "", 1, 0}, {"printf x", "x\n", 0, 0},
		{"for i in 1 2\ndo echo $i; done", "1\n2\n", 0, 0},
	}
	if len(got.Records) != len(wants) {
		t.Fatalf("records: %+v", got.Records)
	}
	for i, want := range wants {
		c := got.Records[i]
		if c.N != i+1 || c.Command != want.command || c.Cwd != "/home/u" || c.Exit == nil || *c.Exit != want.exit ||
			c.Ms != want.ms || c.Source != FromHook || c.Signal != nil || c.AltScreen || c.Failed() != (want.exit != 0) {
			t.Errorf("record %d: %+v", i, c)
		}
		p.same(c.Command, p.output(c), want.output)
	}
	// The current prompt is not final: the user may go on typing in it.
	p.same("the log", p.text(1), "$ echo hi\nhi\n$ false\n$ printf x\nx\n$ for i in 1 2\n> do echo $i; done\n1\n2\n")
	if got.State != Idle || !got.Running() || got.LastCommand != wants[3].command || *got.LastExit != 0 {
		t.Errorf("meta: %+v", got.Meta)
	}
	fstest.Must(t, p.Close(0, ""))
	if got := p.load(); got.Running() || got.Killed || *got.Exit != 0 || got.Ended == nil || len(got.Records) != 4 {
		t.Errorf("meta at the end: %+v", got.Meta)
	}
}

func TestForgedMarksChangeNothing(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("cat evil"))
	p.put("\x1b]133;D;0;ctx=guess\a\x1b]133;C;cmdline_url=rm\a\x1b]133;D;7\a\x1b]7;file:///evil\aevil\r\n" + ends(3) + prompt())
	got := p.load()
	if len(got.Records) != 1 || *got.Records[0].Exit != 3 || got.Cwd != "/home/u" {
		t.Fatalf("%+v %+v", got.Meta, got.Records)
	}
	p.same("output", p.output(got.Records[0]), "evil\n")
}

// TestLostHooks closes a command whose end the shell did not report.
func TestLostHooks(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("PROMPT_COMMAND=") + "$ " + begins("echo 1") + "1\r\n" + prompt() + begins("exit 3"))
	fstest.Must(t, p.Close(3, ""))
	got := p.load()
	var said []string
	for _, c := range got.Records {
		exit := "?"
		if c.Exit != nil {
			exit = strconv.Itoa(*c.Exit)
		}
		said = append(said, c.Command+" "+exit+" "+c.Source+" "+strconv.Quote(p.output(c)))
	}
	p.same("records", strings.Join(said, "; "), `PROMPT_COMMAND= ? hook "$ echo 1\n"; echo 1 ? hook "1\n"; exit 3 3 eof ""`)
}

func TestUnknownTextIsThatOfThePrompt(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + " secret --now\r\n\x1b]133;C;ctx=" + nonce + ";cwd=/;last=ls;prompt=$ \a" + ends(0))
	p.put(prompt())
	got := p.load().Records
	if len(got) != 1 || got[0].Command != " secret --now" || got[0].Source != FromEcho || got[0].Truncated {
		t.Errorf("%+v", got)
	}
	long := "echo " + strings.Repeat("0123456789 ", 2000) + "end"
	p.put(begins(long) + ends(0))
	got = p.load().Records
	if len(got) != 2 || got[1].Command != long || got[1].Source != FromEcho {
		t.Errorf("%+.200v", got)
	}
}

func TestRunIsOneRecord(t *testing.T) {
	p := newTape(t, "", func(o *Options) {
		o.Source, o.Argv, o.Pipe, o.Nonce = Run, []string{"make", "the docs", "-j4"}, true, ""
	})
	if got := p.load(); got.State != Running || got.Command != "make 'the docs' -j4" {
		t.Errorf("%+v", got.Meta)
	}
	p.put("one\ntwo\n\x1b]133;D;0\athr")
	p.now = p.now.Add(time.Second)
	p.put("ee")
	fstest.Must(t, p.Close(137, "SIGKILL"))
	got := p.load()
	p.same("log", p.text(1), "one\ntwo\nthree\n")
	if len(got.Records) != 1 {
		t.Fatal(got.Records)
	}
	c := got.Records[0]
	if *c.Exit != 137 || *c.Signal != "SIGKILL" || c.Source != FromEnd || !c.Failed() || c.Ms != 1000 || got.Signal != "SIGKILL" {
		t.Errorf("%+v", c)
	}
	p.same("output", p.output(c), "one\ntwo\nthree\n")
}

func TestRecordKeys(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("true") + ends(0))
	var keys map[string]any
	fstest.Must(t, json.Unmarshal([]byte(p.read(RecordsFile)), &keys))
	for _, key := range strings.Fields("n command cwd start end ms exit signal part bytes lines source alt_screen") {
		if _, ok := keys[key]; !ok {
			t.Errorf("no key %q in %v", key, keys)
		}
	}
	if keys["lines"] != nil || keys["signal"] != nil || keys["start"] != "2026-11-21T04:00:00Z" {
		t.Error(keys)
	}
}

func TestFullScreenPrograms(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("vim") + "\x1b[?1049h\x1b[H\x1b[2JVIM")
	p.wait(10 * time.Millisecond)
	p.same("screen", p.read(ScreenFile), "VIM\n")
	p.put("\x1b[?1049l" + ends(0) + prompt())
	p.wait(10 * time.Millisecond)
	c := p.load().Records[0]
	p.same("output", p.output(c), "[full-screen program]\n")
	if !c.AltScreen {
		t.Errorf("%+v", c)
	}
}
