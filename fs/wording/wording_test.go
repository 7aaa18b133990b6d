package wording_test

import (
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/fs/wording"
)

func TestCount(t *testing.T) {
	if got := wording.Count(1, "memories") + ", " + wording.Count(2, "memories") + ", " + wording.Count(1, "processes"); got != "1 memory, 2 memories, 1 process" {
		t.Errorf("memories are counted as %q", got)
	}
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		fstest.Equal(t, wording.Count(n, "files"), want, "Count", n, ")")
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 KB", 36_700: "36.7 KB", 999_949: "999.9 KB", 999_951: "1.0 MB",
		3_400_000: "3.4 MB", 1 << 30: "1.1 GB", 5e12: "5.0 TB", 5e15: "5000.0 TB",
	} {
		fstest.Equal(t, wording.Size(n), want, n)
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 1, 31, 16, 4, 5, 999, time.FixedZone("", 3600))
	fstest.Equal(t, wording.Time(at), "2026-01-31T15:04:05Z", "Time")
	fstest.Equal(t, wording.Time(time.Time{}), "", "Time of no time")
	fstest.Equal(t, wording.Minute(at), "2026-01-31 15:04", "Minute")
	fstest.Equal(t, wording.Seconds(1500*time.Millisecond), "1.5 s", "Seconds")
}

func TestList(t *testing.T) {
	words := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{2: "a, b, and 2 more", 3: "a, b, c, d", 4: "a, b, c, d"} {
		fstest.Equal(t, wording.List(words, most), want, "List of at most", most)
	}
	for n, want := range map[int]string{0: "", 1: "a", 2: "a or b", 3: "a, b or c"} {
		fstest.Equal(t, wording.Or(words[:n]), want, "Or of", n)
	}
}

func TestTilde(t *testing.T) {
	for path, want := range map[string]string{
		"/home/me/a/b": "~/a/b", "/home/me": "/home/me", "/home/mine": "/home/mine", "/etc": "/etc", "relative": "relative",
	} {
		fstest.Equal(t, wording.Tilde(path, "/home/me"), want, "Tilde", path, ")")
	}
	fstest.Equal(t, wording.Tilde("/a", ""), "/a", "Tilde without a home folder")
	for path, want := range map[string]string{"~": "/home/me", "~/a": "/home/me/a", "~you/a": "~you/a", "/a": "/a"} {
		fstest.Equal(t, wording.ExpandTilde(path, "/home/me"), want, "ExpandTilde", path, ")")
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b-c_d.e": "/a/b-c_d.e", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "größe/検索": "größe/検索",
		"~/plain": "~/plain", "~/two words": "~/'two words'", "~/": "~/", "~user": "'~user'", "$HOME": "'$HOME'", "a~2": "a~2",
		"/plain/path_1.x": "/plain/path_1.x", "/two words": "'/two words'", "/it's": `'/it'\''s'`,
	} {
		fstest.Equal(t, wording.ShellWord(in), want, "ShellWord", in, ")")
	}
}
