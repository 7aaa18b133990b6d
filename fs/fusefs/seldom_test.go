package fusefs

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// seldom is a file that grows at times, and whose size costs a rendering at
// first.
type seldom struct {
	mu       sync.Mutex
	text     []byte
	rendered bool
	live     bool
}

func (f *seldom) attr() fs.Attr {
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: epoch, Version: 7}
	if f.rendered {
		a.Size, a.Live = int64(len(f.text)), f.live
	}
	return a
}

func (f *seldom) Attr(context.Context) (fs.Attr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.attr(), nil
}

func (f *seldom) Measure(context.Context) (fs.Attr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rendered = true
	return f.attr(), nil
}

func (f *seldom) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rendered = true
	return bytes.NewReader(f.text).ReadAt(p, off)
}

func (f *seldom) grow(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = true
	f.text = append(f.text, line...)
}

func (f *seldom) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = false
}

// TestAFileThatGrowsAtTimes: between growths the kernel may keep the file, and
// a reader that has it open continues when it grows again.
func TestAFileThatGrowsAtTimes(t *testing.T) {
	const rounds, each = 3, followed
	f := &seldom{text: []byte(header(0))}
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"log": f}), fs.TreeOptions{})
	m.expect(strconv.Itoa(headLen), "stat -c %s log")
	m.expect(strings.TrimSuffix(header(0), "\n"), "cat log")
	readers := followers(t, filepath.Join(m.dir, "log"), rounds*each)
	line := 0
	for range rounds {
		for range each {
			f.grow(numberedLine(line))
			line++
			m.tree.Changed("log")
		}
		for _, r := range readers {
			fstest.Equal(t, r.line(), strconv.Itoa(line), "lines that can be read")
		}
		m.expect(strings.TrimSpace(numberedLine(line-1)), "tail -n1 log")
		f.settle()
		m.changed("log")
		// Others on the machine may have the kernel drop its caches at any time.
		if !slices.ContainsFunc(make([]int, 10), func(int) bool {
			before := m.Requests()
			m.expect(fmt.Sprint(line+1), "grep -c '' log")
			after := m.Requests()
			return after["LOOKUP"]+after["GETATTR"]+after["READ"] == before["LOOKUP"]+before["GETATTR"]+before["READ"]
		}) {
			t.Error("a quiet file costs requests each time")
		}
	}
	for _, r := range readers {
		r.end()
	}
}
