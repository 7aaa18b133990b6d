package shell

import "testing"

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b-c_d.e": "/a/b-c_d.e", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "größe/検索": "größe/検索",
		"~/plain": "~/plain", "~/two words": "~/'two words'", "~/": "~/", "~user": "'~user'", "$HOME": "'$HOME'", "a~2": "a~2",
	} {
		if got := Word(in); got != want {
			t.Errorf("Word(%q) = %s, want %s", in, got, want)
		}
	}
}
