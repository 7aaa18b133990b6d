package guard

import "testing"

func TestUnescape(t *testing.T) {
	for field, want := range map[string]string{
		`/a\040b\011c\012d\134e`: "/a b\tc\nd\\e",
		`/x\04`:                  `/x\04`,
		`/x\999`:                 `/x\999`,
		`/end\`:                  `/end\`,
	} {
		if got := Unescape(field); got != want {
			t.Errorf("Unescape(%s) = %q, want %q", field, got, want)
		}
	}
}
