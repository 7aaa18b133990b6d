package jsonlines

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ctxfs/fs/fstest"
)

func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "a.jsonl")
	want := []string{"one", "two\nlines", ""}
	fstest.Must(t, Write(path, 3, slices.Values(want)))
	fstest.EqualSlices(t, slices.Collect(Read[string](path, 3)), want, "read")
	if got := slices.Collect(Read[string](path, 4)); got != nil {
		t.Errorf("of another format %q are read", got)
	}
	for first := range Read[string](path, 3) {
		fstest.Equal(t, first, "one", "first")
		break
	}
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(path, text[:len(text)-5], 0o600))
	if got := slices.Collect(Read[string](path, 3)); !slices.Equal(got, want[:1]) && !slices.Equal(got, want[:2]) {
		t.Errorf("of a damaged file %q are read", got)
	}
	if got := slices.Collect(Read[string](path+"x", 3)); got != nil {
		t.Errorf("of no file %q are read", got)
	}
}

// TestAppendAfterAKill appends to a file whose last writer was killed.
func TestAppendAfterAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "a.jsonl")
	fstest.Must(t, Append(path, 1))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(`{"half`)
		f.Close()
	}
	fstest.Must(t, err)
	fstest.Must(t, Append(path, 2))
	if text, err := os.ReadFile(path); err != nil || string(text) != "1\n{\"half\n2\n" {
		t.Errorf("%q, %v", text, err)
	}
}
