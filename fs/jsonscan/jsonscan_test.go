package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// tokens returns all tokens of a text as text, the last one being Open or End.
func tokens(s *Scanner) (all []string, last Kind) {
	for {
		t := s.Next()
		if t.Kind == End || t.Kind == Open {
			return all, t.Kind
		}
		all = append(all, string(s.Text[t.Begin:t.End]))
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]struct {
		tokens string
		last   Kind
	}{
		``:                                {``, End},
		" \t\r\n":                         {``, End},
		`{"a":[1,-2.5e+3,true],"b":null}`: {`{|"a"|:|[|1|,|-2.5e+3|,|true|]|,|"b"|:|null|}`, End},
		`"\"" "\\" "\\\"" "]"`:            {`"\""|"\\"|"\\\""|"]"`, End},
		`"a`:                              {``, Open},
		`["\"`:                            {`[`, Open},
		`1"a"2{x`:                         {`1|"a"|2|{|x`, End},
	} {
		got, last := tokens(&Scanner{Text: []byte(text)})
		if strings.Join(got, "|") != want.tokens || last != want.last {
			t.Errorf("%s: %q and %q, want %+v", text, got, last, want)
		}
	}
}

func TestSkip(t *testing.T) {
	for text, want := range map[string]int{`{"a":"}"} `: 9, ` [[],{}]]`: 8, `"a" 1`: 3, `12,`: 2, `[`: -1, `["]`: -1, `]`: -1, ``: -1, `"a`: -1} {
		s := Scanner{Text: []byte(text)}
		fstest.Equal(t, s.Skip(s.Next()), want, text)
	}
}

// FuzzTokens compares the tokens of valid JSON with those of encoding/json, and
// checks that a text has the same tokens when it arrives in two pieces, except
// that a word may be cut there.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[{"c":"]}\""}]}`, `[1,"\\",null]`, ` {} `, `{"a":{"b":`, `"\\\"`, `"x"`, `{"a":1,}`} {
		f.Add([]byte(seed), len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var want []string
		whole := Scanner{Text: text}
		for token := whole.Next(); token.Kind != End && token.Kind != Open; token = whole.Next() {
			if token.Kind != Word {
				want = append(want, string(text[token.Begin:token.End]))
			}
		}
		if cut >= 0 && cut <= len(text) {
			var got []string
			pieces := Scanner{Text: text[:cut:cut]}
			for {
				token := pieces.Next()
				if token.Kind == End || token.Kind == Open {
					if len(pieces.Text) == len(text) {
						break
					}
					pieces.Text = text
					continue
				}
				if token.Kind != Word {
					got = append(got, string(text[token.Begin:token.End]))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q, cut at %d: %q, want %q", text, cut, got, want)
			}
		}
		if json.Valid(text) {
			sameTokens(t, text)
		}
	})
}

// sameTokens compares the tokens of valid JSON, without commas and colons, with
// those of encoding/json.
func sameTokens(t *testing.T, text []byte) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	s := Scanner{Text: text}
	for {
		want, err := decoder.Token()
		token := s.Next()
		for token.Kind == ',' || token.Kind == ':' {
			token = s.Next()
		}
		if errors.Is(err, io.EOF) {
			if token.Kind != End {
				t.Fatalf("%q: %v after its end", text, token)
			}
			return
		}
		if err != nil {
			t.Fatal(err) // the text is valid
		}
		if int64(token.End) != decoder.InputOffset() {
			t.Fatalf("%q: a token ends at %d, not at %d", text, token.End, decoder.InputOffset())
		}
		is := text[token.Begin:token.End]
		switch want := want.(type) {
		case json.Delim:
			if token.Kind != Kind(want) {
				t.Fatalf("%q: %q, not %v", text, is, want)
			}
		case string:
			var got string
			if token.Kind != String || json.Unmarshal(is, &got) != nil || got != want {
				t.Fatalf("%q: %q, not %q", text, is, want)
			}
		default:
			if want == nil {
				want = "null"
			}
			if token.Kind != Word || string(is) != fmt.Sprint(want) {
				t.Fatalf("%q: %q, not %v", text, is, want)
			}
		}
	}
}

// BenchmarkTokens reads the tokens of 1 MB of small values, and compares with
// encoding/json.
func BenchmarkTokens(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"category":"a","value":1},`, 40_000) + "0]")
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			s := Scanner{Text: text}
			for s.Next().Kind != End {
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			for {
				if _, err := decoder.Token(); err != nil {
					break
				}
			}
		}
	})
}
