package grid

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"slices"
	"testing"
	"unicode"

	"ctxfs/providers/internal/clean"

	xwidth "golang.org/x/text/width"
)

var update = flag.Bool("update", false, "write the files that are made of others")

// TestWidths holds the table of widths to Unicode's own and to what is hidden
// everywhere else in ctxfs. With -update it writes the table.
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

// trueWidth is the width of a character by Unicode's tables.
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
	var out bytes.Buffer
	fmt.Fprintf(&out, "package grid\n\n// Written by `go test -run Widths -update` from the tables of Unicode %s: the\n// page of each 128 characters, and the pages.\nconst (\n", unicode.Version)
	for _, table := range []struct {
		name  string
		bytes []byte
	}{{"widthIndex", index.Bytes()}, {"widthPages", pages.Bytes()}} {
		fmt.Fprintf(&out, "%s = \"\"", table.name)
		for line := range slices.Chunk(table.bytes, 32) {
			out.WriteString("+\n\"")
			for _, c := range line {
				fmt.Fprintf(&out, "\\x%02x", c)
			}
			out.WriteByte('"')
		}
		out.WriteString("\n\n")
	}
	out.WriteString(")\n")
	source, err := format.Source(out.Bytes())
	if err == nil {
		err = os.WriteFile("widths.go", source, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Skip("widths.go is written: run the test again")
}
