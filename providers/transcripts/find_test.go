package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

func (f *fixture) find(words, in string) []facts.Match {
	f.t.Helper()
	found, err := f.Search(f.t.Context(), words, in, 10)
	fstest.Must(f.t, err)
	return found.Matches
}

// TestFind: what was said is found, and the file that is found has it.
func TestFind(t *testing.T) {
	home := tempHome(t)
	one := piSession(t, home, "0b0e2bd1-1111-4000-8000-000000000001")
	one.user("why does the login test fail")
	one.assistant("the zebra token expires too early")
	one.user("then mend it")
	two := piSession(t, home, "0b0e2bd2-2222-4000-8000-000000000002")
	two.user("draw a lion")
	two.call("c1", "bash", "painted a lion", map[string]any{"command": "paint lion"})
	for _, mode := range []struct {
		name   string
		change func(*Options)
	}{{"a command that reads once", offline}, {"in the background", func(*Options) {}}} {
		t.Run(mode.name, func(t *testing.T) {
			f := start(t, home, mode.change)
			found := f.find("zebra token", "")
			if len(found) != 1 {
				t.Fatalf("%+v", found)
			}
			hit := found[0]
			fstest.Equal(t, hit.Why, "2026-05-12 01:03 assistant in ~/work: the zebra token expires too early")
			if !strings.HasSuffix(hit.Path, "/blocks/00003.md") || !strings.HasSuffix(hit.Title, "_0b0e2bd1-00003") {
				t.Errorf("%q, %q", hit.Path, hit.Title)
			}
			text := f.read(hit.Path)
			for _, want := range []string{"transcript.md", "the zebra token expires too early\n", "login test fail", "then mend it"} {
				fstest.Contains(t, text, want)
			}
			fstest.Equal(t, count(text, "### ["), 3, "blocks")
			session, _, _ := strings.Cut(hit.Path, "/blocks/")
			if got := f.names(session); strings.Contains(fmt.Sprint(got), "blocks") {
				t.Errorf("listed: %q", got)
			}
			if got := f.find("lion", session); len(got) != 0 {
				t.Errorf("in another session: %+v", got)
			}
			if got := f.find("lion", "pi"); len(got) != 3 {
				t.Errorf("%+v", got)
			}
			if got := f.find("lion", session+"/"+"transcript.md"); len(got) != 0 {
				t.Errorf("in another transcript: %+v", got)
			}
			for _, name := range []string{"00000.md", "99999.md", "1.md", "-0001.md", "00001", ".git", "0000x.md"} {
				if f.exists(session + "/blocks/" + name) {
					t.Errorf("%s exists", name)
				}
			}
		})
	}
}

// TestFindsWhatGrows: a message is found as soon as it is published.
func TestFindsWhatGrows(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, "0b0e2bd1-1111-4000-8000-000000000001")
	s.user("hello")
	f := start(t, home)
	for i := range 5 {
		word := fmt.Sprintf("zebra%d", i)
		s.assistant("a " + word + " crosses")
		f.await(word, func() bool { return len(f.find(word, "")) == 1 })
		if got := f.find(word, "")[0]; !strings.Contains(f.read(got.Path), word) {
			t.Errorf("%s does not have %s", got.Path, word)
		}
	}
}

// TestBlocks: every block of the real transcripts is a file of its own, whole.
func TestBlocks(t *testing.T) {
	f := start(t, realHome(t), offline)
	f.scanner.First()
	blocks := 0
	for _, s := range f.catalogue.All() {
		path := f.catalogue.Path(s)
		text := f.read(path + "/" + "transcript.md")
		if len(text) > 300_000 {
			continue
		}
		for i, block := range strings.Split("\n"+text, "\n"+"### [")[1:] {
			if i%7 > 0 { // some are enough
				continue
			}
			anchor, _, _ := strings.Cut(block, "]")
			number := anchor[strings.LastIndexByte(anchor, '/')+1:]
			if got := f.read(path + "/blocks/" + number + ".md"); !strings.Contains(got, "\n"+"### ["+strings.TrimRight(block, "\n")+"\n") {
				t.Fatalf("%s/%s:\n%s", path, number, got)
			}
			blocks++
		}
	}
	if blocks < 300 {
		t.Errorf("only %d blocks", blocks)
	}
}

// TestOwnWords: what a program said in the user's name is not the user's own.
func TestOwnWords(t *testing.T) {
	home := tempHome(t)
	const id = "08940314-9e93-46b1-a598-06bada65ed55"
	line := func(uuid, rest, text string) string {
		return fmt.Sprintf(`{"sessionId":%q,"cwd":"/w","version":"2.1.132","isSidechain":false,"type":"user","uuid":%q,"timestamp":"2026-05-12T01:02:27Z",%s"message":{"role":"user","content":%q}}`, id, uuid, rest, text)
	}
	path := filepath.Join(home, ".claude/projects/-w", id+".jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	fstest.Must(t, os.WriteFile(path, []byte(line("u1", "", "feed the okapi")+"\n"+line("u2", `"isMeta":true,`, "the zebra was fed")+"\n"), 0o600))
	f := start(t, home, offline)
	for words, own := range map[string]bool{"feed okapi": true, "zebra": false} {
		found := f.find(words, "")
		if len(found) != 1 || found[0].Evidence.Own != own || found[0].Evidence.Session != id {
			t.Errorf("%s: %+v", words, found)
		}
	}
}
