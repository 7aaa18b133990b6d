package sessions

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/cli"
)

func TestReadSeen(t *testing.T) {
	t.Parallel()
	const head = "path\tfirst\tlast\treads\twrites\thow\tseen\n"
	at := time.Date(2026, 5, 12, 1, 2, 27, 0, time.UTC)
	for _, c := range []struct {
		table string
		want  []seenFile
		fault string
	}{
		{table: head},
		{table: head + "/a b\t-\t-\t1\t0\tRead\t-\n/c\tx\tx\t0\t1\tWrite,Edit\t2026-05-12T01:02:27Z\n", want: []seenFile{{path: "/a b"}, {"/c", at}}},
		{table: "seen\tmore\tpath\n2026-05-12T01:02:27Z\t\t/c\n", want: []seenFile{{"/c", at}}},
		{table: "", fault: "no columns path and seen"},
		{table: head + "/a\t1\n", fault: "line 2 of files.tsv has 2 columns, not 7"},
		{table: head + "/a\t-\t-\t1\t0\tRead\tyesterday\n", fault: "line 2 of files.tsv"},
	} {
		got, err := readSeen(c.table)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, %v", c.table, got, err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, %v", c.table, got, err)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := &cli.App{}
	a.Home = dir
	at := time.Date(2026, 5, 12, 1, 2, 27, 0, time.UTC)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Symlink("file", filepath.Join(dir, "link")))
	must(t, os.Symlink("nothing", filepath.Join(dir, "dangling")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for _, c := range []struct {
		what, path   string
		seen, last   time.Duration // after the file was changed; -1 for not known
		compared     bool
		state, words string
	}{
		{"seen later", file, time.Hour, 0, true, "", ""},
		{"seen in the same second", file, -900 * time.Millisecond, 0, true, "", ""},
		{"changed since", file, -2 * time.Second, 0, true, "changed", ""},
		{"a link", filepath.Join(dir, "link"), -2 * time.Second, 0, true, "changed", ""},
		{"of the home folder", "~/file", -2 * time.Second, 0, true, "changed", ""},
		{"seen at an unknown time", file, -1, time.Hour, true, "", ""},
		{"changed after the end", file, -1, -time.Hour, true, "changed", ""},
		{"deleted", filepath.Join(dir, "gone"), time.Hour, 0, true, "deleted", ""},
		{"a link to what is deleted", filepath.Join(dir, "dangling"), time.Hour, 0, true, "deleted", ""},
		{"below what is a file now", filepath.Join(file, "x"), time.Hour, 0, true, "deleted", ""},
		{"a folder", dir, -2 * time.Hour, 0, false, "", ""},
		{"of another machine", `C:\x\y`, time.Hour, 0, true, "unknown", "no path of this machine"},
		{"not to be looked at", filepath.Join(dir, "loop"), time.Hour, 0, true, "unknown", "too many levels"},
	} {
		changed := at.Add(950 * time.Millisecond)
		must(t, os.Chtimes(file, changed, changed))
		f := seenFile{path: c.path}
		if c.seen != -1 {
			f.at = changed.Add(c.seen)
		}
		compared, as := compare(a, f, changed.Add(c.last))
		if compared != c.compared || (as != nil) != (c.state != "") || as != nil && (as.State != c.state || !strings.Contains(as.Why, c.words) || as.State == "changed" != as.Modified.Equal(changed)) {
			t.Errorf("%s: %v, %+v", c.what, compared, as)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
