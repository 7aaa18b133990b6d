package catalogue

import (
	"bytes"
	iofs "io/fs"
	"testing"
	"time"
)

func FuzzCacheFile(f *testing.F) {
	f.Add([]byte(`{"format":2,"rendering":3,"sections":[{"items":[{"name":"a","file":"a","size":2}]}],"sum":0}` + "\n{}[]"))
	f.Add([]byte(`{"format":2,"rendering":3,"sections":[{"items":[{"name":"a","file":"a","size":0}]}],"sum":0}` + "\n" + `[{"items":[{"raw":{"name":"a"}}]}]`))
	f.Add([]byte(`{"format":2,"rendering":1,"sections":[]}` + "\n" + `[{"items":[{"raw":{"name":"a","description":"b"}},{"raw":{"name":"A"}}]}]`))
	f.Add([]byte(`{"format":2,"sections":[{"items":[{"size":-1}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, read := range []func(f *cacheFile) error{
			func(f *cacheFile) error { _, err := f.snapshot(); return err },
			func(f *cacheFile) error { _, err := f.catalogue(); return err },
		} {
			if c, err := readCacheFile(textFile{bytes.NewReader(text)}); err == nil {
				_ = read(c) // what is damaged is an error
			}
		}
	})
}

// textFile is a text as a file.
type textFile struct{ *bytes.Reader }

func (textFile) Close() error { return nil }

func (f textFile) Stat() (iofs.FileInfo, error) { return textInfo{f.Size()}, nil }

// textInfo answers questions about a textFile.
type textInfo struct{ size int64 }

func (textInfo) Name() string { return "text" }

func (i textInfo) Size() int64 { return i.size }

func (textInfo) Mode() iofs.FileMode { return 0o600 }

func (textInfo) ModTime() time.Time { return time.Time{} }

func (textInfo) IsDir() bool { return false }

func (textInfo) Sys() any { return nil }
