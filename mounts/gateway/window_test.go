package gateway

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// readAll reads a file part by part, like an agent that follows the notices.
func readAll(t *testing.T, g *Gateway, name string) string {
	t.Helper()
	c := connect(t, g, way{})
	var all strings.Builder
	args := map[string]any{"path": name}
	for range 1000 {
		r := ask(t, c, "read", args)
		got := text(r)
		if len(got) > MaxText+1 { // and the newline that text puts between its blocks
			t.Fatalf("%v: a part of %d bytes", args, len(got))
		}
		notice := ""
		if len(r.Content) > 1 {
			notice = text(r)[strings.LastIndex(got, "\n[")+1:]
			got = strings.TrimSuffix(got, "\n"+notice)
		}
		all.WriteString(got)
		if args = next(t, notice, "read"); args == nil {
			return all.String()
		}
	}
	t.Fatal("it does not end")
	return ""
}

func TestReadInParts(t *testing.T) {
	lines := func(n, length int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%06d %s\n", i, strings.Repeat("é", length/2))
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"short lines":        lines(3000, 40),
		"long lines":         lines(20, 9000),
		"lines that are cut": lines(4, 50000) + "the end",
		"one line":           strings.Repeat("0123456789é", 9000),
		"empty lines":        strings.Repeat("\n", 40000),
		"foreign bytes":      strings.Repeat("x\uFFFD", 9000),
		"exactly a part":     strings.Repeat("x", MaxText-noticeRoom-2*len("file")) + "\n" + "y\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{files: fstest.MapFS{"file": {Data: []byte(body)}}}
			if got := readAll(t, newGateway(t, f), "file"); got != body {
				t.Errorf("%d bytes of %d", len(got), len(body))
			}
		})
	}
}

// FuzzWindow writes any text in any pieces: consecutive parts are the text,
// none is too long, and the lines are counted right.
func FuzzWindow(f *testing.F) {
	f.Add("one\ntwo\nthree", 5, 3)
	f.Add("éééééééé\n\n\nx", 4, 1)
	f.Add("ééé", 5, 5)
	f.Add("\x80\x80\x80\x80\x80\x80\x80\x80\x80", 4, 5)
	f.Add("", 1, 1)
	f.Fuzz(func(t *testing.T, body string, room, piece int) {
		if room < 4 || room > 1000 || piece < 1 || strings.ContainsRune(body, 0) || strings.HasPrefix(body, "BM") || len(body) > 5000 {
			t.Skip()
		}
		total := strings.Count(body, "\n")
		if body != "" && !strings.HasSuffix(body, "\n") {
			total++
		}
		var all strings.Builder
		first, skip := 1, 0
		for range len(body) + 2 {
			w := &window{first: first, skip: skip, room: room}
			for rest := body; rest != ""; rest = rest[min(piece, len(rest)):] {
				if _, err := w.Write([]byte(rest[:min(piece, len(rest))])); err != nil {
					t.Skip() // looks like no text
				}
			}
			if w.image != "" {
				t.Skip()
			}
			if len(w.body) > room || w.total() != total || utf8.ValidString(body) && !utf8.Valid(w.body) {
				t.Fatalf("%d bytes of %d, %d lines of %d: %q", len(w.body), room, w.total(), total, w.body)
			}
			all.Write(w.body)
			args := next(t, w.notice("f"), "read")
			if args == nil {
				break
			}
			nextFirst, _ := args["offset"].(float64)
			nextSkip, _ := args["skip"].(float64)
			first, skip = int(nextFirst), int(nextSkip)
		}
		if all.String() != body {
			t.Fatalf("%q is not %q", all.String(), body)
		}
	})
}
