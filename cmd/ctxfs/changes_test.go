package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestChanges: who has changed the files of a workspace, and what since a session saw
// them: a session by its tool and by its shell, a recorded terminal, somebody else.
func TestChanges(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	repo := filepath.Join(b.home, "repo")
	b.write("repo/go.mod", "module repo\n")
	for _, name := range []string{"own.go", "shell.go", "gen.go", "other.go", "gone.go"} {
		b.write("repo/"+name, "package repo\n")
	}
	b.sh("cd repo && git init -q -b main . && git add . && git -c user.name=a -c user.email=a@example.com commit -qm Begin")
	past := time.Now().Add(-30 * 24 * time.Hour)
	must(t, filepath.WalkDir(repo, func(path string, _ os.DirEntry, err error) error { return os.Chtimes(path, past, past) }))

	// The session has read all of them, written own.go, and run sed on shell.go.
	at := time.Now().UTC().Truncate(time.Second).Add(-2 * time.Hour)
	stamp := func(d time.Duration) string { return at.Add(d).Format("2006-01-02T15:04:05.000Z") }
	lines := []string{claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u0","parentUuid":null,"timestamp":%q,"message":{"role":"user","content":"Work"}`, stamp(0)))}
	n := 0
	call := func(tool string, from, to time.Duration, input any, result string) {
		n++
		arguments, _ := json.Marshal(input)
		lines = append(lines,
			claudeLine(repo, fmt.Sprintf(`"type":"assistant","uuid":"a%d","parentUuid":"u%d","timestamp":%q,"message":{"id":"msg_%[1]d","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_%[1]d","name":%[4]q,"input":%[5]s}]}`, n, n-1, stamp(from), tool, arguments)),
			claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u%[1]d","parentUuid":"a%[1]d","timestamp":%[2]q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%[1]d","content":%[3]q}]}`, n, stamp(to), result)))
	}
	type file struct {
		Path    string `json:"file_path"`
		Content string `json:"content,omitempty"`
	}
	for _, name := range []string{"shell.go", "gen.go", "other.go", "gone.go", "link.go", "sub/in.go"} {
		call("Read", time.Second, 2*time.Second, file{Path: filepath.Join(repo, name)}, "     1→package repo")
	}
	call("Write", 30*time.Second, 35*time.Second, file{filepath.Join(repo, "own.go"), "package own\n"}, "updated")
	call("Bash", time.Minute, 2*time.Minute, map[string]string{"command": "sed -i s/repo/shell/ shell.go"}, "")
	call("Write", 3*time.Minute, 3*time.Minute+time.Second, file{filepath.Join(repo, "made.go"), "package made\n"}, "created")
	b.session(".claude/projects/-repo/"+claudeID+".jsonl", lines...)
	change := func(name, text string, after time.Duration) {
		t.Helper()
		b.write("repo/"+name, text)
		must(t, os.Chtimes(filepath.Join(repo, name), at.Add(after), at.Add(after)))
	}
	change("own.go", "package own\n", 35*time.Second-300*time.Millisecond)
	change("shell.go", "package shell\n", 90*time.Second)
	change("made.go", "package made\n", 3*time.Minute+time.Second)
	change("other.go", "package other\n", 10*time.Minute)
	must(t, os.Remove(filepath.Join(repo, "gone.go")))
	change("a\nfile", "", 4*time.Minute)
	must(t, syscall.Mkfifo(filepath.Join(repo, "pipe"), 0o600))
	b.write("outside/in.go", "what nobody asked for\n")
	must(t, os.Symlink("../outside/in.go", filepath.Join(repo, "link.go")))
	must(t, os.Symlink("../outside", filepath.Join(repo, "sub")))

	b.mount()
	b.sh("cd repo && ctxfs run -- sh -c 'echo package generated > gen.go'")
	b.sh("cd repo && ctxfs here")
	dir := b.mnt("workspaces/repo")
	var rows map[string][]string // by path
	has := func(path string, how, by, command, session string) bool {
		row := rows[path]
		return len(row) == 6 && row[1] == how && strings.HasPrefix(row[2], by) && row[3] == command && row[4] == session
	}
	// Who it was is known when the session, or the terminal, was read.
	known := func(row []string) bool { return len(row) == 6 && row[2] != "outside" }
	b.settles("changes.tsv", func() bool {
		rows = make(map[string][]string)
		text, err := os.ReadFile(filepath.Join(dir, "changes.tsv"))
		for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			row := strings.Split(line, "\t")
			rows[row[len(row)-1]] = row
		}
		return err == nil && known(rows["own.go"]) && known(rows["gen.go"])
	})
	for path, want := range map[string][4]string{
		"own.go":   {"modified", "../../transcripts/claude-code/", "-", claudeID},
		"shell.go": {"modified", "../../transcripts/claude-code/", "sed -i s/repo/shell/ shell.go", claudeID},
		"made.go":  {"created", "../../transcripts/claude-code/", "-", claudeID},
		"gen.go":   {"modified", "../../terminals/", "sh -c 'echo package generated > gen.go'", "-"},
		"other.go": {"modified", "outside", "-", "-"},
		"gone.go":  {"deleted", "-", "-", "-"},
		"a file":   {"created", "outside", "-", "-"},
	} {
		if !has(path, want[0], want[1], want[2], want[3]) {
			t.Errorf("%s: %q, want %q", path, rows[path], want)
		}
		if by := rows[path]; len(by) > 2 && strings.HasPrefix(by[2], "../../") {
			if _, err := os.Stat(filepath.Join(dir, by[2])); err != nil {
				t.Errorf("%s: who changed it is not there: %v", path, err)
			}
		}
	}
	if got, want := rows["other.go"][0], at.Add(10*time.Minute).Format(time.RFC3339); got != want {
		t.Errorf("other.go was modified at %s, want %s", got, want)
	}

	// What the session has not seen: not what it wrote itself.
	diff := b.sh("cat " + filepath.Join(dir, "changes", claudeID+".diff"))
	fstest.Contains(t, diff, "changed  ", "  other.go\n--- ", "-package repo\n+package other\n", "  gen.go\n", "+package generated\n", "deleted  -                     gone.go\n", "+package shell\n")
	if strings.Count(diff, "a link leads out of the workspace") != 2 || strings.Contains(diff, "nobody asked") {
		t.Errorf("what links lead to is not told, or shown:\n%s", diff)
	}
	if strings.Contains(diff, "own.go") || strings.Contains(diff, "made.go") {
		t.Errorf("the diff has what the session wrote:\n%s", diff)
	}
	fstest.Equal(t, b.sh("cat "+filepath.Join(dir, "changes", claudeID[:8]+".diff")), diff, "by the beginning of its id")
	fstest.Equal(t, b.ok("cat", "workspaces/repo/changes/"+claudeID+".diff"), diff, "by the command")
	fstest.Equal(t, b.sh("ls "+filepath.Join(dir, "changes")), "README.md\n", "it lists")
	if r := b.shell("cat " + filepath.Join(dir, "changes", "nobody.diff")); r.code == 0 {
		t.Errorf("of nobody: %v", r)
	}
	// It is made anew each time.
	change("other.go", "package repo\n", 20*time.Minute)
	b.settles("the change is taken back", func() bool {
		return !strings.Contains(b.sh("cat "+filepath.Join(dir, "changes", claudeID+".diff")), "other.go")
	})
}
