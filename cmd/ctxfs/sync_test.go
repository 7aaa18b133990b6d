package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/mounts"
)

// syncing runs `ctxfs sync` until the end of the test, and waits for the first
// pass.
func (b *box) syncing(dir string) (cmd *exec.Cmd) {
	b.Helper()
	cmd = b.command(b.Context(), b.program(), "sync", "--json", dir)
	pipe, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	passes := json.NewDecoder(pipe)
	var first mounts.Report
	if err := passes.Decode(&first); err != nil || len(first.Errors) > 0 {
		b.Fatalf("the first pass: %+v, %v", first, err)
	}
	go func() {
		var more mounts.Report
		for passes.Decode(&more) == nil {
		}
	}()
	return cmd
}

func TestSyncFollows(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.writeMode(".claude/skills/walk/go.sh", "#!/bin/sh\necho walked\n", 0o755)
	dir := filepath.Join(b.dir, "plain")
	cmd := b.syncing(dir)
	pid := b.pid()
	if m := b.status().Mounts; len(m) != 1 || m[0].Kind != "folder" || m[0].Dir != dir {
		t.Errorf("status: %+v", m)
	}
	holds := func(path, words string) func() bool {
		return func() bool {
			text, _ := os.ReadFile(filepath.Join(dir, path))
			return strings.Contains(string(text), words)
		}
	}
	b.ok("wait", "server", "zoo", "ready")
	b.settles("the server is ready", holds("mcps/zoo/STATUS.md", "state: ready\n"))
	b.settles("the root says so", holds("STATUS.md", "zoo: ready"))
	fstest.Equal(t, b.sh(dir+"/skills/walk/go.sh"), "walked\n", "the script says")

	// It is what a mount shows, but for what changes between two looks: the memory of the server
	// is known a moment later.
	b.mount()
	agree := func(look func() bool) func() bool {
		return func() bool {
			for range 5 {
				if look() {
					return true
				}
				b.settled()
			}
			return false
		}
	}
	same := "diff -r --exclude=.ctxfs-sync --exclude='.ctxfs*' --exclude=inbox .agentctx " + dir
	b.settles("folder and mount are the same", agree(func() bool { return b.shell(same).code == 0 }))
	list := func(at string) string {
		return b.sh("cd " + at + " && find . -name inbox -prune -o -not -name '.ctxfs*' -type f -printf '%P %s %TY-%Tm-%Td %TT %#m\\n' | sort")
	}
	owner := regexp.MustCompile(`(?m) 0(.)\d\d$`) // a mount is closed to others as a whole
	b.settles("sizes, times and modes are the same", agree(func() bool {
		return owner.ReplaceAllString(list(b.mnt()), " 0${1}00") == list(dir)
	}))
	// Of what is written nobody else sees anything.
	fstest.Equal(t, b.sh("find "+dir+" -perm /077 ! -type l"), "", "others may look at")

	// It follows.
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks far.\n---\n")
	b.settles("the edited skill is there", holds("skills/walk/SKILL.md", "Walks far"))
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	b.settles("the removed skill has gone", func() bool {
		_, err := os.Lstat(filepath.Join(dir, "skills/walk"))
		return os.IsNotExist(err)
	})

	// A second sync into it is refused, one into another folder is not.
	b.refused(exitFailed, []string{"shown already", "\n  "}, "sync", "--once", dir)
	b.ok("sync", "--once", filepath.Join(b.dir, "second"))
	b.refused(exitFailed, []string{"is not empty"}, "mount", filepath.Join(b.dir, "second"))

	b.ok("unmount", b.mnt())
	signalTo(t, cmd.Process.Pid, syscall.SIGINT)
	fstest.Equal(t, cmd.Wait(), nil, "sync ended with")
	b.ended(pid)
	if _, err := os.Stat(filepath.Join(dir, "mcps/zoo/tools/greet.json")); err != nil {
		t.Errorf("what was written stays: %v", err)
	}
}

// TestSyncUnmounted ends when its folder is taken away with unmount.
func TestSyncUnmounted(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir := filepath.Join(b.dir, "plain")
	cmd := b.syncing(dir)
	b.ok("unmount", dir)
	fstest.Equal(t, cmd.Wait(), nil, "sync ended with")
}

// TestSyncKilled still ends the background process.
func TestSyncKilled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	cmd := b.syncing(filepath.Join(b.dir, "plain"))
	pid := b.pid()
	signalTo(t, cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	b.ended(pid)
}

func TestSyncOnce(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	journal := filepath.Join(b.dir, "journal")
	b.stub("zoo", "", map[string]string{stubJournal: journal})
	dir := filepath.Join(b.dir, "plain")
	fstest.Contains(t, b.ok("sync", "--once", dir), " written, 0 removed, 0 unchanged")
	var second mounts.Report
	if err := json.Unmarshal([]byte(b.ok("sync", "--once", "--json", dir)), &second); err != nil ||
		second.Written != 0 || second.Removed != 0 || second.Unchanged == 0 {
		t.Errorf("the second pass: %+v, %v", second, err)
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("a server was started")
	}
	if len(processesOf(b.dir)) > 0 {
		t.Errorf("processes: %v", processesOf(b.dir))
	}

	// What is not ours stays.
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.sh("cd " + dir + " && echo mine > mine && mkdir -p skills/walk && echo mine > skills/walk/SKILL.md && echo more >> AGENTS.md && rm .ignore")
	r := b.run("sync", "--once", dir)
	fstest.Equal(t, r.code, exitProblems, "sync with conflicts: exit")
	fstest.Contains(t, r.err, "skills/walk/SKILL.md was not written by ctxfs", "AGENTS.md was changed since ctxfs wrote it", "move it away")
	fstest.Equal(t, b.sh("cd "+dir+" && cat mine skills/walk/SKILL.md; tail -n 1 AGENTS.md; test -f .ignore && echo back"), "mine\nmine\nmore\nback\n", "the folder")
	b.sh("cd " + dir + " && rm AGENTS.md skills/walk/SKILL.md")
	b.ok("sync", "--once", dir)
	fstest.Contains(t, b.sh("cd "+dir+" && cat mine skills/walk/SKILL.md"), "description: Walks.")

	b.refused(exitFailed, []string{"is a file, not a folder"}, "sync", "--once", filepath.Join(dir, "mine"))
	b.refused(exitUsage, []string{"into which folder?", "for example: ctxfs sync ~/agentctx"}, "sync")
}
