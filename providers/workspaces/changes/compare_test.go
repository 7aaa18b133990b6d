package changes

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestByTime: where the text that was seen is not known, the time of a file decides.
func TestByTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(2026, 5, 12, 1, 2, 27, 0, time.UTC)
	file := filepath.Join(dir, "file")
	fstest.Must(t, os.WriteFile(file, nil, 0o600))
	fstest.Must(t, os.Symlink("file", filepath.Join(dir, "link")))
	fstest.Must(t, os.Symlink("nothing", filepath.Join(dir, "dangling")))
	fstest.Must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for _, c := range []struct {
		what, path string
		seen, last time.Duration // after the file was changed; -1 for not known
		compared   bool
		state      State
		words      string
	}{
		{"seen later", file, time.Hour, 0, true, Same, ""},
		{"seen in the same second", file, -900 * time.Millisecond, 0, true, Same, ""},
		{"changed since", file, -2 * time.Second, 0, true, Changed, "is not known"},
		{"a link", filepath.Join(dir, "link"), -2 * time.Second, 0, true, Changed, "is not known"},
		{"seen at an unknown time", file, -1, time.Hour, true, Same, ""},
		{"changed after the end", file, -1, -time.Hour, true, Changed, "is not known"},
		{"deleted", filepath.Join(dir, "gone"), time.Hour, 0, true, Deleted, ""},
		{"a link to what is deleted", filepath.Join(dir, "dangling"), time.Hour, 0, true, Deleted, ""},
		{"below what is a file now", filepath.Join(file, "x"), time.Hour, 0, true, Deleted, ""},
		{"a folder", dir, -2 * time.Hour, 0, false, Same, ""},
		{"of another machine", `C:\x\y`, time.Hour, 0, true, Unknown, "no path of this machine"},
		{"not to be looked at", filepath.Join(dir, "loop"), time.Hour, 0, true, Unknown, "too many levels"},
	} {
		changed := at.Add(950 * time.Millisecond)
		fstest.Must(t, os.Chtimes(file, changed, changed))
		s := facts.Read{File: c.path}
		if c.seen != -1 {
			s.Time = changed.Add(c.seen)
		}
		got, compared := Compare(s, changed.Add(c.last))
		if compared != c.compared || compared && (got.State != c.state || !strings.Contains(got.Why, c.words) || got.State == Changed != got.Outdated() && c.state != Deleted || c.state == Changed && !got.Modified.Equal(changed)) {
			t.Errorf("%s: %v, %+v", c.what, compared, got)
		}
	}
}

// TestByText: where it is known, the text decides.
func TestByText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	seen := time.Date(2026, 5, 12, 1, 2, 27, 500e6, time.UTC)
	whole := func(text string) facts.Read {
		return facts.Read{Whole: true, Parts: []facts.ReadPart{{Line: 1, Text: text}}}
	}
	piece := func(line int, text string) facts.Read {
		return facts.Read{Parts: []facts.ReadPart{{Line: line, Text: text}}}
	}
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq0123456789abcdefghij\n", 8) + "-----END RSA PRIVATE KEY-----\n"
	for _, c := range []struct {
		what     string
		reading  facts.Read
		text     string
		modified time.Duration // after it was seen
		state    State
		outdated bool
		why      string
		diff     string // is in it; "-" for none
	}{
		{"touched", whole("a\nb\n"), "a\nb\n", time.Hour, Same, false, "", "-"},
		{"other line ends and no end of the last line", whole("a\nb\n"), "\ufeffa\r\nb", time.Hour, Same, false, "", "-"},
		{"changed", whole("a\nb\n"), "a\nc\n", time.Hour, Changed, true, "", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"emptied", whole("a\n"), "", time.Hour, Changed, true, "", "-a\n"},
		{"written by itself, in the same second", whole("a\n"), "a\n", 100 * time.Millisecond, Same, false, "", "-"},
		{"changed by another in the same second", whole("a\n"), "b\n", 100 * time.Millisecond, Changed, true, "", "-a\n+b\n"},
		{"formatted while the call ran", whole("a\n"), "b\n", -100 * time.Millisecond, Same, false, "", "-"},
		{"replaced by an older file", whole("a\n"), "b\n", -time.Hour, Changed, true, "", "-a\n+b\n"},
		{"the part that was seen is as it was", piece(2, "b\nc\n"), "new\na\nb\nc\nd\n", time.Hour, Changed, false, "not in the lines", "-"},
		{"the part that was seen has changed", piece(2, "b\nc\nd\n"), "new\na\nb\nC\nd\n", time.Hour, Changed, true, "", "@@ -2,3 +3,3 @@\n b\n-c\n+C\n d\n"},
		{"binary by now", whole("a\n"), "a\x00\n", time.Hour, Changed, true, "it is binary", "-"},
		{"too large by now", whole("a\n"), strings.Repeat("x", maxFile+1), time.Hour, Changed, true, "too large", "-"},
		{"a secret", whole("a\n"), "token = " + secret + "\n", time.Hour, Changed, true, "", "+token = "},
		{"another secret", whole("token = " + strings.Replace(secret, "0123", "9876", 1) + "\n"), "token = " + secret + "\n", time.Hour, Changed, true, "in secrets", "-"},
		{"a key", whole("a\n"), "a\n" + key, time.Hour, Changed, true, "", "+"},
		{"another encoding", whole("a\n"), "\xe4\n", time.Hour, Changed, true, "not in UTF-8", "-"},
		{"a terminal's escapes", whole("a\n"), "\x1b[31mred\n", time.Hour, Changed, true, "", "red"},
		{"a difference without end", whole("a\n"), strings.Repeat("x\n", maxDiff), time.Hour, Changed, true, "", "[the difference goes on: read the file]\n"},
	} {
		fstest.Must(t, os.WriteFile(file, []byte(c.text), 0o600))
		at := seen.Add(c.modified)
		fstest.Must(t, os.Chtimes(file, at, at))
		c.reading.File, c.reading.Time = file, seen
		got, _ := Compare(c.reading, time.Time{})
		if got.State != c.state || got.Outdated() != c.outdated || !strings.Contains(got.Why, c.why) || !NeedsText(c.reading, time.Time{}) && c.state != Same {
			t.Errorf("%s: %+v", c.what, got)
		}
		if c.diff == "-" && got.Diff != "" || c.diff != "-" && !strings.Contains(got.Diff, c.diff) || strings.Contains(got.Diff, secret) || strings.Contains(got.Diff, "MIIE") || strings.Contains(got.Diff, "\x1b") || len(got.Diff) > maxDiff+100 {
			t.Errorf("%s:\n%s", c.what, got.Diff)
		}
	}
	fstest.Must(t, os.WriteFile(file+"2", []byte("elsewhere\n"), 0o600))
	link := whole("a\n")
	link.File, link.Time = file+"-link", time.Unix(1, 0)
	fstest.Must(t, os.Symlink(file+"2", link.File))
	if got, _ := Compare(link, seen); got.State != Changed || got.Diff != "" || !strings.Contains(got.Why, "a link to") {
		t.Errorf("a link that leads elsewhere: %+v", got)
	}
	fstest.Must(t, os.Remove(file))
	if got, _ := Compare(facts.Read{File: file, Gone: true, Time: seen}, seen); got.State != Same {
		t.Errorf("the session deleted it itself: %+v", got)
	}
	fstest.Must(t, os.WriteFile(file, nil, 0o600))
	if got, _ := Compare(facts.Read{File: file, Gone: true, Time: seen}, seen); got.State != Changed || got.Why == "" || got.ByTime {
		t.Errorf("it is there again: %+v", got)
	}
}

// TestHostileFiles: nothing but regular files is opened, and nothing waits.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe\nchanged  2026"), filepath.Join(dir, "link")
	fstest.Must(t, syscall.Mkfifo(pipe, 0o600))
	fstest.Must(t, os.Symlink(pipe, link))
	for _, path := range []string{pipe, link, "/dev/null", "/dev/zero"} {
		got, compared := Compare(facts.Read{File: path, Time: time.Unix(1, 0), Whole: true, Parts: []facts.ReadPart{{Line: 1, Text: "a\n"}}}, time.Time{})
		if !compared || got.State != Changed || !strings.Contains(got.Why, "no regular file") || got.Diff != "" {
			t.Errorf("%q: %+v", path, got)
		}
		fstest.ContainsNot(t, got.Line(path), "\n")
	}
}
