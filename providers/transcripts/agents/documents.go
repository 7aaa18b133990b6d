package agents

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/lazyjson"
)

// document reads a file that holds one JSON value and is written anew each time.
// One that is caught half-written is an error: it is whole when it is asked for
// again.
func document(path string) (lazyjson.Value, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return lazyjson.Value{}, err
	}
	if !lazyjson.Valid(text) {
		return lazyjson.Value{}, fmt.Errorf("%s: not a whole JSON document (it may be half-written)", path)
	}
	return lazyjson.Parse(text), nil
}

// beside is document of a file that need not be there, or be whole.
func beside(path string) lazyjson.Value {
	v, err := document(path)
	if err != nil {
		return lazyjson.Value{}
	}
	return v
}

// opening is the beginning of a JSON document, for what stands at its front:
// values that are cut off, or come later, are not there.
func opening(path string) (lazyjson.Value, error) {
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

// sibling is a file in the same folder as path.
func sibling(path, name string) string { return filepath.Join(filepath.Dir(path), name) }
