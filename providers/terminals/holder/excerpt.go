package holder

import (
	"io"
	"os"

	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/terminals/record"
)

// Excerpt is the text of the terminal whose folder is dir, in at most limit
// bytes: if it is longer, the beginning and the end, and where the whole is.
func Excerpt(dir string, limit int) ([]byte, error) {
	t, err := record.LoadState(dir)
	if err != nil {
		return nil, err
	}
	w := excerpt.NewWriter(limit)
	for _, part := range t.Parts {
		if err := copyBody(w, t.Path(part.Number), t.HeaderLen); err != nil {
			return nil, err
		}
	}
	path := t.Path(t.LastPart())
	if len(t.Parts) > 1 {
		path = dir + "/part-*.txt"
	}
	sum := w.Tally()
	return w.Excerpt(excerpt.Notice(path, sum.Bytes, sum.Lines())), nil
}

// copyBody copies a part without its header.
func copyBody(to io.Writer, path string, header int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(header, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return err
}
