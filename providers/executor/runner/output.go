package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs/wording"
)

// keptOutput is how much of the beginning of an agent's output is kept in a file, and how
// much of its end, in bytes.
const keptOutput = 8 << 20

// kept is the file with an agent's output: its first bytes as they come, and when it has
// ended also the last ones. What is between them is left out. What cannot be written is
// not kept; that is all.
type kept struct {
	path  string
	limit int64
	head  *os.File
	size  int64 // of all that was written
	// The end is in two files that are filled in turn; older is full, or empty.
	newer, older *os.File
	inNewer      int64
}

func newKept(path string, limit int64) *kept {
	k := &kept{path: path, limit: limit}
	k.head, _ = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	return k
}

func (k *kept) Write(p []byte) (int, error) {
	n := len(p)
	if room := k.limit - k.size; room > 0 && k.head != nil {
		first := p[:min(int64(len(p)), room)]
		_, _ = k.head.Write(first)
		p = p[len(first):]
	}
	k.size += int64(n)
	for len(p) > 0 && k.head != nil {
		if k.newer == nil || k.inNewer >= k.limit {
			if !k.turn() {
				break
			}
		}
		part := p[:min(int64(len(p)), k.limit-k.inNewer)]
		_, _ = k.newer.Write(part)
		k.inNewer += int64(len(part))
		p = p[len(part):]
	}
	return n, nil
}

// turn makes the newer file the older one, and reports whether there is a newer one.
func (k *kept) turn() bool {
	k.newer, k.older, k.inNewer = k.older, k.newer, 0
	if k.newer == nil {
		f, err := os.CreateTemp(filepath.Dir(k.path), ".end-*")
		if err != nil {
			return false
		}
		os.Remove(f.Name()) // it goes when this process ends
		k.newer = f
	}
	_, _ = k.newer.Seek(0, io.SeekStart)
	return k.newer.Truncate(0) == nil
}

// close completes the file.
func (k *kept) close() error {
	if k.head == nil {
		return nil
	}
	defer k.head.Close()
	if k.newer == nil {
		return nil
	}
	defer k.newer.Close()
	end := min(k.limit, k.size-k.limit)
	left := k.size - k.limit - end
	if left > 0 {
		fmt.Fprintf(k.head, "\n... %s left out ...\n", wording.Size(left))
	}
	if missing := end - k.inNewer; k.older != nil {
		defer k.older.Close()
		if missing > 0 {
			_, _ = k.older.Seek(-missing, io.SeekEnd)
			_, _ = io.Copy(k.head, k.older)
		}
	}
	_, _ = k.newer.Seek(0, io.SeekStart)
	_, err := io.Copy(k.head, k.newer)
	return err
}

// pump passes on what comes from a pipe to all of several places, until it ends. None of
// them keeps it from being read.
func pump(from io.Reader, to ...func(p []byte)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		for _, take := range to {
			if n > 0 {
				take(buf[:n])
			}
		}
		if err != nil {
			return
		}
	}
}

// leftTime is how long is read from a pipe after all that belongs to the run has ended:
// what is outside of it, and has the other end, is not waited for.
const leftTime = time.Second
