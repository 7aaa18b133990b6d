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
		return fmt.Errorf("%s: %d MB exceed the limit for a file that is read as a whole (%d MB)", path, size>>20, maxDocument>>20)
	}
	return nil
}

// ReadDocument reads a file that contains one JSON value and is rewritten as a
// whole. It returns an error
//
//  1. where the file cannot be read, or is larger than 256 MiB ([CheckSize]);
//  2. where the text is not JSON: the file may be half-written, and is complete when it
//     is read again.
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

// ReadOptional is [ReadDocument] for a file that need not exist or be complete:
// it returns an empty value then.
func ReadOptional(path string) lazyjson.Value {
	v, err := ReadDocument(path)
	if err != nil {
		return lazyjson.Value{}
	}
	return v
}

// ReadHead parses the first 64 KiB of a JSON document. Values that are cut off or
// come later are missing from the result.
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

// Sibling returns the path of the file name in the folder of path.
func Sibling(path, name string) string { return filepath.Join(filepath.Dir(path), name) }
