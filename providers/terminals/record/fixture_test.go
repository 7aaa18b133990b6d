package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// epoch is when all recordings of the tests begin.
var epoch = time.Date(2026, time.November, 21, 4, 0, 0, 0, time.UTC)

// nonce authenticates the marks of the tests.
const nonce = "s3cret"

// tape is a Recorder with a clock that stands still until it is moved.
type tape struct {
	*Recorder
	t    testing.TB
	root string
	now  time.Time
}

// newTape begins a recording in a folder; "" creates one.
func newTape(t testing.TB, root string, change ...func(*Options)) *tape {
	t.Helper()
	if root == "" {
		root = filepath.Join(t.TempDir(), "terminals")
	}
	p := &tape{t: t, root: root, now: epoch}
	o := Options{
		Dir: root, Source: Term, Argv: []string{"/bin/bash"}, Pid: 4711, Cwd: "/home/u", Cols: 80, Rows: 24,
		Nonce: nonce, Now: func() time.Time { return p.now }, Mask: hideNothing,
	}
	for _, c := range change {
		c(&o)
	}
	r, err := New(o)
	fstest.Must(t, err)
	p.Recorder = r
	t.Cleanup(func() { _ = r.Close(-1, "") })
	return p
}

func (p *tape) put(text string) time.Time { return p.Write([]byte(text)) }

// wait moves the clock and settles.
func (p *tape) wait(d time.Duration) time.Time {
	p.now = p.now.Add(d)
	return p.Settle(p.now)
}

// prompt returns what our integration prints before a prompt, and the prompt.
func prompt() string { return "\x1b]133;A;ctx=" + nonce + ";cwd=/home/u\a$ " }

// begins returns the echo of a command and the mark of its begin.
func begins(command string) string {
	return strings.ReplaceAll(command, "\n", "\r\n> ") + "\r\n\x1b]133;C;ctx=" + nonce +
		";cwd=/home/u;cmdline_url=" + strings.NewReplacer("\n", "%0A", ";", "%3B").Replace(command) + "\a"
}

func ends(exit int) string { return fmt.Sprintf("\x1b]133;D;%d;ctx=%s\a", exit, nonce) }

// read returns a file of the terminal.
func (p *tape) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.Dir(), name))
	fstest.Must(p.t, err)
	return string(text)
}

// text returns a part without its header.
func (p *tape) text(part int) string { p.t.Helper(); return p.read(partFile(part))[HeaderLen:] }

// load returns the terminal as readers see it.
func (p *tape) load() *Terminal {
	p.t.Helper()
	t, err := Load(p.Dir())
	fstest.Must(p.t, err)
	return t
}

func (p *tape) same(what, got, want string) {
	p.t.Helper()
	fstest.Equal(p.t, got, want, what)
}

// header returns the lines of the newest part's header, without those around
// it.
func (p *tape) header() []string {
	p.t.Helper()
	head := p.read(partFile(p.load().LastPart()))[:HeaderLen]
	if n := strings.Count(head, "\n"); n != HeaderLines || !strings.HasPrefix(head, "---") || !strings.HasSuffix(head, "---\n") || strings.Contains(head, "  ") {
		p.t.Errorf("a header of %d lines: %q", n, head)
	}
	var lines []string
	for _, line := range strings.Split(head, "\n") {
		if line = strings.TrimRight(line, " "); strings.Trim(line, "-") != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// output returns the output of a record's command, by its bytes and by its
// lines.
func (p *tape) output(c Record) string {
	p.t.Helper()
	part := p.read(partFile(c.Part))
	byBytes, byLines := part[c.Bytes[0]:c.Bytes[1]], ""
	if c.Lines != nil {
		lines := strings.SplitAfter(part, "\n")
		byLines = strings.Join(lines[c.Lines[0]-1:c.Lines[1]], "")
	}
	p.same("lines of "+c.Command, byLines, byBytes)
	return byBytes
}

// slice returns the output of a command over all parts.
func (p *tape) slice(c Record) string {
	p.t.Helper()
	o, err := p.load().Output(c)
	fstest.Must(p.t, err)
	text := make([]byte, o.Size())
	if n, err := o.ReadAt(text, 0); n != len(text) {
		p.t.Fatalf("%d of %d bytes: %v", n, len(text), err)
	}
	return string(text)
}

// stars hides one word.
type stars struct{}

func (stars) Mask(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("hunter2"), []byte("[REDACTED]"))
}

func (s stars) Again(text []byte) []byte { return s.Mask(text) }

func (s stars) Args(argv []string) (hidden []string) {
	for _, arg := range argv {
		hidden = append(hidden, string(s.Mask([]byte(arg))))
	}
	return hidden
}

func hideStars() Masker { return stars{} }

// bare hides nothing.
type bare struct{}

func (bare) Mask(text []byte) []byte     { return text }
func (bare) Again(text []byte) []byte    { return text }
func (bare) Args(argv []string) []string { return argv }

func hideNothing() Masker { return bare{} }
