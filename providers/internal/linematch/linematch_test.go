package linematch

import (
	"regexp"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestNext(t *testing.T) {
	goesOn := func() error { return nil }
	text := ""
	l := Finder{Pattern: regexp.MustCompile("^two$")}
	next := func(more string) *Match {
		text += more
		m, err := l.Next(strings.NewReader(text), int64(len(text)), goesOn)
		fstest.Must(t, err)
		return m
	}
	for _, more := range []string{"", "one\n", "tw", "oo\n", strings.Repeat("x", 3*maxLine), "\n\n"} {
		if m := next(more); m != nil {
			t.Fatalf("%q at line %d matches", m.Text, m.Number)
		}
	}
	if m := next("t"); m != nil {
		t.Fatalf("%q matches", m.Text)
	}
	if m := next("wo\r\n"); m == nil || m.Number != 5 {
		t.Errorf("got %+v", m)
	}
	l.Reset()
	text = strings.Repeat("line of some length\n", 20_000) + "two"
	if m := next(""); m == nil || m.Number != 20_001 || m.Text != "two" {
		t.Errorf("got %+v", m)
	}
}
