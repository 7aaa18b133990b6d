package edit

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestBlock: a block stands at the end, and reverting it gives the bytes
// that were there.
func TestBlock(t *testing.T) {
	md := Block("<!--", "claude-code", "one\ntwo\n")
	for _, test := range []struct {
		text string
		edit Edit
		want string
	}{
		{"", md, "<!-- ctxfs: begin claude-code -->\none\ntwo\n<!-- ctxfs: end -->\n"},
		{"# Rules\n", md, "# Rules\n\n<!-- ctxfs: begin claude-code -->\none\ntwo\n<!-- ctxfs: end -->\n"},
		{"# Rules", md, "# Rules\n\n<!-- ctxfs: begin claude-code -->\none\ntwo\n<!-- ctxfs: end -->"},
		{"# Rules\n\n", md, "# Rules\n\n<!-- ctxfs: begin claude-code -->\none\ntwo\n<!-- ctxfs: end -->\n"},
		{"# Rules\r\n", md, "# Rules\r\n\r\n<!-- ctxfs: begin claude-code -->\r\none\r\ntwo\r\n<!-- ctxfs: end -->\r\n"},
		{"\xef\xbb\xbf# Rules\n", md, "\xef\xbb\xbf# Rules\n\n<!-- ctxfs: begin claude-code -->\none\ntwo\n<!-- ctxfs: end -->\n"},
	} {
		after, done, err := test.edit.Apply([]byte(test.text))
		if err != nil || string(after) != test.want {
			t.Errorf("%q became\n%q, not\n%q (%v)", test.text, after, test.want, err)
		}
		if again, _, err := test.edit.Apply(after); err != nil || string(again) != string(after) {
			t.Errorf("a second time it became %q (%v)", again, err)
		}
		if back, err := done.Revert(after); err != nil || string(back) != test.text {
			t.Errorf("back it is %q, not %q (%v)", back, test.text, err)
		}
		other := test.edit
		other.Text = "newer"
		newer, _, err := other.Apply(after)
		if err != nil || strings.Count(string(newer), "ctxfs: begin") != 1 || !strings.Contains(string(newer), "newer") {
			t.Errorf("a newer block: %q (%v)", newer, err)
		}
	}
}

// TestBlockEdited: what others wrote around the block stays, and so does the order.
func TestBlockEdited(t *testing.T) {
	md := Block("<!--", "x", "ours")
	for _, test := range []struct{ text, add, want string }{
		{"# Rules\n", "more\n", "# Rules\nmore\n"},
		{"# Rules", "\n\nmore", "# Rules\n\nmore"},
		{"", "more\n", "more\n"},
	} {
		after, done, err := md.Apply([]byte(test.text))
		fstest.Must(t, err)
		if back, err := done.Revert(append(after, test.add...)); err != nil || string(back) != test.want {
			t.Errorf("back it is %q, not %q (%v)", back, test.want, err)
		}
	}
	if _, _, err := md.Apply([]byte("a\n<!-- ctxfs: begin x -->\nb\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("half a block: %v", err)
	}
}

// TestLine: one line stands at the top, and older ones go.
func TestLine(t *testing.T) {
	e := Line("exec x # ours", "# ours")
	for _, text := range []string{"", "a\n", "a", "a\r\nb\r\n"} {
		after, done, err := e.Apply([]byte(text))
		if err != nil || !strings.HasPrefix(string(after), "exec x # ours"+newline([]byte(text))) {
			t.Errorf("%q: %q %v", text, after, err)
		}
		if again, _, err := Line("exec y # ours", "# ours").Apply(after); err != nil || strings.Count(string(again), "# ours") != 1 {
			t.Errorf("%q: %q %v", text, again, err)
		}
		if back, err := done.Revert(after); err != nil || string(back) != text {
			t.Errorf("%q: back it is %q %v", text, back, err)
		}
	}
}
