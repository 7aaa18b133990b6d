package agents

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/setup/edit"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures")

// fixture is one file of testdata, AGENT[-CASE].txt: files in a home, what becomes of them,
// and the notes. A head line may say "project"; then the files are those of a project.
// A section "in PATH (crlf, bom, bare, folder)" is a file as it was: with these line ends, a
// byte order mark, no final newline; or a folder that is empty.
type fixture struct {
	agent    string
	project  bool
	sections []section
}

type section struct{ kind, path, options, text string }

func readFixture(t *testing.T, file string) (f fixture) {
	t.Helper()
	text, err := os.ReadFile(file)
	fstest.Must(t, err)
	name := strings.TrimSuffix(filepath.Base(file), ".txt")
	for _, a := range All() {
		if rest, ok := strings.CutPrefix(name, a.ID); ok && (rest == "" || rest[0] == '-') {
			f.agent = a.ID
		}
	}
	if f.agent == "" {
		t.Fatalf("%s: of which agent?", file)
	}
	for line := range strings.Lines(string(text)) {
		head, ok := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- ")
		if !ok || !strings.HasSuffix(line, " --\n") {
			if len(f.sections) > 0 {
				f.sections[len(f.sections)-1].text += line
			} else if strings.TrimSpace(line) == "project" {
				f.project = true
			}
			continue
		}
		s := section{}
		s.kind, s.path, _ = strings.Cut(head, " ")
		s.path, s.options, _ = strings.Cut(strings.TrimSuffix(s.path, ")"), " (")
		f.sections = append(f.sections, s)
	}
	return f
}

// bytes returns the section as the file was.
func (s section) bytes() []byte {
	text := s.text
	if strings.Contains(s.options, "bare") {
		text = strings.TrimSuffix(text, "\n")
	}
	if strings.Contains(s.options, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.Contains(s.options, "bom") {
		text = "\xef\xbb\xbf" + text
	}
	return []byte(text)
}

// find returns the agent of that id.
func find(t *testing.T, id string) Agent {
	t.Helper()
	all := All()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		t.Fatalf("there is no agent %q", id)
	}
	return all[i]
}

// write replaces a file; nil removes it.
func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if text == nil {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return
	}
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fstest.Must(t, os.WriteFile(path, text, 0o644))
}

// read returns a file, or nil if there is none.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return text
}

// TestChanges: files as users have them come out as the fixtures say. Done twice they are
// the same; taken back they are what they were, to the byte; and after an edit by somebody
// else only what is ours goes.
func TestChanges(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	covered := make(map[string]bool)
	for _, file := range files {
		f := readFixture(t, file)
		covered[f.agent] = true
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { f.run(t, file) })
	}
	for _, a := range All() {
		if !covered[a.ID] {
			t.Errorf("%s has no fixture", a.ID)
		}
	}
}

func (f fixture) run(t *testing.T, file string) {
	home := t.TempDir()
	env := map[string]string{}
	m := Machine{
		Home: home, OS: "linux", Program: "/usr/local/bin/ctxfs", Mount: filepath.Join(home, ".agentctx"),
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
	root, o := home, Options{}
	if f.project {
		root = filepath.Join(home, "src", "shop")
		o.Project = root
	}
	given := make(map[string][]byte)
	for _, s := range f.sections {
		switch path := filepath.Join(root, s.path); {
		case s.kind == "in" && strings.Contains(s.options, "folder"):
			fstest.Must(t, os.MkdirAll(path, 0o755))
		case s.kind == "in":
			given[path] = bytes.ReplaceAll(s.bytes(), []byte("/home/ada"), []byte(home))
			write(t, path, given[path])
		}
	}
	plain := func(text string) string { return strings.ReplaceAll(text, home, "/home/ada") }

	changes, notes := find(t, f.agent).Changes(m, o)
	var out []section
	undo := make(map[string][]edit.Edit)
	for _, c := range changes {
		if c.Why == "" || !filepath.IsAbs(c.Path) || undo[c.Path] != nil {
			t.Errorf("not one change with a reason: %+v", c)
		}
		rel, err := filepath.Rel(root, c.Path)
		if err != nil || !filepath.IsLocal(rel) {
			t.Errorf("%s is outside %s", c.Path, root)
		}
		after, done, err := edit.Apply(read(t, c.Path), c.Edits)
		if err != nil {
			out = append(out, section{kind: "error", path: rel, text: plain(err.Error()) + "\n"})
			continue
		}
		undo[c.Path] = done
		write(t, c.Path, after)
		out = append(out, section{kind: "out", path: rel, text: plain(shown(after))})
		if f.project && (bytes.Contains(after, []byte(m.Program)) || bytes.Contains(after, []byte(home))) {
			t.Errorf("%s names the machine:\n%s", rel, after)
		}
	}
	out = append(out, section{kind: "notes", text: plain(strings.Join(notes, "\n") + "\n")})
	f.compare(t, file, out)

	again, _ := find(t, f.agent).Changes(m, o)
	if !reflect.DeepEqual(changes, again) {
		t.Errorf("a second time something else is wanted:\n%+v\nnot\n%+v", again, changes)
	}
	for _, c := range again {
		now := read(t, c.Path)
		if after, _, err := edit.Apply(now, c.Edits); err == nil && !bytes.Equal(after, now) {
			t.Errorf("a second time changes %s:\n%s", c.Path, after)
		}
	}

	for path, done := range undo {
		ours := read(t, path)
		if back, err := edit.Revert(ours, done); err != nil || !bytes.Equal(back, given[path]) || (back == nil) != (given[path] == nil) {
			t.Errorf("%s is not as it was: %v\n%q\n%q", path, err, back, given[path])
		}
		edited, mine := foreign(ours)
		back, err := edit.Revert(edited, done)
		if err != nil || !bytes.Contains(back, []byte(mine)) {
			t.Errorf("%s: an edit made meanwhile is lost: %v\n%s", path, err, back)
		}
		if bytes.Contains(back, []byte(m.Program)) && !bytes.Contains(given[path], []byte(m.Program)) && !wholly(done) {
			t.Errorf("%s: something of ours is left:\n%s", path, back)
		}
	}
}

// shown returns a text with its line ends and the lack of one as they are read in a fixture.
func shown(text []byte) string {
	s := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r", "<cr>"), "\xef\xbb\xbf", "<bom>")
	if !strings.HasSuffix(s, "\n") {
		s += "<no newline>\n"
	}
	return s
}

// wholly reports whether the edits are of a file that is ours as a whole.
func wholly(done []edit.Edit) bool { return len(done) == 1 && done[0].Kind == edit.File(nil).Kind }

// foreign returns a text as somebody else has edited it, and what is to be in it afterwards.
func foreign(text []byte) (edited []byte, mine string) {
	mine = "added by somebody else"
	if v, err := jsonc.Parse(text); err == nil && len(v.Members) > 0 {
		i := bytes.IndexByte(text, '{')
		return slices.Concat(text[:i+1], []byte(fmt.Sprintf("\n  %q: [1, 2],", mine)), text[i+1:]), mine
	}
	return slices.Concat([]byte(mine+"\n"), text), mine
}

// compare compares what came out with the fixture, or replaces that.
func (f fixture) compare(t *testing.T, file string, out []section) {
	t.Helper()
	var got, want strings.Builder
	for _, s := range out {
		got.WriteString(strings.TrimSpace("-- "+s.kind+" "+s.path) + " --\n" + s.text)
	}
	for _, s := range f.sections {
		if s.kind != "in" {
			want.WriteString(strings.TrimSpace("-- "+s.kind+" "+s.path) + " --\n" + s.text)
		}
	}
	if got.String() == want.String() {
		return
	}
	if !*update {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want.String())
		return
	}
	text, err := os.ReadFile(file)
	fstest.Must(t, err)
	head := strings.TrimSuffix(string(text), want.String())
	fstest.Must(t, os.WriteFile(file, []byte(head+got.String()), 0o644))
}

// TestValid: what is new where nothing was before is what the agents' parsers take.
func TestValid(t *testing.T) {
	for _, project := range []bool{false, true} {
		for _, a := range All() {
			home := t.TempDir()
			m := Machine{Home: home, OS: "linux", Program: "/opt/it's here/ctxfs", Mount: filepath.Join(home, ".agentctx"), LookupEnv: func(string) (string, bool) { return "", false }}
			o := Options{}
			if project {
				o.Project = filepath.Join(home, "p")
			}
			changes, _ := a.Changes(m, o)
			for _, c := range changes {
				after, _, err := edit.Apply(nil, c.Edits)
				if err != nil {
					t.Errorf("%s: %s: %v", a.ID, c.Path, err)
				} else if filepath.Ext(c.Path) == ".json" && !json.Valid(after) {
					t.Errorf("%s: %s is no JSON:\n%s", a.ID, c.Path, after)
				}
			}
		}
	}
}
