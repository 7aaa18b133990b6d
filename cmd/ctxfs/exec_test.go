package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/exec"
)

// hostile configures commands that misbehave, in the folder exec/bad. Each run adds a line
// to the file "ran" in the home folder.
func (b *box) hostile() {
	b.Helper()
	b.writeMode("hostile", `#!/bin/sh
echo "$1" >>"$HOME/ran"
case "$1" in
names) printf 'one\ntwo\n../three\n-rf\n.git\npackage.json\n'; printf 'a\tb\n\033[31mred\n' ;;
hangs) sleep 1000 ;;
deaf) trap '' TERM HUP INT; while :; do sleep 0.05; done ;;
fails) echo "error: it broke" >&2; exit 9 ;;
floods) exec head -c 1000000000 /dev/zero ;;
control) printf 'a\033]0;title\007\033[31mred\033[0m\000\r\nb\n' ;;
daemon) env -i setsid sh -c 'while :; do sleep 0.1005; done' >/dev/null 2>&1 </dev/null & echo forked ;;
slow) until [ -e "$HOME/go" ]; do sleep 0.01; done; echo slow ;;
*) echo "$1" ;;
esac
`, 0o755)
	program := filepath.Join(b.home, "hostile")
	b.write(".config/ctxfs/config.toml", strings.ReplaceAll(`
[exec.bad]
timeout = "20s"
"names/" = ["PROGRAM", "names"]
"names/{name}.txt" = ["PROGRAM", "{name}"]
"fixed.txt" = ["PROGRAM", "fixed"]
[exec.late]
timeout = "500ms"
"{name}.txt" = ["PROGRAM", "{name}"]
[exec.gone]
"{name}.txt" = ["/nonexistent/program", "{name}"]
`, "PROGRAM", program))
}

// ran returns what has run.
func (b *box) ran() string {
	text, _ := os.ReadFile(filepath.Join(b.home, "ran"))
	return string(text)
}

func TestExecRunsNothingByItself(t *testing.T) {
	t.Parallel()
	need(t, "rg", "git", "node")
	b := newBox(t)
	b.hostile()
	b.mount()
	walk := `rg -uu -c . .agentctx >/dev/null; find .agentctx -ls >/dev/null; du -a .agentctx >/dev/null; ls -laR .agentctx >/dev/null
for p in .git .gitignore package.json node_modules Cargo.toml CLAUDE.md .mcp.json HEAD; do
	for d in exec exec/bad exec/bad/names exec/late; do stat .agentctx/$d/$p >/dev/null 2>&1; done
done
(cd .agentctx/exec/bad/names && git status; node -e 'try { require("./x") } catch {}') >/dev/null 2>&1
ctxfs ls -R exec >/dev/null; ctxfs find one two >/dev/null; ctxfs sync --once out >/dev/null; ctxfs __complete cat exec/bad/ >/dev/null 2>&1
bash -c 'compgen -f .agentctx/exec/bad/' >/dev/null; :`
	b.sh(walk)
	if got := b.ran(); got != "" {
		t.Errorf("these have run: %s", got)
	}
	b.ok("exec", "refresh", "bad")
	after := b.ran()
	if strings.Count(after, "\n") != 6 { // names, one, two, fixed, b and the like
		t.Logf("a refresh runs: %s", after)
	}
	b.sh(walk)
	if got := b.ran(); got != after {
		t.Errorf("these have run: %s", strings.TrimPrefix(got, after))
	}
	if got := b.sh("cd .agentctx/exec/bad/names; ls; cat one.txt two.txt"); !strings.HasPrefix(got, "NAMES.txt\none.txt\n") || !strings.HasSuffix(got, "one\ntwo\n") {
		t.Errorf("%s", got)
	}
}

func TestExecHostile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	b.mount()
	for path, want := range map[string]string{
		"late/hangs.txt":       "had not ended after 500ms",
		"late/deaf.txt":        "had not ended after 500ms",
		"bad/names/fails.txt":  "exited with 9: error: it broke",
		"bad/names/floods.txt": "printed more than 10.0 MB",
		"gone/x.txt":           "could not be started",
		"bad/names/daemon.txt": "forked",
		"bad/names/other.txt":  "other\n",
	} {
		if got := readFile(t, b.mnt("exec/"+path)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := readFile(t, b.mnt("exec/bad/names/control.txt")); strings.ContainsAny(got, "\x00\x07\x1b\r") || !strings.HasSuffix(got, "b\n") {
		t.Errorf("control characters: %q", got)
	}
	for _, p := range processesOf(b.dir) {
		if strings.Contains(p.args, "sleep 0.1005") || strings.Contains(p.args, "hostile") {
			t.Errorf("it still runs: %+v", p)
		}
	}
	var all []exec.Folder
	if err := json.Unmarshal([]byte(b.ok("exec", "ls", "--json")), &all); err != nil || len(all) != 3 {
		t.Errorf("%v: %+v", err, all)
	}
	if got := b.sh("cat .agentctx/STATUS.md .agentctx/exec/INDEX.md"); !containsAll(got, []string{"exec", "3 folders", "- bad — "}) {
		t.Errorf("%s", got)
	}
}

func TestExecReadersShareARun(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	b.mount()
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			if got, err := os.ReadFile(b.mnt("exec/bad/names/slow.txt")); string(got) != "slow\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	fstest.Eventually(t, "it runs", func() bool { return b.ran() != "" })
	b.sh("ls -l .agentctx/exec/bad/names .agentctx/mcps >/dev/null") // the mount is not held up
	b.write("go", "")
	readers.Wait()
	if got := b.ran(); got != "slow\n" {
		t.Errorf("these have run: %q", got)
	}
}

// TestExecKilled kills the background process while a command runs: the command ends, and
// what was fetched before is there again.
func TestExecKilled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	b.mount()
	readFile(t, b.mnt("exec/bad/names/one.txt"))
	read := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(b.mnt("exec/bad/names/deaf.txt"))
		read <- err
	}()
	fstest.Eventually(t, "it runs", func() bool { return strings.Contains(b.ran(), "deaf") })
	b.sh("kill -9 $(ctxfs status --json | jq .pid)")
	if err := <-read; err == nil {
		t.Error("the reader got something")
	}
	fstest.Eventually(t, "the command has ended", func() bool {
		for _, p := range processesOf(b.dir) {
			if strings.Contains(p.args, "deaf") {
				return false
			}
		}
		return true
	})
	b.mount()
	if got := b.sh("ls .agentctx/exec/bad/names"); got != "one.txt\n" {
		t.Errorf("%q", got)
	}
	if got := b.ran(); strings.Count(got, "one\n") != 1 {
		t.Errorf("these have run: %s", got)
	}
}

func TestExecWithoutMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	if got := b.ok("cat", "exec/bad/names/x.txt"); got != "x\n" {
		t.Errorf("%q", got)
	}
	if got := b.ok("ls", "exec/bad/names"); got != "x.txt\n" {
		t.Errorf("%q", got)
	}
	b.ok("cat", "exec/bad/names/x.txt")
	if got := b.ran(); got != "x\n" {
		t.Errorf("these have run: %q", got)
	}
	b.refused(1, []string{`"baad"`, "did you mean: ctxfs exec refresh bad"}, "exec", "refresh", "baad")
	got := b.run("exec", "refresh", "gone", "--json")
	if got.code != 0 || !strings.Contains(got.out, `"fetched": 0`) {
		t.Errorf("%+v", got)
	}
	b.write(".config/ctxfs/config.toml", "[exec.x]\n\"{pod}.log\" = [\"true\"]\ntimout = \"3s\"\n")
	if got := b.run("config", "validate"); got.code != 4 || !containsAll(got.out, []string{"{pod} has no pattern", "placeholders = {pod", `did you mean "timeout"`, "config.toml:2"}) {
		t.Errorf("%+v", got)
	}
}
