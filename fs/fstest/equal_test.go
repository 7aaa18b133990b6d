package fstest

import (
	"io"
	"testing"
)

// TestUnequal: what is said of two values that differ.
func TestUnequal(t *testing.T) {
	for _, c := range []struct {
		got, want any
		what      []any
		says      string
	}{
		{1, 2, nil, "got 1, want 2"},
		{"a", "b", []any{"names of", 7}, `names of 7: got "a", want "b"`},
		{"a\nb\n", "", []any{[]byte("page")}, "page: got \na\nb\n\n, want \n\n"},
		{[]string{"a b"}, []string{"a", "b"}, nil, `got ["a b"], want ["a" "b"]`},
		{io.EOF, nil, nil, "got EOF, want <nil>"},
	} {
		Equal(t, unequal(c.got, c.want, c.what), c.says)
	}
}
