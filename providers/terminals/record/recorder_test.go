package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestHeader(t *testing.T) {
	p := newTape(t, "")
	expect := func(want ...string) {
		t.Helper()
		p.same("header", strings.Join(p.header(), "|"), strings.Join(want, "|"))
	}
	expect("pid: 4711", "cwd: /home/u", "last_command:", "last_exit_code:")
	p.put(prompt() + begins("make all"))
	expect("pid: 4711", "cwd: /home/u", "command: make all", "started_at: 2026-11-21T04:00:00Z")
	p.put("no rule\r\n" + ends(2))
	expect("pid: 4711", "cwd: /home/u", "last_command: make all", "last_exit_code: 2")
	p.put(prompt() + "\x1b]7;file:///tmp/x%20y\a" + begins("a\nb "+strings.Repeat("long ", 100)))
	got := strings.Join(p.header(), "|")
	if !strings.Contains(got, "|command: a b long long") || !strings.Contains(got, "…|") {
		t.Error(got)
	}
	p.same("text", p.text(1)[:21], "$ make all\nno rule\n$ ")
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	long := "/" + strings.Repeat("d/", 2000) + "end"
	p := newTape(t, "", func(o *Options) { o.Cwd, o.Pid, o.Replay = long, 1<<22, true })
	if h := p.header(); !strings.HasPrefix(h[1], "cwd: …") || !strings.HasSuffix(h[1], "d/end") {
		t.Error(h[1])
	}
	fstest.Equal(t, p.load().Cwd, long)
	p.put(begins("true") + ends(0))
	for _, name := range []string{MetaFile, ScreenFile, RecordsFile, ReplayFile, partFile(1)} {
		info, err := os.Stat(filepath.Join(p.Dir(), name))
		fstest.Must(t, err)
		fstest.Equal(t, info.Mode().Perm(), 0o600, name, info.Mode())
	}
	if info, _ := os.Stat(p.Dir()); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v", info.Mode())
	}
}

// TestLinesAppearInTime calls Settle exactly when the Recorder asks for it, and
// does nothing else.
func TestLinesAppearInTime(t *testing.T) {
	p := newTape(t, "")
	p.put(prompt() + begins("build"))
	p.wait(time.Second)
	wrote := p.now
	next := p.put("compiling\r\n")
	for deadline := p.now.Add(10 * time.Millisecond); !next.IsZero() && !next.After(deadline); {
		p.now = next
		next = p.Settle(p.now)
	}
	if late := p.now.Sub(wrote); late > 10*time.Millisecond {
		t.Errorf("after %v", late)
	}
	p.same("log", p.text(1), "$ build\ncompiling\n")
	p.same("screen", p.read(ScreenFile), "$ build\ncompiling\n")
	p.put("40%\r") // not final, but shown
	p.wait(10 * time.Millisecond)
	p.same("screen", p.read(ScreenFile), "$ build\ncompiling\n40%\n")
	p.same("log", p.text(1), "$ build\ncompiling\n")
	if next := p.wait(time.Second); !next.IsZero() {
		t.Errorf("asks to be called at %v though nothing is to come", next)
	}
}

func TestSecretsAreMaskedEverywhere(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.Mask, o.Replay, o.Cols = hideStars, true, 20 })
	p.put(prompt() + begins("login hunter2"))
	p.put("hun")
	p.wait(time.Second)
	p.put("ter2 ok\r\nwide: 123456789 hunter2 wraps\r\n" + ends(0) + prompt())
	p.wait(time.Second)
	p.put("\x1b]7;file:///home/hunter2\a")
	p.put(begins("echo hunter2"))
	p.wait(time.Second)
	fstest.Must(t, p.Close(0, ""))
	err := filepath.WalkDir(p.Dir(), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("hunter2")) || bytes.Contains(bytes.ReplaceAll(text, []byte("\n"), nil), []byte("hunter2")) {
			t.Errorf("%s: %s", path, text)
		}
		if !bytes.Contains(text, []byte("[REDACTED]")) && e.Name() != ScreenFile {
			t.Errorf("%s has nothing hidden: %s", path, text)
		}
		return err
	})
	fstest.Must(t, err)
	p.same("output", p.output(p.load().Records[0]), "[REDACTED] ok\nwide: 123456789 [REDACTED] wraps\n")
}

func TestReplay(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.Replay = true })
	p.put("a\x1b[31m\xc3")
	p.now = p.now.Add(1500 * time.Millisecond)
	p.put("\xa9 b\x9f\r\n")
	p.Resize(100, 30)
	for range 600 {
		p.put(strings.Repeat("0123456789abcdef ", 2000))
	}
	fstest.Must(t, p.Close(0, ""))
	text := p.read(ReplayFile)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	p.same("begin", strings.Join(lines[:4], "\n"), `{"version":2,"width":80,"height":24,"timestamp":1795233600}
[0,"o","a\u001b[31m"]
[1.5,"o","é b\ufffd\r\n"]
[1.5,"r","100x30"]`)
	if last := lines[len(lines)-1]; !strings.Contains(last, `"m",`) || len(text) > maxReplay+1<<20 {
		t.Errorf("%d bytes, ends with %s", len(text), last)
	}
	for _, line := range lines[1:] {
		var event []any
		fstest.Must(t, json.Unmarshal([]byte(line), &event))
	}
}

func TestResizeIsTold(t *testing.T) {
	p := newTape(t, "", func(o *Options) { o.Cols, o.Rows = 0, 0 })
	if got := p.load(); got.Cols != 80 || got.Rows != 24 {
		t.Errorf("%+v", got.Meta)
	}
	p.put(strings.Repeat("a", 100) + "\r\n")
	p.Resize(120, 30)
	p.Started(99)
	if got := p.load(); got.Cols != 120 || got.Rows != 30 || got.Pid != 99 {
		t.Errorf("%+v", got.Meta)
	}
	fstest.Must(t, p.Close(0, ""))
	p.same("log", p.text(1), strings.Repeat("a", 100)+"\n")
	if next := p.put("late"); !next.IsZero() || p.Close(1, "") != nil {
		t.Error("a recording that is closed goes on")
	}
}

// BenchmarkWrite records plain logs, with the disk and a running clock: the
// goal is at least 29 MB a second.
func BenchmarkWrite(b *testing.B) {
	line := "2026-11-21T04:00:00.123Z INFO server request done method=GET path=/api/v1/items status=200 ms=12\r\n"
	for name, piece := range map[string]string{
		"plain":  strings.Repeat(line, 4096/len(line)),
		"colour": strings.Repeat(strings.Replace(line, "INFO", "\x1b[32mINFO\x1b[0m", 1), 4096/len(line)),
	} {
		b.Run(name, func(b *testing.B) {
			for _, replay := range []bool{false, true} {
				b.Run(fmt.Sprintf("replay=%v", replay), func(b *testing.B) {
					p := newTape(b, "", func(o *Options) { o.Now, o.Replay = time.Now, replay })
					b.SetBytes(int64(len(piece)))
					for b.Loop() {
						p.put(piece)
					}
				})
			}
		})
	}
}
