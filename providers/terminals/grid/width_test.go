package grid

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"unicode"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/clean"

	xwidth "golang.org/x/text/width"
)

var update = flag.Bool("update", false, "write the files that are made of others")

// TestWidths compares the table of widths with Unicode's own and with what is
// hidden everywhere else in ctxfs. With -update it writes the table.
func TestWidths(t *testing.T) {
	const version = "15.0.0"
	if unicode.Version != version || xwidth.UnicodeVersion != version {
		t.Skipf("the table is of Unicode %s, and this Go has %s", version, unicode.Version)
	}
	if *update {
		writeWidths(t)
	}
	for r := rune(0xa0); r <= unicode.MaxRune; r++ {
		if got, want := width(r), trueWidth(r); got != want {
			t.Fatalf("%U is %d wide, not %d (run the test with -update)", r, got, want)
		}
	}
}

// trueWidth returns the width of a character by Unicode's tables.
func trueWidth(r rune) int {
	switch {
	case clean.Text(string(r)) == "":
		return hidden
	case r == 0x200c, r == 0x200d, unicode.In(r, unicode.Mn, unicode.Me),
		r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7fb && unicode.IsLetter(r): // the later parts of Korean syllables
		return 0
	}
	switch xwidth.LookupRune(r).Kind() {
	case xwidth.EastAsianWide, xwidth.EastAsianFullwidth:
		return 2
	}
	return 1
}

func writeWidths(t *testing.T) {
	var index, pages bytes.Buffer
	known := make(map[string]int)
	for first := rune(0); first < 0x20000; first += 128 {
		page := make([]byte, 32)
		for i := range rune(128) {
			if r := first + i; r >= 0xa0 { // not for controls
				page[i/4] |= byte(trueWidth(r)) << (i % 4 * 2)
			} else {
				page[i/4] |= 1 << (i % 4 * 2)
			}
		}
		if _, ok := known[string(page)]; !ok {
			known[string(page)] = len(known)
			pages.Write(page)
		}
		index.WriteByte(byte(known[string(page)]))
	}
	fstest.Must(t, os.WriteFile("widths.bin", append(index.Bytes(), pages.Bytes()...), 0o666))
	t.Skip("widths.bin is written: run the test again")
}
