package mask

import (
	"bufio"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

var files = flag.String("files", "", "folder with logs and sessions; TestFiles counts what is masked in them")

// TestFiles counts how often the lines of real files are masked, and shows one
// in each rule and file: go test -run Files -v -args -files FOLDER.
func TestFiles(t *testing.T) {
	if *files == "" {
		t.Skip("no -files")
	}
	var masked, size int
	err := filepath.WalkDir(*files, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		n, bytes, samples := countFile(t, path)
		masked, size = masked+n, size+bytes
		if n > 0 {
			t.Logf("%s: %d in %d bytes", path, n, bytes)
			for _, s := range samples {
				t.Logf("    %s", s)
			}
		}
		return nil
	})
	fstest.Must(t, err)
	t.Logf("%d in %.1f MB: %.2f a MB", masked, float64(size)/1e6, float64(masked)/(float64(size)/1e6))
}

func countFile(t *testing.T, path string) (masked, size int, samples []string) {
	f, err := os.Open(path)
	fstest.Must(t, err)
	defer f.Close()
	m, seen := New(), map[string]bool{}
	for r := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := r.ReadString('\n')
		size += len(line)
		got := string(m.Mask([]byte(line)))
		for at := 0; got != line; {
			i := strings.Index(got[at:], "[REDACTED:")
			if i < 0 {
				break
			}
			at += i
			end := strings.IndexByte(got[at:], ']')
			if end < 0 {
				break
			}
			masked++
			if rule := got[at : at+end]; len(samples) < 400 && !seen[rule+got[max(0, at-12):at]] {
				seen[rule+got[max(0, at-12):at]] = true
				end := min(len(got), at+end+30)
				// What was masked: the text from the same place of the line on.
				samples = append(samples, got[max(0, at-60):end]+"   <<<   "+around(line, got, at))
			}
			at += end
		}
		if err == io.EOF {
			return masked, size, samples
		}
	}
}

// around returns what stood at an offset of the masked line, as far as the
// lines agree.
func around(line, got string, at int) string {
	before := got[max(0, at-24):at]
	if i := strings.Index(line, before); i >= 0 {
		return line[i+len(before) : min(len(line), i+len(before)+50)]
	}
	return ""
}
