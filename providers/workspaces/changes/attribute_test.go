package changes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestList: who changed a file is known from the logs of sessions, from what ran then, or
// not at all.
func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)
	minute := func(n int) time.Time { return at.Add(time.Duration(n) * time.Minute) }
	file := func(name string, modified time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fstest.Must(t, os.WriteFile(path, nil, 0o600))
		fstest.Must(t, os.Chtimes(path, modified, modified))
	}
	wrote := func(name, by string, end time.Time) facts.Edit {
		return facts.Edit{By: "transcripts/" + by, Session: by, File: filepath.Join(dir, name), End: end}
	}
	read := func(name, by string, end time.Time) facts.Edit {
		d := wrote(name, by, end)
		d.Read = true
		return d
	}
	ran := func(command, by string, start, end time.Time) facts.Edit {
		return facts.Edit{By: by, Dir: dir, Command: command, Start: start, End: end}
	}
	file("own.go", minute(1).Add(-300*time.Millisecond))
	file("two.go", minute(5))
	file("after.go", minute(9))
	file("generated.go", minute(20).Add(30*time.Second))
	file("late.go", minute(21).Add(500*time.Millisecond))
	file("inner.go", minute(31))
	file("running.go", minute(50))
	file("sub/new.go", minute(3))
	file("new/deep/x.go", minute(4))
	file("new/y.go", minute(2))
	file("old.go", at.Add(-30*24*time.Hour))
	file("read.go", minute(45))
	fstest.Must(t, syscall.Mkfifo(filepath.Join(dir, "pipe\nx\ty"), 0o600))
	fstest.Must(t, os.Chtimes(filepath.Join(dir, "pipe\nx\ty"), minute(6), minute(6)))
	fstest.Must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "out")))
	lines := List(Options{
		Dir: dir, Since: at.Add(-time.Hour),
		Edits: []facts.Edit{
			wrote("own.go", "s1", minute(1).Truncate(time.Second)),
			wrote("two.go", "s1", minute(5).Add(-8*time.Second)), wrote("two.go", "s2", minute(5).Add(time.Second)),
			wrote("after.go", "s1", minute(8)),
			wrote("gone.go", "s1", minute(8)), wrote("../elsewhere.go", "s1", minute(8)), wrote("new/deep/x.go", "s2", minute(2)),
			read("read.go", "s1", minute(2)), read("generated.go", "s1", minute(2)), read("late.go", "s1", minute(2)), read("inner.go", "s1", minute(2)), read("old.go", "s1", minute(2)),
			ran("make gen", "terminals/t3.txt", minute(20), minute(21)),
			ran("git rm -f sub/removed.go", "terminals/t3.txt", minute(40), minute(40)), ran("cat deleted.go", "terminals/t3.txt", minute(41), minute(41)),
			ran("npm run dev", "terminals/t1.txt", minute(30), time.Time{}),
			{By: "transcripts/s2", Session: "s2", Dir: dir, Command: "sed -i s/a/b/ inner.go", Start: minute(31), End: minute(31).Add(time.Second)},
		},
		Uncommitted: []Uncommitted{{Path: "sub/new.go", Created: true}, {Path: "new/", Created: true}, {Path: "deleted.go", Deleted: true}, {Path: "sub/removed.go", Deleted: true}, {Path: "never there", Created: true}, {Path: "pipe\nx\ty", Created: true}},
	})
	var got []string
	for _, l := range lines {
		clock := "-"
		if !l.Time.IsZero() {
			clock = l.Time.Format("15:04")
		}
		got = append(got, fmt.Sprintf("%s %s %q by %s%s %s", clock, l.How, l.Path, l.By, l.Session, l.Command))
	}
	want := []string{ // running.go is not: nobody is known to have worked on it, and git does not list it
		`12:45 modified "read.go" by terminals/t1.txt npm run dev`,
		`12:40 deleted "sub/removed.go" by terminals/t3.txt git rm -f sub/removed.go`,
		`12:31 modified "inner.go" by transcripts/s2s2 sed -i s/a/b/ inner.go`,
		`12:21 modified "late.go" by terminals/t3.txt make gen`,
		`12:20 modified "generated.go" by terminals/t3.txt make gen`,
		`12:09 modified "after.go" by outside `,
		`12:06 created "pipe\nx\ty" by outside `,
		`12:05 modified "two.go" by transcripts/s2s2 `,
		`12:04 created "new/deep/x.go" by outside `,
		`12:03 created "sub/new.go" by outside `,
		`12:02 created "new/y.go" by outside `,
		`12:00 modified "own.go" by transcripts/s1s1 `,
		`- deleted "deleted.go" by  `,
	}
	fstest.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// TestListWithoutGit looks for files, but not without end.
func TestListWithoutGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Now().UTC().Truncate(time.Second)
	for _, name := range []string{"a", "sub/b", ".hidden/c", "node_modules/d", "old"} {
		path := filepath.Join(dir, name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fstest.Must(t, os.WriteFile(path, nil, 0o600))
	}
	fstest.Must(t, os.Chtimes(filepath.Join(dir, "old"), at.Add(-time.Hour), at.Add(-time.Hour)))
	fstest.Must(t, os.Symlink("..", filepath.Join(dir, "sub/up")))
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "many"), 0o700))
	for i := range maxLooked + 100 {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, "many", fmt.Sprint(i)), nil, 0o600))
	}
	o := Options{Dir: dir, Since: at.Add(-time.Minute), Walk: true, Edits: []facts.Edit{{By: "terminals/1.txt", Dir: dir, Command: "touch", Start: at.Add(-time.Second)}}}
	all := List(o)
	var paths []string
	for _, l := range all {
		paths = append(paths, l.Path)
		fstest.Equal(t, l.By, "terminals/1.txt", l)
	}
	if len(all) != maxListed || slices.Contains(paths, "old") || slices.Contains(paths, ".hidden/c") || slices.Contains(paths, "node_modules/d") {
		t.Errorf("%d: %q", len(all), paths)
	}
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "many")))
	paths = nil
	for _, l := range List(o) {
		paths = append(paths, l.Path)
	}
	slices.Sort(paths)
	fstest.EqualSlices(t, paths, []string{"a", "sub/b", "sub/up"})
	if o.Walk = false; len(List(o)) != 0 {
		t.Errorf("%+v", List(o))
	}
}

// TestTSV: one line for each change, whatever names and commands are made of.
func TestTSV(t *testing.T) {
	t.Parallel()
	got := TSV([]Line{
		{Time: time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC), How: "modified", By: "terminals/t3.txt", Command: "make\tgen\n\x1b[31m", Path: "a\nb\tc"},
		{How: "deleted", Path: "gone"},
		{How: "created", By: Outside, Path: "x"},
	})
	want := "time\thow\tby\tcommand\tsession\tpath\n" +
		"2026-05-12T12:00:00Z\tmodified\t../../terminals/t3.txt\tmake gen\t-\ta b c\n" +
		"-\tdeleted\t-\t-\t-\tgone\n" +
		"-\tcreated\toutside\t-\t-\tx\n"
	fstest.Equal(t, got, want)
}
