package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	foreign "ctxfs/providers/internal/names"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/catalogue"
)

// anyPi is Pi with logs whose id is in the content only.
func anyPi(o *Options) {
	for _, a := range agents.All() {
		if a.Name != "pi" {
			continue
		}
		places := a.Places
		a.Places = func(m history.Machine) []history.Place {
			pl := places(m)[0]
			file := pl.File
			pl.File = func(rel string) history.Format {
				if !strings.HasSuffix(rel, ".jsonl") {
					return nil
				}
				log := file("x_x.jsonl").(history.Log)
				log.ID = ""
				return log
			}
			return []history.Place{pl}
		}
		o.Agents = []history.Agent{a}
	}
}

// TestLogsThatAreNone: anything that lies where a log is expected affects only itself.
func TestLogsThatAreNone(t *testing.T) {
	home := tempHome(t)
	piSession(t, home, oneID).user("all is well")
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	for name, text := range map[string]string{
		"empty": "", "torn": `{"type":"session","ver`, "binary": "\x00\x01\xff\xfe\n\x00\n\xff", "spaces": "  \n\n\t\n",
		"list": "[]\n", "number": "1\n", "deep": strings.Repeat(`{"a":`, 5000) + "\n", "null": "null\n",
		"unended": `{"type":"session","id":"unended","cwd":"/x"}`,
	} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o644))
	}
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o755))
	fstest.Must(t, os.Symlink("unended.jsonl", filepath.Join(dir, "link.jsonl")))
	fstest.Must(t, os.Symlink("/proc/none", filepath.Join(dir, "nowhere.jsonl")))
	f := start(t, home, anyPi)
	fstest.Contains(t, f.transcript(oneID), "\nall is well\n")
	fstest.Check(t, f.tree, fstest.Expect("INDEX.tsv"))
	fstest.Equal(t, f.transcript("empty"), "", "nothing")
	fstest.Equal(t, len(f.catalogue.Find("unended")), 1, "log and a link")
	for _, name := range []string{"torn", "empty"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(`{"type":"session","id":"`+name+`","cwd":"/y"}`+"\n"+`{"type":"message","id":"1","message":{"role":"user","content":"`+name+` no more"}}`+"\n"), 0o644))
		f.await(name+" is a session now", func() bool { return strings.Contains(f.transcript(name), name+" no more") })
	}
	// The file becomes a folder, and the folder a file.
	fstest.Must(t, os.Remove(filepath.Join(dir, "torn.jsonl")))
	fstest.Must(t, os.MkdirAll(filepath.Join(dir, "torn.jsonl"), 0o755))
	f.await("torn is gone", func() bool { return !f.exists(catalogue.ByID + "/torn") })
	fstest.Must(t, os.Remove(filepath.Join(dir, "folder.jsonl")))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "folder.jsonl"), []byte(`{"type":"session","id":"folder","cwd":"/y"}`+"\n"), 0o644))
	f.await("the folder is a session", func() bool { return f.exists(catalogue.ByID + "/folder") })
}

// TestLongLines: a line of a megabyte is shown whole, one longer than the limit as a
// note, and both only once they have ended.
func TestLongLines(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("before")
	s.call("call-1", "bash", strings.Repeat("0123456789abcde\n", 1<<16), map[string]any{"command": "cat"})
	f := start(t, home)
	results := f.names(catalogue.ByID + "/" + oneID + "/results")
	if len(results) != 1 || len(f.read(catalogue.ByID+"/"+oneID+"/results/"+results[0])) != 1<<20 {
		t.Errorf("the result of a megabyte: %q", results)
	}
	before := f.transcript(oneID)
	long := s.line("user", textBlock(strings.Repeat("x", 70<<20)))
	s.raw(long[:66<<20])
	f.await("the log is looked at", func() bool {
		v, _ := f.catalogue.View(f.catalogue.Find(oneID)[0])
		return v.Source.Stat.Size > 66<<20 && !v.Behind
	})
	if got := f.transcript(oneID); got != before {
		t.Errorf("half of a line is told: %s", got[len(before):])
	}
	s.raw(long[66<<20:])
	s.user("after")
	f.await("what follows is told", func() bool { return strings.Contains(f.transcript(oneID), "\nafter\n") })
	if got := f.transcript(oneID)[len(before):]; count(got, "too_long_to_be_read") != 1 || len(got) > 1000 {
		t.Errorf("of the long line is told %.2000s", got)
	}
}

// TestForeignNames: any id and title gives a safe name.
func TestForeignNames(t *testing.T) {
	home := tempHome(t)
	ids := []string{
		"..", ".", "a/b", "a_b", "../../../etc/passwd", "\x1b[31mred", "\u202egpj.exe", "tag\U000e0041\U000e0042", "new\nline", "tab\tid",
		strings.Repeat("long", 200), "ünïcödé", "\xff\xfe", "CON", "11111111-aaaa", "11111111-bbbb", "INDEX.tsv", "by-id", "README.md",
	}
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	for i, id := range ids {
		quoted := fmt.Sprintf("%q", id)
		quoted = strings.NewReplacer(`\xff`, "\xff", `\xfe`, "\xfe", `\x1b`, `\u001b`, `\U000e0041`, "\U000e0041", `\U000e0042`, "\U000e0042").Replace(quoted)
		text := fmt.Sprintf(`{"type":"session","version":3,"id":%s,"timestamp":"2026-05-12T01:02:27.657Z","cwd":"/w/\u001b[1m\u202e"}`+"\n"+
			`{"type":"message","id":"m%d","timestamp":"2026-05-12T01:02:28Z","message":{"role":"user","content":[{"type":"text","text":"same\u001b[31m ti\u202etle\u200b/../x\u0007\udb40\udc41"}]}}`+"\n", quoted, i)
		fstest.Must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("x%d.jsonl", i)), []byte(text), 0o644))
	}
	f := start(t, home, anyPi)
	projects := f.names("pi")
	if len(projects) != 2 {
		t.Fatalf("projects %q", projects)
	}
	project := "pi/" + projects[len(projects)-1]
	if projects[0] != "INDEX.tsv" {
		project = "pi/" + projects[0]
	}
	names := f.names(project)
	fstest.Equal(t, len(names), len(ids), "sessions", names)
	fstest.Check(t, f.tree, fstest.Expect("INDEX.tsv"))
	clean := func(path string) {
		text := f.read(path)
		for _, bad := range []string{"\x1b", "\u202e", "\u200b", "\x07", "\U000e0041", "\x00", "\xff"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
	}
	for _, name := range names {
		if strings.ContainsAny(name, "/\x1b\u202e\n\t") || len(name) > 200 || name == ".." {
			t.Errorf("a folder is called %q", name)
		}
		for _, file := range []string{"transcript.md", "digest.md", "files.tsv", "meta.json"} {
			clean(project + "/" + name + "/" + file)
		}
	}
	clean("INDEX.tsv")
	fstest.Equal(t, count(f.read("INDEX.tsv"), "\n"), len(ids)+1, "INDEX.tsv")
	for _, id := range []string{"ünïcödé", "CON", "a_b", foreign.File("../../../etc/passwd"), foreign.File(strings.Repeat("long", 200))} {
		if !f.exists(catalogue.ByID + "/" + id + "/transcript.md") {
			t.Errorf("no session is found by %q", id)
		}
	}
	for _, name := range []string{"..", "."} {
		if p := f.cache.EntryDir("pi", name); !strings.HasPrefix(p, filepath.Join(home, ".cache")+"/") || len(p) != len(filepath.Join(home, ".cache"))+1+33 {
			t.Errorf("%q is kept in %s", name, p)
		}
	}
	fstest.Must(t, f.Close())
	// The same names after a restart.
	again := start(t, home, offline, anyPi)
	fstest.EqualSlices(t, again.names(project), names, "after a restart")
	for _, name := range names {
		again.read(project + "/" + name + "/transcript.md")
		a, b := f.catalogue.Session("pi", projects[0], name), again.catalogue.Session("pi", projects[0], name)
		if a == nil || b == nil {
			a, b = f.catalogue.Session("pi", projects[1], name), again.catalogue.Session("pi", projects[1], name)
		}
		fstest.Equal(t, a.ID, b.ID, "after a restart", name)
	}
}

// TestOneIDOfTwoAgents: sessions of two agents with one id are two sessions.
func TestOneIDOfTwoAgents(t *testing.T) {
	home := tempHome(t)
	piSession(t, home, oneID).user("in pi")
	claude := filepath.Join(home, ".claude", "projects", "-work", oneID+".jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(claude), 0o755))
	fstest.Must(t, os.WriteFile(claude, []byte(`{"type":"user","uuid":"u-1","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","sessionId":"`+oneID+`","cwd":"`+home+`/work","message":{"role":"user","content":"in claude"}}`+"\n"), 0o644))
	f := start(t, home)
	if got := f.read("pi/work/2026-05-12_in-pi_11111111/transcript.md"); !strings.Contains(got, "\nin pi\n") || strings.Contains(got, "in claude") {
		t.Errorf("of pi: %s", got)
	}
	if got := f.read("claude-code/work/2026-05-12_in-claude_11111111/transcript.md"); !strings.Contains(got, "\nin claude\n") || strings.Contains(got, "in pi") {
		t.Errorf("of Claude Code: %s", got)
	}
	fstest.Must(t, os.Remove(claude))
	f.await("the other agent's is gone", func() bool { return !slices.Contains(f.names(""), "claude-code") })
	f.cache.RemoveLost(f.clock.now())
	fstest.Contains(t, f.transcript(oneID), "\nin pi\n")
}

// TestALogOfNothing: the folder of a session with an empty log says so.
func TestALogOfNothing(t *testing.T) {
	home := tempHome(t)
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	record := `{"type":"session","id":"x","cwd":"/x"}`
	for name, text := range map[string]string{
		"empty": "", "torn": record[:20], "garbage": "what is this\n\x00\xff\n", "quiet": record + "\n", "partly": "garbage\n" + record + "\n", "spaces": "  \n\t\r\n",
	} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, "x_"+name+".jsonl"), []byte(text), 0o644))
	}
	f := start(t, home)
	for name, wanted := range map[string]string{
		"empty": "state: empty\n\nNothing was written to it yet.\n", "spaces": "state: empty\n\nNothing was written to it yet.\n",
		"torn":    "state: empty\n\nIts first line has 20 bytes so far and has not ended yet.\n",
		"garbage": "state: unreadable\n\nNone of its 2 records is one of pi's: it is not a log, has an unknown version, or was damaged. Its content is in messages.jsonl.\n",
		"quiet":   "", "partly": "",
	} {
		f.transcript(name)
		path := catalogue.ByID + "/" + name + "/STATUS.md"
		if wanted == "" {
			if f.exists(path) {
				t.Errorf("%s: %s", name, f.read(path))
			}
			continue
		}
		if got := f.read(path); !strings.HasPrefix(got, wanted) || !strings.Contains(got, "x_"+name+".jsonl") {
			t.Errorf("%s: %s", name, got)
		}
		if !slices.Contains(f.names(catalogue.ByID+"/"+name), "STATUS.md") {
			t.Errorf("%s: STATUS.md is not listed", name)
		}
	}
	if s := f.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Mend, "garbage") {
		t.Errorf("the status: %+v", s.Problems)
	}
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "x_garbage.jsonl"), []byte(record+"\n"), 0o644))
	f.await("it is a log now", func() bool { return !f.exists(catalogue.ByID+"/garbage/STATUS.md") && len(f.Status().Problems) == 0 })
}
