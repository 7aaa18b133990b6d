package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKept writes outputs around the limits, in pieces of several lengths: the first and
// the last bytes are kept, and what is left out is said.
func TestKept(t *testing.T) {
	const limit = 10
	for size := range 45 {
		text := make([]byte, size)
		for i := range text {
			text[i] = 'a' + byte(i%26)
		}
		for _, piece := range []int{1, 3, 10, 11, 45} {
			path := filepath.Join(t.TempDir(), "output")
			k := newKept(path, limit)
			for rest := text; len(rest) > 0; {
				n := min(piece, len(rest))
				if took, err := k.Write(rest[:n]); took != n || err != nil {
					t.Fatalf("%d, %v", took, err)
				}
				rest = rest[n:]
			}
			if err := k.close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := text
			if size > 2*limit {
				before, after, ok := bytes.Cut(got, []byte(" left out ...\n"))
				if head, _, _ := bytes.Cut(before, []byte("\n... ")); !ok || !bytes.Equal(head, text[:limit]) || !bytes.Equal(after, text[size-limit:]) {
					t.Errorf("%d bytes in pieces of %d: %q", size, piece, got)
				}
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes in pieces of %d: %q", size, piece, got)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	}
}

// TestKeptNowhere: an output that cannot be kept is taken all the same.
func TestKeptNowhere(t *testing.T) {
	k := newKept(filepath.Join(t.TempDir(), "missing", "output"), 4)
	if n, err := k.Write([]byte(strings.Repeat("x", 100))); n != 100 || err != nil || k.close() != nil {
		t.Errorf("%d, %v", n, err)
	}
}
