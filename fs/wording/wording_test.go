package wording_test

import (
	"testing"
	"time"

	"ctxfs/fs/wording"
)

func TestCount(t *testing.T) {
	if got := wording.Count(1, "memories") + ", " + wording.Count(2, "memories") + ", " + wording.Count(1, "processes"); got != "1 memory, 2 memories, 1 process" {
		t.Errorf("memories are counted as %q", got)
	}
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := wording.Count(n, "files"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 KB", 36_700: "36.7 KB", 999_949: "999.9 KB", 999_951: "1.0 MB",
		3_400_000: "3.4 MB", 1 << 30: "1.1 GB", 5e12: "5.0 TB", 5e15: "5000.0 TB",
	} {
		if got := wording.Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 1, 31, 16, 4, 5, 999, time.FixedZone("", 3600))
	if got := wording.Time(at); got != "2026-01-31T15:04:05Z" {
		t.Errorf("Time = %q", got)
	}
	if got := wording.Time(time.Time{}); got != "" {
		t.Errorf("Time of no time = %q", got)
	}
	if got := wording.Minute(at); got != "2026-01-31 15:04" {
		t.Errorf("Minute = %q", got)
	}
	if got := wording.Seconds(1500 * time.Millisecond); got != "1.5 s" {
		t.Errorf("Seconds = %q", got)
	}
}

func TestList(t *testing.T) {
	words := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{2: "a, b, and 2 more", 3: "a, b, c, d", 4: "a, b, c, d"} {
		if got := wording.List(words, most); got != want {
			t.Errorf("List of at most %d = %q, want %q", most, got, want)
		}
	}
	for n, want := range map[int]string{0: "", 1: "a", 2: "a or b", 3: "a, b or c"} {
		if got := wording.Or(words[:n]); got != want {
			t.Errorf("Or of %d = %q, want %q", n, got, want)
		}
	}
}

func TestTilde(t *testing.T) {
	for path, want := range map[string]string{
		"/home/me/a/b": "~/a/b", "/home/me": "/home/me", "/home/mine": "/home/mine", "/etc": "/etc", "relative": "relative",
	} {
		if got := wording.Tilde(path, "/home/me"); got != want {
			t.Errorf("Tilde(%q) = %q, want %q", path, got, want)
		}
	}
	if got := wording.Tilde("/a", ""); got != "/a" {
		t.Errorf("Tilde without a home folder = %q", got)
	}
	for path, want := range map[string]string{"~": "/home/me", "~/a": "/home/me/a", "~you/a": "~you/a", "/a": "/a"} {
		if got := wording.ExpandTilde(path, "/home/me"); got != want {
			t.Errorf("ExpandTilde(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b-c_d.e": "/a/b-c_d.e", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "größe/検索": "größe/検索",
		"~/plain": "~/plain", "~/two words": "~/'two words'", "~/": "~/", "~user": "'~user'", "$HOME": "'$HOME'", "a~2": "a~2",
		"/plain/path_1.x": "/plain/path_1.x", "/two words": "'/two words'", "/it's": `'/it'\''s'`,
	} {
		if got := wording.ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}
