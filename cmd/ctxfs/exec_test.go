package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
daemon|killer|stays) env -i setsid sh -c 'echo $$ >"$0"; while :; do sleep 0.1; done' "$HOME/$1.pid" >/dev/null 2>&1 </dev/null &
	until [ -s "$HOME/$1.pid" ]; do sleep 0.01; done; echo forked
	case "$1" in
	killer) kill -9 $PPID; sleep 1000 ;;
	stays) echo $PPID >"$HOME/keeper"; sleep 1000 ;;
	esac ;;
binary) head -c 3000 /dev/urandom ;;
odd) printf 'a\342\200\256b \377\n' ;;
nothing) ;;
slow) read -r _ <"$HOME/go"; echo slow ;;
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
"plain/{name}" = ["PROGRAM", "{name}"]
"deep/{name}/{id}" = ["PROGRAM", "{name}", "{id}"]
"script/{name}.js" = ["PROGRAM", "{name}"]
[exec.late]
timeout = "500ms"
"{name}.txt" = ["PROGRAM", "{name}"]
[exec.gone]
"{name}.txt" = ["/proc/none", "{name}"]
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
	walk := func() {
		t.Helper()
		b.sh(`rg -uu -c . .agentctx >/dev/null; find .agentctx -ls >/dev/null; du -a .agentctx >/dev/null; ls -laR .agentctx >/dev/null
for d in exec exec/bad exec/bad/names exec/bad/plain exec/bad/deep exec/bad/deep/x exec/bad/script exec/late; do
	for p in .git .gitignore package.json node_modules Cargo.toml CLAUDE.md .mcp.json HEAD INDEX.md NAMES.txt x.last-good tags RCS; do stat .agentctx/$d/$p >/dev/null 2>&1; done
done
ctxfs ls -R exec >/dev/null; ctxfs find one two >/dev/null; ctxfs sync --once out >/dev/null; ctxfs __complete cat exec/bad/ >/dev/null 2>&1
bash -c 'compgen -f .agentctx/exec/bad/' >/dev/null; :`)
		for _, dir := range []string{"exec/bad/names", "exec/bad/plain", "exec/bad/deep/x"} { // which most names fit
			b.sh("cd .agentctx/" + dir + ` && { git status; node -e 'try { require(".") } catch {}'; } >/dev/null 2>&1 </dev/null; :`)
		}
	}
	walk()
	fstest.Equal(t, b.ran(), "", "these have run")
	b.ok("exec", "refresh", "bad")
	after := b.ran()
	if got := slices.Sorted(strings.SplitSeq(strings.TrimSpace(after), "\n")); !slices.Equal(got, []string{"fixed", "names", "one", "package.json", "red", "two"}) {
		t.Errorf("a refresh runs: %q", got)
	}
	walk()
	if got := b.ran(); got != after {
		t.Errorf("these have run: %s", strings.TrimPrefix(got, after))
	}
	fstest.Equal(t, b.sh("cd .agentctx/exec/bad/names; ls; cat one.txt two.txt"), "NAMES.txt\none.txt\npackage.json.txt\nred.txt\ntwo.txt\none\ntwo\n")
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
		"bad/names/daemon.txt": "forked\n",
		"bad/names/killer.txt": "the process of ctxfs that keeps it was killed",
		"bad/names/binary.txt": "printed 3.0 KB that are no text",
		"bad/names/other.txt":  "other\n",
	} {
		if got := readFile(t, b.mnt("exec/"+path)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	for name, want := range map[string]string{"control": "ared\nb\n", "odd": "ab \n", "nothing": ""} {
		fstest.Equal(t, readFile(t, b.mnt("exec/bad/names/"+name+".txt")), want, name)
	}
	background := b.pid()
	for _, p := range processesOf(b.dir) {
		if p.pid != background && !strings.HasPrefix(p.args, "ctxfs guard") {
			t.Errorf("it still runs: %+v", p)
		}
	}
	for _, file := range []string{"daemon.pid", "killer.pid"} { // these have shed their environment
		pid, err := strconv.Atoi(strings.TrimSpace(readFile(t, filepath.Join(b.home, file))))
		if err != nil || alive(pid) {
			t.Errorf("%s: %v, it still runs", file, err)
		}
	}
	var all []exec.Folder
	if err := json.Unmarshal([]byte(b.ok("exec", "ls", "--json")), &all); err != nil || len(all) != 3 {
		t.Errorf("%v: %+v", err, all)
	}
	fstest.Contains(t, b.sh("cat .agentctx/STATUS.md .agentctx/exec/INDEX.md"), "exec", "3 folders", "- bad — ")
}

func TestExecReadersShareARun(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	release := b.fifo("go")
	b.mount()
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			if got, err := os.ReadFile(b.mnt("exec/bad/names/slow.txt")); string(got) != "slow\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	b.ok("wait", "file", filepath.Join(b.home, "ran"))
	b.sh("ls -l .agentctx/exec/bad/names .agentctx/mcps >/dev/null") // the mount is not held up
	fstest.Contains(t, b.ok("exec", "ls", "bad"), "1 command running")
	release.Release()
	readers.Wait()
	fstest.Equal(t, b.ran(), "slow\n", "these have run")
}

// TestExecReaderKilled kills a reader that waits: it ends at once, and the next one gets what
// the command has printed for it.
func TestExecReaderKilled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	release := b.fifo("go")
	b.mount()
	for _, signal := range []string{"INT", "KILL"} {
		if r := b.shell("timeout -s " + signal + " 0.5 cat .agentctx/exec/bad/names/slow.txt"); r.code == 0 || r.out != "" {
			t.Errorf("%s: %+v", signal, r)
		}
	}
	b.sh("ls -l .agentctx/exec/bad/names >/dev/null")
	release.Release()
	fstest.Equal(t, readFile(t, b.mnt("exec/bad/names/slow.txt")), "slow\n")
	fstest.Equal(t, b.ran(), "slow\n", "these have run")
}

// TestExecDiskFull has no room for outputs of the real program in a mount namespace: they are shown all the same, and stay for as
// long as the background process does.
func TestExecDiskFull(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a small file system")
	}
	b := realBox(t)
	b.hostile()
	b.write("script", `
set -e
mount -t tmpfs -o size=512k full "$XDG_CACHE_HOME"
ctxfs mount
cat .agentctx/exec/bad/names/before.txt
cat /dev/zero >"$XDG_CACHE_HOME/zero" 2>/dev/null || :
cat .agentctx/exec/bad/names/one.txt
ctxfs exec refresh bad
cat .agentctx/exec/bad/names/one.txt .agentctx/exec/bad/names/two.txt .agentctx/exec/bad/names/before.txt
ctxfs wait settled >&2
grep -A6 '^## exec' .agentctx/STATUS.md
rm "$XDG_CACHE_HOME/zero"
ctxfs exec refresh bad
ctxfs wait settled >&2
grep -A6 '^## exec' .agentctx/STATUS.md | grep -c problem || echo mended
ctxfs unmount
`)
	r := b.do("timeout", "100", "unshare", "-m", "bash", "-c", "cd ~ && . ./script")
	if r.code != 0 || !containsAll(r.out, []string{"before\none\n", "one\ntwo\nbefore\n", "outputs of exec/bad cannot be stored, and are in memory only: no space left on device", "mended\n"}) {
		t.Errorf("exit %d\n%v", r.code, r)
	}
}

// TestExecInASandbox has a command that runs in a sandbox, and a ctxfs that does.
func TestExecInASandbox(t *testing.T) {
	t.Parallel()
	need(t, "bwrap")
	b := newBox(t)
	b.hostile()
	program := filepath.Join(b.home, "hostile")
	b.write(".config/ctxfs/config.toml", strings.ReplaceAll(`
[exec.boxed]
timeout = "10s"
"{name}.txt" = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "PROGRAM", "{name}"]
`, "PROGRAM", program))
	b.mount()
	fstest.Equal(t, readFile(t, b.mnt("exec/boxed/one.txt")), "one\n")
	fstest.Contains(t, readFile(t, b.mnt("exec/boxed/fails.txt")), "exited with 9: error: it broke")
	b.hostile()
	b.settled()
	got := b.do("bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", binary(), "cat", "exec/bad/names/in.txt")
	if got.code != 0 || got.out != "in\n" {
		t.Errorf("%+v", got)
	}
}

// TestExecKilled kills the real background process while a command runs: the command ends, and
// what was fetched before is there again.
func TestExecKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.hostile()
	b.mount()
	readFile(t, b.mnt("exec/bad/names/one.txt"))
	read := make(chan error, 1)
	begin := func(name, runs string) {
		go func() {
			_, err := os.ReadFile(b.mnt("exec/bad/names/" + name + ".txt"))
			read <- err
		}()
		b.ok("wait", "file", filepath.Join(b.home, runs), "--for", name)
	}
	ended := func(name string) {
		t.Helper()
		if err := <-read; err == nil {
			t.Error("the reader got something")
		}
		b.gone(func(p process) bool { return strings.HasSuffix(p.args, "hostile "+name) })
	}
	b.sh("rm ran")
	begin("deaf", "ran")
	b.sh("kill -9 $(ctxfs status --json | jq .pid)")
	ended("deaf")
	b.mount()
	fstest.Equal(t, b.sh("ls .agentctx/exec/bad/names"), "one.txt\n")
	fstest.Equal(t, b.ran(), "deaf\n", "these have run")
}

func TestExecWithoutMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.hostile()
	release := b.fifo("go")
	fstest.Equal(t, b.ok("cat", "exec/bad/names/x.txt"), "x\n")
	fstest.Equal(t, b.ok("ls", "exec/bad/names"), "x.txt\n")
	b.ok("cat", "exec/bad/names/x.txt")
	fstest.Equal(t, b.ran(), "x\n", "these have run")
	var readers sync.WaitGroup // each a process of its own
	for range 20 {
		readers.Go(func() {
			if got := b.run("cat", "exec/bad/names/slow.txt"); got.out != "slow\n" {
				t.Errorf("%+v", got)
			}
		})
	}
	b.ok("wait", "file", filepath.Join(b.home, "ran"), "--for", "slow")
	release.Release()
	readers.Wait()
	fstest.Equal(t, b.ran(), "x\nslow\n", "these have run")
	b.refused(1, []string{`"baad"`, "did you mean: ctxfs exec refresh bad"}, "exec", "refresh", "baad")
	got := b.run("exec", "refresh", "gone", "--json")
	if got.code != 0 || !strings.Contains(got.out, `"fetched": 0`) {
		t.Errorf("%+v", got)
	}
	b.write(".config/ctxfs/config.toml", "[exec.x]\na = [\"upulse\"]\nb = [\"true\"]\n[exec.y]\ndir = \"/nowhere\"\na = [\"true\"]\n")
	if text := b.ok("config", "validate"); strings.Count(text, "cannot be started here") != 2 || !containsAll(text, []string{"here: no program in PATH is called upulse\n", "here: the folder /nowhere, in which it runs, does not exist\n", "nothing is wrong"}) {
		t.Error(text)
	}
	b.write(".config/ctxfs/config.toml", "[exec.x]\n\"{pod}.log\" = [\"true\"]\ntimout = \"3s\"\n")
	fstest.Contains(t, b.run("config", "validate").exits(t, 4).out, "{pod} has no pattern", "placeholders = {pod", `did you mean "timeout"`, "config.toml:2")
}
