package pins

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

func FuzzPinsFile(f *testing.F) {
	f.Add([]byte(`{"format":1,"rendering":2,"name":"a","origin":"b","pins":[{"name":"x","size":12}]}` + "\n" + `{"name":"x"}` + "\n"))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","size":2},{"name":"x","nth":1,"size":4}]}` + "\n{}\n[{}]\n"))
	f.Add([]byte(`{"format":2,"name":"a","origin":"b"}`))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","sum":"` + strings.Repeat("00", 32) + `","size":12}]}` + "\n" + `{"name":"x"}` + "\n"))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","nth":-1,"size":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, whole := range []bool{false, true} {
			all, err := parseFile(bufio.NewReader(bytes.NewReader(text)), catalogue.Key{Name: "a", Origin: "b"}, whole)
			if err != nil {
				continue
			}
			for _, one := range all.pinned {
				if whole {
					rawjson.FingerprintOf(catalogue.ItemOf(one.definition).Definition())
				}
			}
		}
	})
}
