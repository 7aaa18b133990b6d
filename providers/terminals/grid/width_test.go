package grid

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
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
	var out bytes.Buffer
	fmt.Fprintf(&out, "package grid\n\n// widths are the characters that are not one cell wide, as `go test -run Widths\n// -update` wrote them from the tables of Unicode %s.\nvar widths = [...]span{\n", unicode.Version)
	n := 0
	for first := rune(0xa0); first <= unicode.MaxRune; {
		last, w := first, trueWidth(first)
		for last < unicode.MaxRune && trueWidth(last+1) == w {
			last++
		}
		if w != 1 {
			fmt.Fprintf(&out, "{%#x, %#x, %d},", first, last, w)
			if n++; n%5 == 0 {
				out.WriteByte('\n')
			}
		}
		first = last + 1
	}
	out.WriteString("\n}\n")
	source, err := format.Source(out.Bytes())
	if err == nil {
		err = os.WriteFile("widths.go", source, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Skip("widths.go is written: run the test again")
}
