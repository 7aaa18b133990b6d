package guard

import (
	"testing"

	"ctxfs/fs/fstest"
)

func TestUnescape(t *testing.T) {
	for field, want := range map[string]string{
		`/a\040b\011c\012d\134e`: "/a b\tc\nd\\e",
		`/x\04`:                  `/x\04`,
		`/x\999`:                 `/x\999`,
		`/end\`:                  `/end\`,
	} {
		fstest.Equal(t, Unescape(field), want, "Unescape", field, ")")
	}
}
