package changes

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs"
)

// BenchmarkList attributes the changes of as many files as are looked at, with as many
// commands as are known at most, beside looking at the files.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	at := time.Now()
	o := Options{Dir: dir, Since: at.Add(-time.Hour)}
	for i := range maxLooked {
		path := filepath.Join(dir, fmt.Sprint(i))
		check(b, os.WriteFile(path, nil, 0o600))
		o.Deeds = append(o.Deeds, fs.Deed{By: "transcripts/x", File: path, Read: i%2 == 0, End: at})
		o.Uncommitted = append(o.Uncommitted, Uncommitted{Path: fmt.Sprint(i)})
	}
	for i := range 1000 {
		o.Deeds = append(o.Deeds, fs.Deed{By: "terminals/1.txt", Dir: dir, Command: "make", Start: at.Add(-time.Duration(i) * time.Second), End: at.Add(-time.Duration(i)*time.Second + 1)})
	}
	var looking, listing time.Duration
	for b.Loop() {
		begun := time.Now()
		for i := range maxLooked {
			_, err := os.Lstat(filepath.Join(dir, fmt.Sprint(i)))
			check(b, err)
		}
		looking += time.Since(begun)
		begun = time.Now()
		if len(TSV(List(o))) == 0 {
			b.Fatal("nothing")
		}
		listing += time.Since(begun)
	}
	b.ReportMetric(float64(listing)/float64(looking), "list/lstat")
	b.ReportMetric(float64(listing.Microseconds())/float64(b.N)/1000, "ms/list")
}
