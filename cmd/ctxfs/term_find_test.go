package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/providers/terminals/record"
)

// TestTermFound: what a real shell prints is found by the command that printed it, in
// the mount, by the command and by the gateway, with and without a background process.
func TestTermFound(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	w := b.terminal("--name", "api")
	find := func(words ...string) (all []facts.Match) {
		t.Helper()
		r := b.run(append([]string{"find", "--json", "--in", "terminals"}, words...)...)
		if r.code == 0 {
			must(t, json.Unmarshal([]byte(r.out), &all))
		}
		return all
	}
	found := func(path, why string, words ...string) {
		t.Helper()
		b.settled()
		if all := find(words...); len(all) == 0 || all[0].Path != path || !strings.Contains(all[0].Why, why) {
			t.Errorf("%q finds %+v", words, all)
		}
	}
	if _, err := os.ReadDir(b.mnt("find/terminals/zebra")); err == nil {
		t.Error("found before it was printed")
	}
	w.types("echo ze''bra crosses; (exit 4)\r")
	b.hasRun("api", "echo ze''bra crosses; (exit 4)", 4)
	found("terminals/api/commands/1.txt", "(exit 4): zebra crosses", "zebra")
	if text := b.sh("cat " + b.mnt("find/terminals/zebra") + "/01-*"); !strings.Contains(text, "exit_code: 4\n") || !strings.HasSuffix(text, "zebra crosses\n") {
		t.Errorf("the file is %q", text)
	}
	// What has no line feed yet is only on the screen.
	w.types("printf 'lion %s' waits; read x\r")
	b.recorded("api", "the lion is on the screen", func(s *record.Terminal) bool {
		return strings.Contains(readFile(t, filepath.Join(s.Dir, record.ScreenFile)), "lion waits")
	})
	found("terminals/api/screen.txt", "(running): lion waits", "lion waits")
	w.types("\r")
	b.hasRun("api", "printf 'lion %s' waits; read x", 0)
	found("terminals/api/commands/2.txt", "(exit 0)", "lion waits")
	if r := b.run("run", "--name", "job", "--", "sh", "-c", "echo tiger; exit 3"); r.code != 3 {
		t.Errorf("run: %v", r)
	}
	found("terminals/job/commands/1.txt", "exit 3): tiger", "tiger")
	found("terminals/job/commands/1.txt", "exit 3): tiger", "failed", "tiger")
	a := b.agent()
	a.says(false, []string{"terminals/api/commands/1.txt", "zebra crosses"}, "find", map[string]any{"query": "zebra crosses"})
	b.kill()
	b.ok("unmount", "--all")
	found("terminals/api/commands/1.txt", "(exit 4): zebra crosses", "zebra")
	w.types("exit\r")
	w.wait()
}
