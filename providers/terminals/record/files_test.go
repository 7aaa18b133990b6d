package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestLongLinesComeInPieces(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.Mask = hideStars })
	p.put(prompt() + begins("gen"))
	var want strings.Builder
	for i := range 20_000 {
		piece := fmt.Sprintf("é%d hunter2", i)
		want.WriteString(strings.ReplaceAll(piece, "hunter2", "[REDACTED]"))
		p.put(piece)
	}
	if got := len(p.text(1)); got < want.Len()-maxPartial-keptBack-80*24*2 {
		t.Errorf("%d of %d bytes are written", got, want.Len())
	}
	p.put("\r\n" + ends(0))
	p.same("output", p.output(p.load().Records[0]), want.String()+"\n")
}

func TestParts(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.MaxPart = 4096 })
	p.put(prompt() + begins("seq"))
	var want strings.Builder
	want.WriteString("$ seq\n")
	for i := range 1000 {
		line := fmt.Sprintf("%04d %s\n", i, strings.Repeat("x", i%60))
		want.WriteString(line)
		p.put(strings.ReplaceAll(line, "\n", "\r\n"))
	}
	p.put(ends(0) + prompt() + begins("true") + ends(0))
	want.WriteString("$ true\n")
	got := p.load()
	var all strings.Builder
	for i, part := range got.Parts {
		if part.Number != i+1 || part.Size > 4096 {
			t.Errorf("part %+v", part)
		}
		text := p.text(part.Number)
		if !strings.HasSuffix(text, "\n") {
			t.Errorf("part %d ends with %q", part.Number, text[len(text)-10:])
		}
		all.WriteString(text)
	}
	p.same("all parts", all.String(), want.String())
	c := got.Records[0]
	if c.Part != 1 || c.EndPart != got.LastPart() || len(got.Parts) < 8 || got.Meta.Parts != got.LastPart() {
		t.Errorf("%+v of %d parts", c, len(got.Parts))
	}
	p.same("output", p.slice(c), strings.TrimSuffix(strings.TrimPrefix(want.String(), "$ seq\n"), "$ true\n"))
	fstest.Contains(t, p.read(partFile(1))[:HeaderLen], "command: seq\n")
}

func TestAnEndlessLineIsCutAtTheCap(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.MaxPart, o.Nonce = 64<<10, "" })
	want := strings.Repeat("0123456789", 100_000)
	for i := 0; i < len(want); i += 5000 {
		p.put(want[i : i+5000])
	}
	fstest.Must(t, p.Close(0, ""))
	var all strings.Builder
	for _, part := range p.load().Parts {
		if part.Size > 64<<10 {
			t.Errorf("%+v", part)
		}
		all.WriteString(p.text(part.Number))
	}
	p.same("all parts", all.String(), want+"\n")
}

func TestIDs(t *testing.T) {
	root := filepath.Join(t.TempDir(), "terminals")
	named := func(name string) func(*Options) { return func(o *Options) { o.Name = name } }
	one, two := newTape(t, root), newTape(t, root)
	api := newTape(t, root, named("my api"))
	other := newTape(t, root, named("my api"))
	if one.ID() != "1" || two.ID() != "2" || api.ID() != "my_api" || other.ID() != "my_api~2" {
		t.Error(one.ID(), two.ID(), api.ID(), other.ID())
	}
	fstest.Must(t, one.Close(0, ""))
	if three := newTape(t, root); three.ID() != "3" {
		t.Error(three.ID())
	}
	// An ended terminal gives its name up.
	fstest.Must(t, api.Close(0, ""))
	if next := newTape(t, root, named("my api")); next.ID() != "my_api" {
		t.Error(next.ID())
	}
	moved, err := Load(filepath.Join(root, "my_api~3"))
	fstest.Must(t, err)
	if moved.Name != "my api" || moved.Running() {
		t.Errorf("%+v", moved.Meta)
	}
	if _, err := New(Options{Dir: root, Name: "12", Mask: hideNothing}); err == nil {
		t.Error("a number as a name")
	}
}

func TestDeletedFilesAreMadeAnew(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("one") + "1\r\n" + ends(0) + prompt() + begins("two") + "2\r\n")
	fstest.Must(t, os.Remove(filepath.Join(p.Dir(), partFile(1))))
	p.put("22\r\n" + ends(0) + prompt())
	got := p.load()
	if got.LastPart() != 2 || len(got.Records) != 2 {
		t.Fatalf("%+v", got)
	}
	p.same("output", p.output(got.Records[1]), "2\n22\n")

	fstest.Must(t, os.RemoveAll(p.Dir()))
	p.put(begins("three") + "3\r\n" + ends(0))
	got = p.load()
	if p.ID() != "1" || len(got.Records) != 1 || got.Records[0].N != 3 {
		t.Fatalf("%+v", got)
	}
	p.same("output", p.output(got.Records[0]), "3\n")

	// Another terminal has taken the place.
	fstest.Must(t, os.RemoveAll(p.Dir()))
	other := newTape(t, p.root)
	p.put(prompt() + begins("four") + "4\r\n" + ends(0))
	if other.ID() != "1" || p.ID() != "2" || len(p.load().Records) != 1 || len(other.load().Records) != 0 {
		t.Errorf("%s and %s", other.ID(), p.ID())
	}
}

func TestKilledHolder(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("one") + ends(0) + prompt() + begins("serve") + "listening\r\nboom\r\n")
	p.wait(10 * time.Millisecond)
	meta := p.read(MetaFile)
	fstest.Must(t, os.WriteFile(filepath.Join(p.Dir(), MetaFile), []byte(strings.ReplaceAll(meta, p.meta.HolderStart, "gone")), 0o600))
	got := p.load()
	if got.Running() || !got.Killed || got.Ended == nil || len(got.Records) != 2 {
		t.Fatalf("%+v", got)
	}
	if c := got.Records[1]; c.N != 2 || c.Command != "serve" || c.Exit != nil || c.Source != FromEnd {
		t.Errorf("%+v", c)
	}
	p.same("output", p.slice(got.Records[1]), "listening\nboom\n")
}

// TestWhatCannotBeWrittenWaits: the log refuses writes, which stands for a full
// disk; package terminals tests a real one.
func TestWhatCannotBeWrittenWaits(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("one"))
	works := p.log.file
	readOnly, err := os.Open(works.Name())
	fstest.Must(t, err)
	defer readOnly.Close()
	p.log.file = readOnly
	next := p.put("1\r\n" + ends(0) + prompt() + begins("flood"))
	if got := p.load(); got.Fault == nil || got.Fault.What == "" || next.IsZero() {
		t.Errorf("no fault is told: %+v, next %v", got.Meta, next)
	}
	line := strings.Repeat("x", 70) + "\r\n"
	for range (2 << 20) / len(line) {
		p.put(line)
	}
	p.log.file = works
	p.wait(2 * retryTime)
	p.put("after\r\n" + ends(0))
	got := p.load()
	if got.Fault != nil || len(got.Records) != 2 {
		t.Fatalf("%+v", got.Meta)
	}
	p.same("output", p.output(got.Records[0]), "1\n")
	text := p.output(got.Records[1])
	if !strings.Contains(text, "bytes were not recorded: ") || !strings.HasSuffix(text, "\nafter\n") || len(text) < maxPending || len(text) > maxPending+8<<10 {
		t.Errorf("%d bytes, ending %q", len(text), text[max(0, len(text)-200):])
	}
}

func TestNothingCanBeWrittenAtAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	fstest.Must(t, os.WriteFile(file, nil, 0o600))
	_, err := New(Options{Dir: file, Mask: hideNothing})
	var path *os.PathError
	if !errors.As(err, &path) {
		t.Error(err)
	}
}
