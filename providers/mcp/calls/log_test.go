package calls

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestCallLogOfManyWriters has several logs on one file, which is renamed when
// it is full, and loses no line and no piece of one.
func TestCallLogOfManyWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, lines = 8, 100
	line := func(w, i int) string { return fmt.Sprintf("%d-%d %s\n", w, i, strings.Repeat("x", 100)) }
	var all sync.WaitGroup
	for w := range writers {
		l := NewLog(filepath.Join(dir, "state"))
		l.max = writers * lines * int64(len(line(0, 0))) * 2 / 3 // it is renamed once
		all.Go(func() {
			for i := range lines {
				if err := l.add([]byte(line(w, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	seen := make(map[string]int)
	for _, name := range []string{"calls.jsonl", logName + ".1"} {
		text, err := os.ReadFile(filepath.Join(dir, "state", name))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			seen[l]++
		}
	}
	for w := range writers {
		for i := range lines {
			if seen[line(w, i)] != 1 {
				t.Fatalf("line %d of %d is there %d times", i, w, seen[line(w, i)])
			}
		}
	}
}
