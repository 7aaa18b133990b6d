package results

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var issues = Origin{Source: "call", Server: "git hub", Tool: "list.issues"}

func TestSave(t *testing.T) {
	f := start(t, stateDir(t))
	saved := f.save(issues, "", "one\ntwo\nthree")
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.git_hub\.list_issues\.[a-z0-9]{5}\.txt$`).MatchString(saved.Name) {
		t.Errorf("name %q", saved.Name)
	}
	if saved.Bytes != 13 || saved.Lines != 3 || saved.Path != filepath.Join(f.dir, saved.Name) {
		t.Errorf("%+v", saved)
	}
	if got, err := os.ReadFile(saved.Path); err != nil || string(got) != "one\ntwo\nthree" {
		t.Errorf("on disk %q, %v", got, err)
	}
	// It is in the tree when Save returns, and announced after that.
	fstest.Equal(t, f.read(saved.Name), "one\ntwo\nthree", "tree")
	rows := f.rows()
	if len(rows) != 1 || !slices.Equal(rows[0][1:], []string{"call", "git hub", "list.issues", "13", "3", saved.Name}) {
		t.Errorf("index %q", rows)
	}
	if at, err := time.Parse(time.RFC3339, rows[0][0]); err != nil || time.Since(at) > time.Minute || len(rows[0][0]) != len("2026-11-21T04:01:02.000Z") {
		t.Errorf("time %q", rows[0][0])
	}
	told := map[string]bool{}
	fstest.Settles(t, f, "both are told", func() bool {
		for len(f.changes) > 0 {
			told[<-f.changes] = true
		}
		return told[saved.Name] && told[indexName]
	})
	s := f.Status()
	if s.State != "ready" || s.Summary != "1 result, 13 bytes" || len(s.Problems) > 0 || s.Since.IsZero() {
		t.Errorf("status %+v", s)
	}
	matches, err := f.Search(t.Context(), "list.issues", "", 10)
	fstest.Must(t, err)
	for _, m := range matches.Matches {
		if m.Path != saved.Name || !strings.HasPrefix(m.Title, "git/hub/list.issues") || !strings.Contains(m.Why, "list.issues") {
			t.Errorf("match %+v", m)
		}
	}
	fstest.Check(t, f.tree, fstest.Expect(indexName, saved.Name))
}

func TestModes(t *testing.T) {
	f := start(t, stateDir(t))
	saved := f.save(issues, "png", "\x89PNG\x00")
	err := filepath.WalkDir(f.dir, func(path string, _ os.DirEntry, _ error) error {
		info, err := os.Lstat(path)
		fstest.Must(t, err)
		fstest.Equal(t, map[bool]os.FileMode{true: 0o700, false: 0o600}[info.IsDir()], info.Mode().Perm(), path, info.Mode())
		return nil
	})
	fstest.Must(t, err)
	if got := f.read(saved.Name); got != "\x89PNG\x00" || !strings.HasSuffix(saved.Name, ".png") {
		t.Errorf("%s holds %q", saved.Name, got)
	}
}

func TestNothingYet(t *testing.T) {
	f := start(t, stateDir(t))
	fstest.Equal(t, f.read(indexName), columns+noneLine, "index")
	if s := f.Status(); s.State != "empty" || len(s.Problems) > 0 {
		t.Errorf("status %+v", s)
	}
	if _, err := os.Lstat(f.dir); err == nil {
		t.Error("looking has made the folder")
	}
	fstest.Check(t, f.tree, fstest.Expect(indexName))
}

// TestNewestFirst also has origins without a server and with names that do not
// fit into a table.
func TestNewestFirst(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 1, 2, 345e6, time.UTC))
	f := start(t, stateDir(t), at(c))
	first := f.save(Origin{Source: "run", Tool: "npm run\ttest\n\x1b[31m"}, "", "x\n")
	c.move(time.Millisecond)
	second := f.save(Origin{"call", strings.Repeat("long", 200), "t"}, "", "y\n")
	rows := f.rows()
	if len(rows) != 2 || rows[0][6] != second.Name || rows[1][6] != first.Name || len(rows[0][2]) > cellLen ||
		!slices.Equal(rows[1][:6], []string{"2026-11-21T04:01:02.345Z", "run", "", "npm run test", "2", "1"}) {
		t.Errorf("index %q", rows)
	}
	if !strings.HasPrefix(first.Name, "2026-11-21T04-01-02Z.run.npm_run_test_") || len(second.Name) > 240 {
		t.Errorf("names %q, %q", first.Name, second.Name)
	}
	if info, err := os.Stat(first.Path); err != nil || !info.ModTime().Equal(c.now().Add(-time.Millisecond)) {
		t.Errorf("modified %v, %v", info.ModTime(), err)
	}
}

// TestAllIsThereAgain after a restart, whatever has become of the journal.
func TestAllIsThereAgain(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	for range 20 {
		f.save(issues, "", "some\ntext\n")
	}
	index, attr := f.read(indexName), f.attr(indexName)
	fstest.Must(t, f.Close())
	again := start(t, dir)
	fstest.Equal(t, again.read(indexName), index, "index")
	if got := again.attr(indexName); got.Version != attr.Version {
		t.Errorf("version %d became %d", attr.Version, got.Version)
	}

	journal := filepath.Join(dir, ownFolder, "journal")
	text, err := os.ReadFile(journal)
	fstest.Must(t, err)
	torn := append([]byte("garbage\n2026-11-21T04-"), text[len(text)/2:]...)
	fstest.Must(t, os.WriteFile(journal, torn, 0o600))
	half := start(t, dir)
	half.counted()
	if got := half.rows(); len(got) != 20 || !allOf(got, func(row []string) bool { return row[4] == "10" && row[5] == "2" }) {
		t.Errorf("with half a journal:\n%q", got)
	}
	fstest.Must(t, os.Remove(journal))
	bare := start(t, dir)
	bare.counted()
	if got := bare.rows(); len(got) != 20 || !allOf(got, func(row []string) bool {
		return slices.Equal(row[1:6], []string{"", "git_hub", "list_issues", "10", "2"}) && strings.HasSuffix(row[0], ".000Z")
	}) {
		t.Errorf("without a journal:\n%q", got)
	}
	fstest.Check(t, bare.tree, fstest.Expect(indexName))
}

func allOf(rows [][]string, holds func([]string) bool) bool {
	return !slices.ContainsFunc(rows, func(row []string) bool { return !holds(row) })
}

func (f *fixture) attr(path string) fs.Attr {
	f.t.Helper()
	n, err := f.tree.Resolve(f.t.Context(), path)
	fstest.Must(f.t, err)
	a, err := f.tree.Stat(f.t.Context(), n)
	fstest.Must(f.t, err)
	return a
}

// TestAnotherProcess saves, deletes and changes files.
func TestAnotherProcess(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	other := Open(StoreOptions{Dir: dir, Now: time.Now, Log: discard()})
	saved, err := other.Save(issues, "", []byte("from elsewhere\n"))
	fstest.Must(t, err)
	fstest.Settles(t, f, "it is there", func() bool { return f.has(saved.Name) && len(f.rows()) == 1 })
	if row := f.rows()[0]; row[2] != "git hub" || row[5] != "1" {
		t.Errorf("row %q", row)
	}
	if a := f.attr(saved.Name); a.Live {
		t.Error("it is watched and live")
	}
	before := f.attr(indexName)
	fstest.Must(t, os.WriteFile(saved.Path, []byte("changed\nby hand\n"), 0o600))
	fstest.Settles(t, f, "the change is there", func() bool { return f.rows()[0][4] == "16" && f.rows()[0][5] == "2" })
	if now := f.attr(indexName); now.Version == before.Version || !now.ModTime.After(before.ModTime) {
		t.Errorf("the index was %+v and is %+v", before, now)
	}
	fstest.Must(t, os.Remove(saved.Path))
	fstest.Settles(t, f, "it is gone", func() bool { return len(f.names()) == 0 && f.Status().State == "empty" })

	for _, name := range []string{"notes.txt", "2026-11-21T04-01-02Z.a.b.txt", "2026-13-41T04-01-02Z.a.b.abcde.txt", "2026-11-21T04-01-02Z.a.b.ABCDE.txt"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("not ours"), 0o600))
	}
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "2026-11-21T04-01-02Z.a.b.abcde.txt"), 0o700))
	last, err := other.Save(issues, "", []byte("x"))
	fstest.Must(t, err)
	fstest.Settles(t, f, "only ours is there", func() bool { return slices.Equal(f.names(), []string{last.Name}) })
	fstest.Must(t, os.RemoveAll(dir))
	fstest.Settles(t, f, "all is gone", func() bool { return len(f.names()) == 0 })
	again := f.save(issues, "", "x")
	fstest.Equal(t, f.read(again.Name), "x", "after the folder was deleted")
	fstest.Settles(t, f, "it is watched again", func() bool { return !f.attr(again.Name).Live })
}

func TestWithoutAWatch(t *testing.T) {
	dir := stateDir(t)
	c := newClock(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	_, err := Open(StoreOptions{Dir: dir, Now: c.now, Log: discard()}).Save(issues, "", []byte("very old\n"))
	fstest.Must(t, err)
	f := start(t, dir, offline)
	if names := f.names(); len(names) != 1 || !f.attr(names[0]).Live {
		t.Errorf("%q: nothing is watched, and not all is there and live", names)
	}
}

func TestDraft(t *testing.T) {
	f := start(t, stateDir(t))
	d, err := f.Store().Create(issues, "txt")
	fstest.Must(t, err)
	for range 1000 {
		_, err = d.Write(bytes.Repeat([]byte("x"), 99))
		fstest.Must(t, err)
		_, err = d.Write([]byte("\n"))
		fstest.Must(t, err)
	}
	if len(f.names()) != 0 || len(onDisk(t, f.dir)) != 0 {
		t.Error("a draft is seen")
	}
	saved, err := d.Commit()
	if err != nil || saved.Bytes != 100_000 || saved.Lines != 1000 || !f.has(saved.Name) {
		t.Errorf("%+v, %v", saved, err)
	}
	d.Abandon()
	if _, err := d.Commit(); err == nil {
		t.Error("a draft was committed twice")
	}
	if _, err := d.Write([]byte("x")); err == nil {
		t.Error("a draft takes more after Commit")
	}
	d, err = f.Store().Create(issues, "txt")
	fstest.Must(t, err)
	d.Abandon()
	fstest.EqualSlices(t, onDisk(t, filepath.Join(f.dir, ownFolder)), []string{"journal", "lock"}, "left")
	if !f.has(saved.Name) {
		t.Error("Abandon after Commit has deleted the result")
	}
	for _, ext := range []string{"", "../x", "TXT", "a.b", strings.Repeat("x", 11)} {
		if _, err := f.Store().Create(issues, ext); err == nil {
			t.Errorf("ending %q", ext)
		}
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	dir := stateDir(t)
	fstest.Must(t, os.WriteFile(dir, []byte("a file"), 0o600))
	f := start(t, dir)
	_, err := f.Store().Save(issues, "", []byte("x"))
	if err == nil || !strings.Contains(err.Error(), "results cannot be kept in "+dir+": not a directory; to fix it: ") {
		t.Errorf("error %v", err)
	}
	if s := f.Status(); s.State != "degraded" || len(s.Problems) == 0 || s.Problems[0].Mend == "" {
		t.Errorf("status %+v", s)
	}
	fstest.Must(t, os.Remove(dir))
	f.save(issues, "", "x")
	fstest.Settles(t, f, "all is well again", func() bool { return f.Status().State == "ready" })
}

// TestResultsHaveNoSecrets saves texts of every form with secrets: the files
// have none, and JSON stays JSON.
func TestResultsHaveNoSecrets(t *testing.T) {
	f := start(t, stateDir(t))
	for ext, texts := range map[string][]string{
		"": {
			"line\nDB_PASSWORD=res-pw-1\nmysql -pres-pw-1\n", `{"a": {"password": "res-pw-1", "api_key": 12345678901234}}`,
			"{\"password\": \"res-pw-1\"}\n{\"b\": 2}\n",
		},
		"json": {`{"text": "{\"password\": \"res-pw-1\"}"}`}, "txt": {"SECRET_KEY=res-pw-1\n"},
	} {
		for _, text := range texts {
			saved := f.save(Origin{Source: "call", Server: "s", Tool: "t"}, ext, text)
			body, err := os.ReadFile(saved.Path)
			fstest.Must(t, err)
			if strings.Contains(string(body), "res-pw-1") || strings.Contains(string(body), "12345678901234") || !strings.Contains(string(body), "[REDACTED:") {
				t.Errorf("%s: %s", saved.Name, body)
			}
			if filepath.Ext(saved.Name) == ".json" && !json.Valid(body) {
				t.Errorf("no JSON: %s", body)
			}
			fstest.Equal(t, saved.Bytes, int64(len(body)), len(body), "bytes, told")
		}
	}
}
