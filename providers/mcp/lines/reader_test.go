package lines

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func FuzzMessages(f *testing.F) {
	f.Add([]byte("banner\n{\"a\":1}\n\n{}"), 3)
	f.Add([]byte("\x1b[2J\n {}\r\n"), 1)
	f.Add([]byte(`{"id":"raw-1","result":{"a":[`), 5)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		for line := range bytes.Lines(text) {
			_, _ = Read(line) // any text has an answer
		}
		ended := 0
		m := NewReader(bytes.NewReader(text), func() { ended++ })
		var got []byte
		buf := make([]byte, 1+max(0, size%64))
		for {
			n, err := m.Read(buf)
			got = append(got, buf[:n]...)
			if err == io.EOF {
				break
			}
		}
		var want []byte
		for line := range bytes.Lines(text) {
			if strings.IndexByte("{ \t\r\n", line[0]) >= 0 {
				want = append(want, line...)
			}
		}
		if !bytes.Equal(got, want) || ended != 1 {
			t.Errorf("%q, not %q; ended %d times", got, want, ended)
		}
	})
}
