package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
)

// TestAProjectThatIsNotKnown has servers that its calls cannot reach: they are told
// how to trust it. Those from elsewhere learn nothing of it.
func TestAProjectThatIsNotKnown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.dir, "state")
		home, err := filepath.EvalSymlinks(w.home)
		if err != nil {
			t.Fatal(err)
		}
		project := filepath.Join(home, "a shop")
		w.write(filepath.Join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
		w.write(filepath.Join(project, ".mcp.json"), `{"mcpServers": {"shop": {"command": "`+os.Args[0]+`", "env": {"`+stubMode+`": "calls"}}}}`)
		inside := filepath.Join(project, "deep", "inside")
		elsewhere := filepath.Join(home, "elsewhere")
		for _, dir := range []string{inside, elsewhere} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		w.open().start()
		call := func(dir, project, server string) error {
			c := calls.Call{Server: server, Tool: "echo", Arguments: json.RawMessage(`{"text":"hi"}`), Project: project, Caller: calls.Caller{Via: "command", Dir: dir}}
			_, known := w.p.KnownTool(t.Context(), &c)
			_, err := w.p.Call(t.Context(), c)
			if fmt.Sprint(known) != fmt.Sprint(err) {
				t.Errorf("what is known of the tool: %v; a call: %v", known, err)
			}
			return err
		}
		for _, from := range [][2]string{{inside, ""}, {project, ""}, {elsewhere, inside}} {
			err := call(from[0], from[1], "shop")
			fstest.Contains(t, fmt.Sprint(err), `no server is called "shop"; `+filepath.Join(project, ".mcp.json")+" configures one, but its project is not trusted; if you trust the project, run: ctxfs trust '"+project+"'")
			if calls.Outcome(nil, err) != calls.OutcomeBadArguments {
				t.Errorf("the outcome is %s", calls.Outcome(nil, err))
			}
		}
		for _, from := range [][3]string{{elsewhere, "", "shop"}, {inside, elsewhere, "shop"}, {inside, "", "shap"}} {
			if err := call(from[0], from[1], from[2]); err == nil || strings.Contains(err.Error(), "trust") {
				t.Errorf("%s from %s: %v", from[2], from[0], err)
			}
		}
		if _, err := w.p.Trust(project); err != nil {
			t.Fatal(err)
		}
		if err := call(inside, "", "shop"); err != nil {
			t.Errorf("once it is trusted: %v", err)
		}
	})
}

func TestTrustedProject(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.dir, "state")
		home, err := filepath.EvalSymlinks(w.home)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(home, "it's a shop")
		text := func(mode string) string {
			return `{"servers": {"shop": {"command": "` + os.Args[0] + `", "env": {"` + stubMode + `": "` + mode + `"}}}}`
		}
		w.write(filepath.Join(dir, ".vscode/mcp.json"), text("ok"))
		w.write(".claude.json", `{"projects": {"`+dir+`": {}, "/nowhere/at/all": {}, "relative": {}}}`)
		w.open().start()
		fstest.Contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n", "fix: ", "ctxfs trust '"+strings.ReplaceAll(dir, "'", `'\''`)+"'")
		fstest.Contains(t, w.cat("shop/SERVER_METADATA.json"), `"project": "`+dir+`"`, `"scope": "project"`)
		if s := w.p.Status(); s.State != "ready" {
			t.Errorf("what is not trusted is no fault: %+v", s)
		}
		if err := w.p.Restart("shop"); err == nil {
			t.Error("it is started though it is not trusted")
		}

		link := filepath.Join(w.dir, "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		project, err := w.p.Trust(link)
		if err != nil || project.Folder != dir || project.Trusted.IsZero() || len(project.Servers) != 1 || project.Servers[0].State != "trusted" {
			t.Fatalf("%+v, %v", project, err)
		}
		w.untilState("shop", "ready")

		// What is trusted outlives the process, and ends with a change.
		w.reopen().startAll()
		w.untilState("shop", "ready")
		w.write(filepath.Join(dir, ".vscode/mcp.json"), "// the same\n"+text("ok"))
		w.p.Reload()
		fstest.Contains(t, w.cat("shop/STATUS.md"), "state: ready\n")
		w.write(filepath.Join(dir, ".vscode/mcp.json"), text("banner"))
		w.p.Reload()
		fstest.Contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n", "have changed since it was trusted", "catalogue: ")
		if s := w.p.Status(); s.State != "degraded" || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Mend, "ctxfs trust ") {
			t.Errorf("a server that was wanted is not told of: %+v", s)
		}
		if got := w.p.Projects(); len(got) != 1 || got[0].Servers[0].State != "changed" {
			t.Errorf("projects: %+v", got)
		}

		// A file that cannot be used is not trusted as a whole.
		w.write(filepath.Join(dir, ".cursor/mcp.json"), "{")
		if _, err := w.p.Trust(dir); err == nil || !strings.Contains(err.Error(), "correct it first") {
			t.Errorf("a broken file is trusted: %v", err)
		}
		w.write(filepath.Join(dir, ".cursor/mcp.json"), `{"mcpServers": {}}`)
		if _, err := w.p.Trust(dir); err != nil {
			t.Fatal(err)
		}
		w.untilState("shop", "ready")
		if project, err := w.p.Revoke(dir); err != nil || project.Servers[0].State != "untrusted" {
			t.Errorf("%+v, %v", project, err)
		}
		fstest.Contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n")
		if _, err := w.p.Revoke(dir); err == nil {
			t.Error("revoked twice")
		}

		// Damaged approvals approve nothing, and can be given again.
		if _, err := w.p.Trust(dir); err != nil {
			t.Fatal(err)
		}
		w.write(filepath.Join(w.opts.State, "trusted.json"), "damaged")
		w.p.Reload()
		fstest.Contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n")
		fstest.Contains(t, w.cat("INDEX.md"), "is damaged: no project is trusted", "ctxfs trust DIR")
		if _, err := w.p.Trust(dir); err != nil {
			t.Fatal(err)
		}
		w.untilState("shop", "cached")
	})
}
