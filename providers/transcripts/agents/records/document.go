package records

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/lazyjson"
)

// maxDocument is the size of the largest document that is read whole, in bytes.
const maxDocument = 256 << 20

// CheckSize returns an error for a file that is too large to be read whole.
func CheckSize(path string, size int64) error {
	if size > maxDocument {
		return fmt.Errorf("%s: %d MB are too many to be read at once (at most %d)", path, size>>20, maxDocument>>20)
	}
	return nil
}

// ReadDocument reads a file that holds one JSON value and is written anew each time.
// One that is caught half-written is an error: it is whole when it is asked for
// again.
func ReadDocument(path string) (lazyjson.Value, error) {
	st, err := os.Stat(path)
	if err != nil {
		return lazyjson.Value{}, err
	}
	if err := CheckSize(path, st.Size()); err != nil {
		return lazyjson.Value{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return lazyjson.Value{}, err
	}
	if !lazyjson.Valid(text) {
		return lazyjson.Value{}, fmt.Errorf("%s: not a whole JSON document (it may be half-written)", path)
	}
	return lazyjson.Parse(text), nil
}

// ReadOptional is document of a file that need not be there, or be whole.
func ReadOptional(path string) lazyjson.Value {
	v, err := ReadDocument(path)
	if err != nil {
		return lazyjson.Value{}
	}
	return v
}

// ReadHead is the beginning of a JSON document, for what stands at its front:
// values that are cut off, or come later, are not there.
func ReadHead(path string) (lazyjson.Value, error) {
	const enough = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return lazyjson.Value{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, enough))
	if err != nil {
		return lazyjson.Value{}, err
	}
	return lazyjson.Parse(text), nil
}

// Sibling is a file in the same folder as path.
func Sibling(path, name string) string { return filepath.Join(filepath.Dir(path), name) }
