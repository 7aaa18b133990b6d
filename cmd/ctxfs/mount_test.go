package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/fstest"
	"ctxfs/fs/fusefs"
	"ctxfs/mounts"
)

func TestMountWithNothingConfigured(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	out := b.ok("mount")
	if !strings.Contains(out, "mounted on ~/.agentctx\n") || !strings.Contains(out, "ctxfs unmount") {
		t.Errorf("mount says: %s", out)
	}
	fstest.Equal(t, b.sh("ls -A .agentctx"), ".ignore\nAGENTS.md\nSTATUS.md\nagents\nexec\nfind\nmcps\nmemory\nplans\nresults\nrules\nskills\nterminals\ntranscripts\nworkspaces\n", "the root is")
	fstest.Equal(t, b.sh("ls .agentctx/mcps .agentctx/results .agentctx/skills"), ".agentctx/mcps:\nCALLS.tsv\nINDEX.md\n\n.agentctx/results:\nINDEX.tsv\n\n.agentctx/skills:\nINDEX.md\nINDEX.tsv\nagentctx\n", "the folders are")
	for path, words := range map[string][]string{
		"AGENTS.md":                {"mcps/", "skills/", "agentctx", "## results/", "terminals/", "STATUS.md"},
		"STATUS.md":                {"## mcps: ", "## skills: ", "## results: empty\n\nno results\n", "## terminals: empty\n\nno terminals\n"},
		".ignore":                  {"!*\n", "INDEX.*\n"},
		"mcps/INDEX.md":            {"config.toml", "mcp.json", ".claude.json"},
		"skills/INDEX.md":          {"agentctx"},
		"skills/agentctx/SKILL.md": {"name: agentctx", "rg ", "transcripts/INDEX.tsv", "ctxfs history", "ctxfs find"},
	} {
		if text := b.read(path); !containsAll(text, words) {
			t.Errorf("%s does not hold all of %q:\n%s", path, words, text)
		}
	}
	fstest.Contains(t, b.ok("status"), "~/.agentctx")
	fstest.Contains(t, b.ok("doctor"), "all is well")
	var findings []mount.Finding
	if err := json.Unmarshal([]byte(b.ok("doctor", "--json")), &findings); err != nil || len(findings) < 6 || !findings[0].OK {
		t.Errorf("doctor --json: %+v, %v", findings, err)
	}
}

// TestTheProgramMoves is of the real program, as a file: programs that call tools still work after the program that
// started the process has moved to a folder of PATH, and doctor reports it.
func TestTheProgramMoves(t *testing.T) {
	t.Parallel()
	b := realBox(t).zoo("")
	program := filepath.Join(b.dir, "built")
	// Not written by this process: another test's child may still have the file open
	// for writing when it is executed.
	b.sh("cp " + b.program() + " " + program)
	if r := b.do(program, "mount"); r.code != 0 {
		t.Fatal(r)
	}
	b.ready("zoo")
	must(t, os.Remove(program)) // the one in PATH is the same
	fstest.Contains(t, b.sh("~/.agentctx/mcps/zoo/bin/feed_animal --help"), "--animal")
	fstest.Contains(t, b.run("doctor").exits(t, exitProblems).out, program+", from which process ", " no longer exists", "fix: ctxfs unmount --all; ctxfs mount")
}

func TestMountPointsAndIdempotence(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	far := filepath.Join(b.dir, "made", "on", "the way", "ünï")
	in := mounts.NewTable()
	fstest.Equal(t, in.Contain(far+"/x"), false, "in a mount before there is one")
	fstest.Contains(t, b.ok("mount", far), "mounted on "+far)
	fstest.Equal(t, in.Contain(far+"/x"), true, "in the mount")
	pid := b.pid()
	b.mount()
	fstest.Contains(t, b.ok("mount"), "already mounted on ~/.agentctx")
	link := filepath.Join(b.home, "link")
	must(t, os.Symlink(far, link))
	var again mounts.MountResult
	if err := json.Unmarshal([]byte(b.ok("mount", "--json", link)), &again); err != nil || !again.Already || again.Dir != far || again.Pid != pid {
		t.Errorf("mount --json through a link: %+v, %v", again, err)
	}
	b.sh("cd " + b.dir + "; mkdir rel; cd rel; ctxfs mount .; ctxfs mount ../rel; test -f AGENTS.md || ls ../rel/AGENTS.md")

	report := b.status()
	if report.Pid != pid || len(report.Mounts) != 3 || len(report.Providers) != 11 {
		t.Errorf("status --json: %+v", report)
	}
	for _, m := range report.Mounts {
		if m.State != mounts.Healthy || m.Kind != "fuse" || m.Since.IsZero() {
			t.Errorf("mount %+v", m)
		}
	}
	for _, dir := range []string{far, b.mnt(), filepath.Join(b.dir, "rel")} {
		if _, err := os.ReadFile(filepath.Join(dir, "AGENTS.md")); err != nil {
			t.Error(err)
		}
	}

	// The mount table is there for scripts.
	var table mounts.ServerInfo
	text, err := os.ReadFile(filepath.Join(b.state, "ctxfs", "daemon.json"))
	must(t, err)
	if err := json.Unmarshal(text, &table); err != nil || table.Pid != pid || len(table.Mounts) != 3 {
		t.Errorf("the mount table: %+v, %v", table, err)
	}

	fstest.Contains(t, b.ok("unmount", link), "unmounted "+far)
	fstest.Contains(t, b.ok("unmount", far), "nothing is mounted on "+far)
	var gone mounts.UnmountResult
	if err := json.Unmarshal([]byte(b.ok("unmount", "--all", "--json")), &gone); err != nil || len(gone.Dirs) != 2 {
		t.Errorf("unmount --all --json: %+v, %v", gone, err)
	}
	fstest.Equal(t, in.Contain(far+"/x"), false, "in a mount that has ended")
	b.ended(pid)
	fstest.Contains(t, b.ok("unmount"), "nothing is mounted\n")
	fstest.Contains(t, b.run("status").exits(t, exitNotRunning).out, "ctxfs mount")
}

// ended waits for the end of the background process, which leaves nothing.
func (b *box) ended(pid int) {
	b.Helper()
	if b.inside != nil {
		b.inside.daemons.Wait()
	} else {
		awaitExit(b, pid)
	}
	for _, name := range []string{"daemon.sock", "daemon.json"} {
		if _, err := os.Lstat(filepath.Join(b.state, "ctxfs", name)); err == nil {
			b.Errorf("%s is left", name)
		}
	}
	if left := mountsBelow(b.dir); len(left) > 0 {
		b.Errorf("mounts are left: %v", left)
	}
}

// TestUnmountedFolderSaysSo: who finds the folder without the mount reads how to
// have it again; the mount hides that, and is not refused because of it.
func TestUnmountedFolderSaysSo(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for range 2 {
		b.mount()
		fstest.ContainsNot(t, b.sh("ls -A .agentctx"), "NOT_MOUNTED.md")
		b.ok("unmount")
		fstest.Contains(t, b.sh("ls -A .agentctx; cat .agentctx/NOT_MOUNTED.md"), "NOT_MOUNTED.md\n# Not mounted\n", "\n    ctxfs mount "+b.mnt()+"\n")
	}
	// The same folder, synced to instead.
	b.ok("sync", "--once", b.mnt())
	if got := b.sh("ls .agentctx"); strings.Contains(got, "NOT_MOUNTED.md") || !strings.Contains(got, "AGENTS.md\n") {
		t.Errorf("the synced folder holds %s", got)
	}
	// Where nothing can be written below it, there is none, and the mount all the same.
	plain := filepath.Join(b.dir, "theirs")
	must(t, os.Mkdir(plain, 0o500))
	b.ok("mount", plain)
	b.ok("unmount", plain)
	if left, err := os.ReadDir(plain); err != nil || len(left) != 0 {
		t.Errorf("in somebody's folder: %v, %v", left, err)
	}
}

// TestSearchFindsEachFactOnce searches a mount in a home folder under git that
// ignores everything.
func TestSearchFindsEachFactOnce(t *testing.T) {
	t.Parallel()
	need(t, "rg", "git")
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks the wombat.\n---\nMind the puddles.\n")
	// Files of a skill are its own, whatever their names are in the rest of the tree.
	b.write(".claude/skills/walk/INDEX.md", "An albatross.\n")
	b.write(".claude/skills/walk/SUMMARY.md", "A cassowary.\n")
	b.write(".claude/skills/walk/data.jsonl", "{\"bird\": \"bullfinch\"}\n")
	b.sh("git init -q . && echo '*' > .gitignore")
	b.mount()
	b.ready("zoo")
	for fact, file := range map[string]string{
		"xylophone": "mcps/zoo/tools/greet.json",
		"wombat":    "skills/walk/SKILL.md",
		"puddles":   "skills/walk/SKILL.md",
		"albatross": "skills/walk/INDEX.md",
		"cassowary": "skills/walk/SUMMARY.md",
		"bullfinch": "skills/walk/data.jsonl",
		"stub://":   "mcps/zoo/resources/one.json",
		"with care": "mcps/zoo/INSTRUCTIONS.md",
	} {
		for _, where := range []string{"rg -l '%s' .agentctx", "cd .agentctx && rg -l '%s'", "cd .agentctx && rg -l '%s' ."} {
			script := strings.ReplaceAll(where, "%s", fact)
			got := b.sh(script)
			got = strings.TrimPrefix(strings.TrimPrefix(got, ".agentctx/"), "./")
			if got != file+"\n" {
				t.Errorf("%s: %q", script, got)
			}
		}
	}
	if got := b.sh("cd .agentctx; rg --files | sort"); strings.Contains(got, ".ignore") || strings.Contains(got, "s/INDEX") || strings.Contains(got, "AGENTS.md") || !strings.Contains(got, "mcps/zoo/tools/greet.json") {
		t.Errorf("rg --files: %s", got)
	}
}

// TestUnmountWithoutAName takes away what mount without a name has made, and
// never guesses.
func TestUnmountWithoutAName(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	one, two := filepath.Join(b.dir, "one"), filepath.Join(b.dir, "two")
	b.ok("mount", one)
	b.ok("mount", two)
	b.ok("mount")
	fstest.Equal(t, b.ok("unmount"), "unmounted ~/.agentctx\n", "unmount says")
	b.refused(exitUsage, []string{"several mounts", one, two, "unmount --all"}, "unmount")
	b.ok("unmount", one)
	fstest.Equal(t, b.ok("unmount"), "unmounted "+two+"\n", "unmount of the only one says")
}

// TestMountWithoutItsName: a mount whose name another program has removed, and which a program
// still uses, is made again.
func TestMountWithoutItsName(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	held, err := os.Open(b.mnt("AGENTS.md"))
	must(t, err)
	defer held.Close()
	must(t, fusefs.Detach(b.mnt()))
	fstest.Contains(t, b.ok("mount"), "mounted on ~/.agentctx")
	fstest.Equal(t, len(mountsBelow(b.dir)), 1, "mounts")
	b.read("AGENTS.md")
	if text, err := io.ReadAll(held); err != nil || len(text) == 0 {
		t.Errorf("who uses the old one reads %d bytes, %v", len(text), err)
	}
	must(t, held.Close())
	fstest.Contains(t, b.ok("mount"), "already mounted")
	fstest.Contains(t, b.ok("unmount"), "unmounted ~/.agentctx")
	fstest.Equal(t, len(mountsBelow(b.dir)), 0, "mounts")
}
