package fs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

func TestLogGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLog(path, 8)
	if _, err := l.Attr(t.Context()); !errors.Is(err, ErrNotExist) {
		t.Fatalf("a log that is not there yet: %v", err)
	}
	appendTo(t, path, "header..one\n")
	first := attrOf(t, l)
	if !first.Live || first.InPlace || first.Size != 12 || first.Mode != 0o400 {
		t.Errorf("%+v", first)
	}
	appendTo(t, path, "two\n")
	second := attrOf(t, l)
	if second.Version != first.Version || second.Size != 16 {
		t.Errorf("grown: %+v, before: %+v", second, first)
	}
	p := make([]byte, 32)
	if n, err := l.ReadAt(t.Context(), p, 8); string(p[:n]) != "one\ntwo\n" || err != io.EOF {
		t.Errorf("read %q, %v", p[:n], err)
	}
}

func TestLogIncarnations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLog(path, 0)
	appendTo(t, path, "one\ntwo\n")
	seen := map[uint64]string{attrOf(t, l).Version: "the first"}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"truncated", func() { must(t, os.Truncate(path, 4)) }},
		{"emptied", func() { must(t, os.Truncate(path, 0)) }},
		{"replaced", func() {
			must(t, os.WriteFile(path+".new", []byte("a longer text\n"), 0o600))
			must(t, os.Rename(path+".new", path))
		}},
		{"removed and made again", func() {
			must(t, os.Remove(path))
			if _, err := l.Attr(t.Context()); !errors.Is(err, ErrNotExist) {
				t.Errorf("removed: %v", err)
			}
			appendTo(t, path, "a text that is longer still\n")
		}},
		{"a pipe for a while", func() {
			must(t, os.Remove(path))
			must(t, syscall.Mkfifo(path, 0o600))
			if _, err := l.Attr(t.Context()); !errors.Is(err, ErrNotExist) {
				t.Errorf("a pipe: %v", err)
			}
			if _, err := l.ReadAt(t.Context(), make([]byte, 1), 0); !errors.Is(err, ErrNotExist) {
				t.Errorf("reading a pipe: %v", err)
			}
			must(t, os.Remove(path))
			appendTo(t, path, "a text that is longer still, and more\n")
		}},
	} {
		step.do()
		a := attrOf(t, l)
		if before, ok := seen[a.Version]; ok {
			t.Errorf("%s: the incarnation is %s", step.name, before)
		}
		seen[a.Version] = step.name
		appendTo(t, path, "more\n")
		if b := attrOf(t, l); b.Version != a.Version || b.Size != a.Size+5 {
			t.Errorf("%s, then grown: %+v, before: %+v", step.name, b, a)
		}
	}
}

func TestLogHead(t *testing.T) {
	l := NewLog(filepath.Join(t.TempDir(), "log"), 512)
	length, before := l.Head()
	if length != 512 {
		t.Errorf("the header has %d bytes", length)
	}
	if _, same := l.Head(); same != before {
		t.Error("the header's version moves by itself")
	}
	l.HeadChanged()
	if _, after := l.Head(); after == before {
		t.Error("the header's version has not moved")
	}
}

// Attrs asked for at the same time as the log grows are all of one
// incarnation.
func TestLogWhileItGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLog(path, 0)
	appendTo(t, path, "x")
	want := attrOf(t, l).Version
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a, err := l.Attr(t.Context()); err != nil || a.Version != want {
					t.Errorf("%+v, %v", a, err)
					return
				}
			}
		})
	}
	for range 500 {
		appendTo(t, path, "more\n")
	}
	close(stop)
	readers.Wait()
}
