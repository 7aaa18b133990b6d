package holder

import (
	"testing"

	"ctxfs/fs/fstest"
)

func TestParseKey(t *testing.T) {
	for text, want := range map[string]Key{
		`ctrl-\ d`: DefaultKey(), "ctrl-]": {0x1d, 0}, "Ctrl-a ctrl-d": {1, 4}, "none": {}, "ctrl-^ .": {0x1e, '.'},
	} {
		if got, err := ParseKey(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "ctrl-", "ctrl-a b c", "ctrl-a dd", "ctrl-1", "alt-x"} {
		if got, err := ParseKey(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		key    Key
		typed  []string
		want   string
		detach bool
	}{
		{DefaultKey(), []string{"ls\r"}, "ls\r", false},
		{DefaultKey(), []string{"a\x1cd"}, "a", true},
		{DefaultKey(), []string{"a\x1c", "d"}, "a", true},
		{DefaultKey(), []string{"\x1cx"}, "\x1cx", false},
		{DefaultKey(), []string{"\x1c\x1cd"}, "\x1cd", false},
		{Key{0x1d, 0}, []string{"a\x1db"}, "a", true},
		{Key{}, []string{"\x1cd\x00"}, "\x1cd\x00", false},
	} {
		k := keys{key: c.key}
		got, detach := "", false
		for _, typed := range c.typed {
			out, found := k.pass([]byte(typed))
			got, detach = got+string(out), detach || found
		}
		if got != c.want || detach != c.detach {
			t.Errorf("%+v, %q: %q, %v", c.key, c.typed, got, detach)
		}
	}
	k := keys{key: DefaultKey()}
	if out, _ := k.pass([]byte("\x1c")); len(out) > 0 {
		t.Errorf("passed on at once: %q", out)
	}
	fstest.Equal(t, string(k.release())+string(k.release()), "\x1c", "passed on in the end")
}
