package mcp

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
)

// TestTwoAgentsInThreeProjects have a stateful server, git's, and one that takes its
// folders from the roots of its client, the file system's, answer each for its own
// project, side by side.
func TestTwoAgentsInThreeProjects(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	filesystem := filepath.Join(fstest.NodeModules(t, "@modelcontextprotocol/server-filesystem"), ".bin", "mcp-server-filesystem")
	git := filepath.Join(fstest.NodeModules(t, "@cyanheads/git-mcp-server"), ".bin", "git-mcp-server")
	w := realWorld(t)
	w.opts.timing.Discover = 2 * time.Second
	w.opts.State = t.TempDir()
	w.settings("")
	w.write("shared/x", "")
	w.claude(map[string]any{
		"files": map[string]any{"command": "node", "args": []string{filesystem, w.home + "/shared"}},
		"git": map[string]any{"command": "node", "args": []string{git}, "env": map[string]string{
			"MCP_TRANSPORT_TYPE": "stdio", "GIT_SIGN_COMMITS": "false", "LOGS_DIR": t.TempDir(),
		}},
	})
	var projects []string
	for _, name := range []string{"one", "two", "three"} {
		w.write(name+"/mine.txt", "this is "+name)
		dir := filepath.Join(w.home, name)
		if out, err := exec.Command("git", "init", "-q", "-b", "branch-of-"+name, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		projects = append(projects, real)
	}
	w.open()

	call := func(agent, project, server, tool string, args map[string]any) (string, error) {
		body, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.p.Call(context.Background(), calls.Call{
			Server: server, Tool: tool, Arguments: body, Confirmed: true, Caller: calls.Caller{Dir: project, Agent: agent, Session: agent},
		})
		if err != nil {
			return "", err
		}
		return string(r.Text) + string(r.Structured), nil
	}
	each := 1000 / 6
	if testing.Short() {
		each = 20
	}
	var all sync.WaitGroup
	for _, agent := range []string{"claude-code", "codex"} {
		for i, project := range projects {
			all.Go(func() {
				name, other := filepath.Base(project), projects[(i+1)%len(projects)]
				if out, err := call(agent, project, "git", "git_set_working_dir", map[string]any{"path": project}); err != nil || !strings.Contains(out, project) {
					t.Errorf("%s in %s: %v: %s", agent, name, err, out)
					return
				}
				for n := range each {
					switch n % 4 {
					case 0:
						out, err := call(agent, project, "git", "git_status", map[string]any{})
						if err != nil || !strings.Contains(out, "branch-of-"+name) {
							t.Errorf("%s in %s: %v: %s", agent, name, err, out)
						}
					case 1:
						out, err := call(agent, project, "files", "list_allowed_directories", map[string]any{})
						if err != nil || !strings.Contains(out, project) || strings.Contains(out, other) || strings.Contains(out, "/shared") {
							t.Errorf("%s in %s: %v: %s", agent, name, err, out)
						}
					case 2:
						out, err := call(agent, project, "files", "read_text_file", map[string]any{"path": project + "/mine.txt"})
						if err != nil || !strings.Contains(out, "this is "+name) {
							t.Errorf("%s in %s: %v: %s", agent, name, err, out)
						}
					case 3:
						out, err := call(agent, project, "files", "read_text_file", map[string]any{"path": other + "/mine.txt"})
						if err == nil && strings.Contains(out, "this is ") {
							t.Errorf("%s in %s reads of another project: %s", agent, name, out)
						}
					}
				}
			})
		}
	}
	all.Wait()
	for _, server := range []string{"git", "files"} {
		status := w.cat(server + "/STATUS.md")
		if n := strings.Count(status, ": ready since "); n != len(projects) {
			t.Errorf("%d processes for %d projects:\n%s", n, len(projects), status)
		}
	}
	if out, err := call("codex", w.home, "files", "list_allowed_directories", map[string]any{}); err != nil || !strings.Contains(out, "/shared") {
		t.Errorf("outside of all projects: %v: %s", err, out)
	}
}
