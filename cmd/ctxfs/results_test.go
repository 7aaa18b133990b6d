package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/results"
)

// TestResults has another process than the mount's save what was too long.
func TestResults(t *testing.T) {
	t.Parallel()
	need(t, "rg", "jq")
	b := newBox(t)
	b.mount()
	store := results.Open(results.StoreOptions{
		Dir: filepath.Join(b.state, "ctxfs", "results"), SettingsPath: b.config, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	save := func(body string) results.Saved {
		t.Helper()
		saved, err := store.Save(results.Origin{Source: "call", Server: "zoo", Tool: "list_animals"}, "", []byte(body))
		must(t, err)
		return saved
	}
	value := save(`{"animals":[{"name":"wombat"},{"name":"albatross"}]}`)
	lines := save("{\"name\":\"bullfinch\"}\n{\"name\":\"puffin\"}\n")
	text := save("an okapi\n")
	for _, s := range []results.Saved{value, lines, text} {
		b.shows("results/INDEX.tsv", "\tcall\tzoo\tlist_animals\t", s.Name)
	}
	// Each fact once, in the file that holds it, whatever its form.
	for fact, s := range map[string]results.Saved{"wombat": value, "bullfinch": lines, "okapi": text} {
		for _, where := range []string{"rg -l %s .agentctx", "cd .agentctx && rg -l %s", "cd .agentctx/results && rg -l %s"} {
			script := strings.ReplaceAll(where, "%s", fact)
			if got := b.sh(script); filepath.Base(strings.TrimSpace(got)) != s.Name || strings.Count(got, "\n") != 1 {
				t.Errorf("%s: %q", script, got)
			}
		}
	}
	fstest.Equal(t, b.sh("cd .agentctx/results && jq -r '.animals[].name' *.json; jq -r .name *.jsonl; rg -c name *.json; tail -n 1 *.txt"), "wombat\nalbatross\nbullfinch\npuffin\n2\nan okapi\n", "jq and rg")
	b.shows("STATUS.md", "## results: ready\n\n3 results, ")

	// The listing is current after each save, and so is the table.
	for range 20 {
		s := save("one more\n")
		b.shows("results/INDEX.tsv", s.Name)
		if got := b.sh("ls .agentctx/results"); !strings.Contains(got, s.Name) {
			t.Errorf("%s is not listed: %s", s.Name, got)
		}
	}
	must(t, os.Remove(text.Path))
	b.absent("results/" + text.Name)
	if got := b.sh("ls .agentctx/results"); strings.Contains(got, text.Name) {
		t.Errorf("%s is listed", text.Name)
	}

	index := b.ok("cat", "results/INDEX.tsv")
	b.write(".config/ctxfs/config.toml", "[results]\nmax_age = 'soon'\n")
	b.shows("STATUS.md", `"max_age" in [results] is "soon"`)
	b.ok("unmount")
	if got := b.ok("cat", "results/INDEX.tsv"); got != index || strings.Count(got, "\n") != 23 {
		t.Errorf("without a process the table is\n%s\nand was\n%s", got, index)
	}
	b.refused(exitFailed, []string{"lies inside", "results"}, "mount", filepath.Join(b.state, "ctxfs", "results", "x"))
}

// TestLongResultOfACall is handed over as its beginning, its end and a path at
// which the whole is, on disk and in the mount.
func TestLongResultOfACall(t *testing.T) {
	t.Parallel()
	need(t, "jq", "rg")
	b := zoo(t, "")
	b.mount()
	item := `{"name":"wombat","kilos":26.50}`
	text, err := json.Marshal("[" + strings.Repeat(item+",", 1999) + item + "]")
	must(t, err)
	b.write("result.json", `{"content":[{"type":"text","text":`+string(text)+`}]}`)
	out := b.ok("call", "zoo", "list")
	notice := regexp.MustCompile(`\nLarge output has been written to: (.*\.json) \(100\.0 KB, 8002 lines\)\n$`).FindStringSubmatch(out)
	if notice == nil || len(out) > 12_200 || !strings.HasPrefix(out, "[") || !strings.Contains(out, " left out ...\n") {
		t.Fatalf("%d bytes: %.200s ... %s", len(out), out, out[max(0, len(out)-300):])
	}
	for _, path := range []string{notice[1], b.mnt("results", filepath.Base(notice[1]))} {
		fstest.Equal(t, b.sh("jq length '"+path+"'; rg -c wombat '"+path+"'; rg -c 26.50 '"+path+"'"), "2000\n2000\n2000\n", path)
	}
	fstest.Contains(t, strings.Split(b.read("results/INDEX.tsv"), "\n")[1], "\tcall\tzoo\tlist\t100003\t8002\t")
}
