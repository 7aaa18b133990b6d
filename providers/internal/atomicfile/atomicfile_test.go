package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
)

// TestWriteFrom: a file is replaced as a whole, or stays as it was.
func TestWriteFrom(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "file")
	failed := errors.New("failed")
	for _, test := range []struct {
		text string
		err  error
		want string
	}{{"one", nil, "one"}, {"two", failed, "one"}, {"three", nil, "three"}} {
		err := WriteFrom(path, func(w io.Writer) error {
			_, _ = io.WriteString(w, test.text)
			return test.err
		})
		fstest.ErrorIs(t, err, test.err, test.text)
		if got, _ := os.ReadFile(path); string(got) != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
		t.Errorf("left behind: %v", all)
	}
}
