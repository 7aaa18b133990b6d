package transcripts

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/catalogue"
)

func settingsOf(t testing.TB, home, text string) {
	t.Helper()
	fstest.Must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte("[transcripts]\n"+text), 0o600))
}

// TestTheArchiveHasALimit: a full archive keeps the newest sessions, and those that it
// has no room for are not archived again and again.
func TestTheArchiveHasALimit(t *testing.T) {
	home := tempHome(t)
	const n = 12
	for i := range n {
		s := piSession(t, home, id(i))
		var b strings.Builder
		for j := range 400 {
			fmt.Fprintf(&b, "%x ", hashOf(fmt.Sprint(i, j)))
		}
		s.user(b.String())
		at := time.Now().Add(time.Duration(i-20) * time.Hour)
		fstest.Must(t, os.Chtimes(s.path, at, at))
	}
	settingsOf(t, home, "archive = true\nmax_archive = \"20 KB\"\n")
	f := start(t, home, offline)
	f.names("")
	f.keepArchive(t.Context())
	kept := func() map[string]time.Time {
		all, err := filepath.Glob(filepath.Join(home, ".state", "archive", "*", "*"))
		fstest.Must(t, err)
		files, total := make(map[string]time.Time), int64(0)
		for _, path := range all {
			info, err := os.Stat(path)
			fstest.Must(t, err)
			total += info.Size()
			files[fmt.Sprint(filepath.Base(path), info.Sys().(*syscall.Stat_t).Ino)] = info.ModTime()
		}
		if total > 20_000 || len(all) < 2 {
			t.Errorf("%d files of %d bytes are archived", len(all), total)
		}
		return files
	}
	first := kept()
	f.keepArchive(t.Context())
	if second := kept(); fmt.Sprint(first) != fmt.Sprint(second) {
		t.Errorf("archived again: %v, then %v", first, second)
	}
	if _, err := os.Stat(filepath.Join(home, ".state", "archive", "pi", id(n-1)+".jsonl.zst")); err != nil {
		t.Error("the newest is not archived")
	}
}

// TestOnlyWholeSessionsAreArchived: where the messages of a session have lost their end,
// they are made again before it is archived.
func TestOnlyWholeSessionsAreArchived(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	s.assistant("two")
	old := time.Now().Add(-time.Hour)
	fstest.Must(t, os.Chtimes(s.path, old, old))
	settingsOf(t, home, "archive = true\n")
	f := start(t, home, offline)
	want := f.transcript(oneID)
	f.read(catalogue.ByID + "/" + oneID + "/messages.jsonl")
	fstest.Must(t, os.Truncate(filepath.Join(f.cache.EntryDir("pi", oneID), "1.jsonl"), 10))
	f.keepArchive(t.Context())
	if _, err := os.Stat(filepath.Join(home, ".state", "archive", "pi", oneID+".jsonl.zst")); !errors.Is(err, iofs.ErrNotExist) {
		t.Errorf("half of it is archived: %v", err)
	}
	f.keepArchive(t.Context())
	fstest.Must(t, os.Remove(s.path))
	later := start(t, home, offline)
	fstest.Equal(t, later.transcript(oneID), want, "archived")
}

// TestAnArchiveThatIsSwitchedOff: what is archived is still shown; a log that comes
// back has precedence.
func TestAnArchiveThatIsSwitchedOff(t *testing.T) {
	home := tempHome(t)
	claude := filepath.Join(home, ".claude", "projects", "-work")
	spill := filepath.Join(claude, oneID, "tool-results", "call-1.txt")
	fstest.Must(t, os.MkdirAll(filepath.Dir(spill), 0o755))
	fstest.Must(t, os.WriteFile(spill, []byte(long(3000)), 0o644))
	record := func(path, agent, text string) {
		t.Helper()
		full := filepath.Join(claude, path)
		fstest.Must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		line := `{"type":"user","uuid":"u-` + text + `","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","sessionId":"` + oneID + `","cwd":"` + home + `/work"` + agent +
			`,"message":{"role":"user","content":"` + text + `"}}` + "\n"
		fstest.Must(t, os.WriteFile(full, []byte(line), 0o644))
		old := time.Now().Add(-time.Hour)
		fstest.Must(t, os.Chtimes(full, old, old))
	}
	record(oneID+".jsonl", "", "parent")
	record(oneID+"/subagents/agent-abc123.jsonl", `,"isSidechain":true,"agentId":"abc123"`, "child")
	log, err := os.ReadFile(filepath.Join(claude, oneID+".jsonl"))
	fstest.Must(t, err)
	settingsOf(t, home, "archive = true\n")
	f := start(t, home)
	before := f.transcript(oneID)
	f.keepArchive(t.Context())
	settingsOf(t, home, "archive = false\n")
	f.Reload()
	fstest.Must(t, os.RemoveAll(claude))
	f.await("the archive stands in", func() bool {
		all := f.catalogue.Find(oneID)
		if len(all) == 0 {
			return false
		}
		v, _ := f.catalogue.View(all[0])
		return strings.HasSuffix(v.Source.Path, ".jsonl.zst") && v.Subagents == 1
	})
	fstest.Equal(t, f.transcript(oneID), before, "from the archive")
	fstest.Contains(t, f.read(catalogue.ByID+"/"+oneID+"/meta.json"), `"deleted": true`)
	child := f.names(catalogue.ByID + "/" + oneID + "/subagents")
	if len(child) != 1 || !strings.Contains(f.read(catalogue.ByID+"/"+oneID+"/subagents/"+child[0]+"/transcript.md"), "\nchild\n") {
		t.Errorf("subagents %q", child)
	}
	fstest.Must(t, os.MkdirAll(claude, 0o755))
	fstest.Must(t, os.WriteFile(filepath.Join(claude, oneID+".jsonl"), append(log, []byte(strings.NewReplacer("u-parent", "u-more", `"content":"parent"`, `"content":"resumed"`, `"parentUuid":null`, `"parentUuid":"u-parent"`).Replace(string(log)))...), 0o644))
	f.await("it goes on", func() bool { return strings.Contains(f.transcript(oneID), "\nresumed\n") })
	fstest.ContainsNot(t, f.read(catalogue.ByID+"/"+oneID+"/meta.json"), "deleted")
	if got := f.transcript(oneID); count(got, "\nparent\n") != 1 {
		t.Errorf("resumed: %s", got)
	}
}

// TestSubagents: subagents are listed alone without their parent, and below it once it
// is there.
func TestSubagents(t *testing.T) {
	home := tempHome(t)
	f := start(t, home)
	dir := filepath.Join(home, ".claude", "projects", "-work")
	write := func(rel, agent, text string) {
		t.Helper()
		path := filepath.Join(dir, rel)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fstest.Must(t, os.WriteFile(path, []byte(`{"type":"user","uuid":"u-`+text+`","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","sessionId":"`+oneID+`","cwd":"`+home+`/work"`+agent+
			`,"message":{"role":"user","content":"`+text+`"}}`+"\n"), 0o644))
	}
	const parent, sidechain = oneID + ".jsonl", `,"isSidechain":true,"agentId":"abc123"`
	child := oneID + "/subagents/agent-abc123.jsonl"
	below := func() bool { return f.entries(catalogue.ByID+"/"+oneID+"/subagents") == 1 }
	alone := func() bool { return f.entries("claude-code/work") == 1 && !f.exists(catalogue.ByID+"/"+oneID) }
	write(child, sidechain, "child")
	f.await("it stands alone", alone)
	write(parent, "", "parent")
	f.await("it is below its parent", below)
	f.await("nothing is beside its parent", func() bool {
		return f.exists("claude-code/work") && f.entries("claude-code/work") == 1
	})
	fstest.Must(t, os.Remove(filepath.Join(dir, parent)))
	f.await("it stands alone again", alone)
	// One that is gone is not a child of a parent that appears.
	fstest.Must(t, os.Remove(filepath.Join(dir, child)))
	f.await("both are gone", func() bool { return !f.exists("claude-code") })
	write(parent, "", "parent")
	f.await("the parent is there", func() bool { return f.exists(catalogue.ByID + "/" + oneID) })
	if f.exists(catalogue.ByID + "/" + oneID + "/subagents") {
		t.Errorf("subagents that are gone: %q", f.names(catalogue.ByID+"/"+oneID+"/subagents"))
	}
}
