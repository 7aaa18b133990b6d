package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/executor/request"
)

// repository makes a repository with a commit in the box, and returns its folder.
func (b *box) repository(name string) string {
	b.Helper()
	dir := filepath.Join(b.dir, name)
	must(b, os.Mkdir(dir, 0o755))
	b.sh("cd " + dir + ` && git init -q && git config user.name x && git config user.email x@example.org && mkdir sub && seq 1 9 >a && echo s >sub/s && echo '*.log' >.gitignore && git add . && git commit -qm first`)
	return dir
}

func TestAgentChanges(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for a sandbox and signals
	b.kinds("", map[string]string{
		"edits":   `echo 10 >>a; echo n >n; git add n; git -c commit.gpgsign=false commit -qm new; echo l >x.log`,
		"reads":   `cat a`,
		"looks":   `pwd; ls; touch a b 2>/dev/null; true`,
		"fails":   `echo half >>a; exit 3`,
		"hangs":   `echo half >>a; echo >"$HOME/up"; sleep 1005`,
		"commits": `echo 11 >>../a; git commit -qam ten; echo "$1" >told`,
	})
	repo := b.repository("repo")
	b.write("../repo/mine", "not committed\n")

	r := b.runs(0, "--agent", "edits", "--repo", repo, "x")
	if !slices.Equal(r.Changed, []string{"a", "n"}) || r.Worktree != "" || len(r.Notes) > 0 || !strings.Contains(readFile(t, r.Diff), "+10\n") {
		t.Errorf("%+v", r)
	}
	if r := b.runs(0, "--agent", "reads", "--repo", repo, "x"); r.Diff != "" || len(r.Changed) > 0 || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	if r := b.runs(5, "--agent", "fails", "--repo", repo, "x"); !slices.Equal(r.Changed, []string{"a"}) {
		t.Errorf("%+v", r)
	}
	hangs := b.startsAgent(b.fifo("up"), "--agent", "hangs", "--repo", repo, "x")
	signalTo(t, hangs.cmd.Process.Pid, syscall.SIGINT)
	if code, r := hangs.ends(); code != 130 || !slices.Equal(r.Changed, []string{"a"}) {
		t.Errorf("exit %d, %+v", code, r)
	}
	if r := b.runs(0, "--agent", "looks", "--repo", repo, "--read-only", "x"); !strings.Contains(r.Text, repo+"\n") || !strings.Contains(r.Text, "\nmine\n") || r.Diff != "" || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	if r := b.runs(0, "--agent", "looks", "--repo", repo, "--read-only", "--worktree", "x"); r.ReadOnly != request.Enforced || r.Text != b.job(r.ID, "tree")+"\na\nn\nsub\n" || r.Diff != "" || r.Worktree != "" || r.Branch != "" {
		t.Errorf("%+v", r)
	}
	if r := b.runs(0, "--agent", "edits", "--repo", b.home, "x"); r.Diff != "" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "not in a git repository") {
		t.Errorf("%+v", r)
	}

	b.sh("cd " + repo + " && git checkout -q . && git status --short >../before")
	r = b.runs(0, "--agent", "commits", "--repo", filepath.Join(repo, "sub"), "--worktree", "x")
	if r.Ended != request.Success || !slices.Equal(r.Changed, []string{"../a", "told"}) || r.Branch != "ctxfs/"+r.ID || r.Worktree != b.job(r.ID, "tree") {
		t.Errorf("%+v", r)
	}
	if told := readFile(t, filepath.Join(r.Worktree, "sub/told")); !strings.Contains(told, "one file of "+repo+" is not committed") {
		t.Errorf("the agent was told: %s", told)
	}
	if text := b.sh("cd " + repo + " && git status --short | diff ../before - && git worktree list && git log --oneline ctxfs/" + r.ID); !strings.Contains(text, "ten") {
		t.Errorf("%s", text)
	}
	if r := b.runs(0, "--agent", "reads", "--repo", repo, "--worktree", "x"); r.Branch != "" || r.Worktree != "" || r.Diff != "" {
		t.Errorf("%+v", r)
	}
	if text := b.sh("cd " + repo + " && git branch --list 'ctxfs/*' && git worktree list"); strings.Count(text, "\n") != 3 {
		t.Errorf("a worktree without changes is left: %s", text)
	}
	if r := b.runs(5, "--agent", "reads", "--repo", b.home, "--worktree", "x"); !strings.Contains(r.Error, "not in a git repository") || r.Fix == "" || r.ExitCode != nil {
		t.Errorf("%+v", r)
	}
}

func TestAgentAdopt(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{
		"edits": `sed -i 1s/1/first/ a; git commit -qam edit; echo n >n`,
		"reads": `cat a`,
	})
	repo := b.repository("repo")
	r := b.runs(0, "--agent", "edits", "--repo", repo, "--worktree", "x")
	b.sh("cd " + repo + " && sed -i 1s/1/eins/ a")
	got := b.run("agent", "adopt", r.ID)
	if got.code != 1 || !containsAll(got.err, []string{"a (contents)", "git -C " + repo + " merge ctxfs/" + r.ID}) {
		t.Errorf("%+v", got)
	}
	if status := b.sh("cd " + repo + " && git status --short"); status != " M a\n" {
		t.Errorf("after a conflict: %s", status)
	}
	if got := b.run("agent", "adopt", "--json", r.ID); got.code != 1 || !strings.Contains(got.out, `"path": "a"`) {
		t.Errorf("%+v", got)
	}
	b.sh("cd " + repo + " && git checkout -q a && sed -i 9s/9/neun/ a")
	if text := b.ok("agent", "adopt", r.ID); !containsAll(text, []string{"adopted 2 changed files", "\n  a\n  n\n", "ctxfs/" + r.ID}) {
		t.Errorf("%s", text)
	}
	if text := b.sh("cd " + repo + " && git status --short && head -1 a && tail -1 a && git worktree list | wc -l"); text != " M a\n?? n\nfirst\nneun\n1\n" {
		t.Errorf("%s", text)
	}
	if text := b.ok("agent", "adopt", r.ID); !strings.Contains(text, "already") {
		t.Errorf("%s", text)
	}

	r = b.runs(0, "--agent", "reads", "--repo", repo, "--worktree", "x")
	b.refused(1, []string{"no worktree with changes"}, "agent", "adopt", r.ID)
	b.refused(1, []string{"there is no run"}, "agent", "adopt", "nothing")
}

// TestAgentWorktreeKilled kills everything that belongs to a run: its worktree and its
// changes are found again by whoever looks next.
func TestAgentWorktreeKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	edited := b.fifo("edited")
	b.kinds("", map[string]string{"edits": `echo x >>a; echo n >n; echo >"$HOME/edited"; sleep 1007`, "reads": "cat a"})
	repo := b.repository("repo")
	var ids []string
	for _, flag := range []string{"--worktree=true", "--worktree=false"} {
		id := strings.TrimSpace(b.ok("agent", "run", "--agent", "edits", "--repo", repo, flag, "--detach", "x"))
		ids = append(ids, id)
		edited.Line()
		killAll(b, syscall.SIGKILL, processesOf(b.dir))
	}
	b.runs(0, "--agent", "reads", "--repo", repo, "x")
	for i, id := range ids {
		var r request.Result
		must(t, json.Unmarshal([]byte(readFile(t, b.job(id, "result.json"))), &r))
		if r.Ended != request.Lost || !slices.Equal(r.Changed, []string{"a", "n"}) || r.Diff == "" || (r.Worktree != "") != (i == 0) {
			t.Errorf("%+v", r)
		}
	}
	b.sh("cd " + repo + " && git checkout -q a && rm n")
	b.ok("agent", "adopt", ids[0])
	if text := b.sh("cd " + repo + " && git status --short && git worktree list | wc -l && git branch | wc -l"); text != " M a\n?? n\n1\n1\n" {
		t.Errorf("%s", text)
	}
}
