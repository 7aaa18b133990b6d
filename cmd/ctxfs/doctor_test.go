package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/fstest"
)

// doctor returns what ctxfs doctor says of one check.
func (b *box) doctor(check string) (found []mount.Finding) {
	b.Helper()
	r := b.run("doctor", "--json")
	var all []mount.Finding
	if err := json.Unmarshal([]byte(r.out), &all); err != nil {
		b.Fatalf("%v: %v", err, r)
	}
	ill := slices.ContainsFunc(all, func(f mount.Finding) bool { return !f.OK })
	if ill != (r.code == exitProblems) || !ill && r.code != 0 {
		b.Errorf("exit %d: %s", r.code, r.out)
	}
	for _, f := range all {
		if f.Check == check {
			found = append(found, f)
		}
		if !f.OK && f.Mend == "" {
			b.Errorf("no fix: %+v", f)
		}
	}
	return found
}

// TestDoctorSetup: what setup wrote is checked, and the command that is named repairs it.
func TestDoctorSetup(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".cursor/mcp.json", "{}")
	b.write(".claude/settings.json", `{"model": "opus"}`)
	if f := b.doctor("setup"); len(f) != 1 || !f[0].OK || !containsAll(f[0].What, []string{"not set up", "claude-code", "cursor"}) {
		t.Errorf("%+v", f)
	}
	b.ok("setup", "cursor", "claude-code")
	if f := b.doctor("setup"); len(f) != 1 || !f[0].OK || !strings.Contains(f[0].What, "in place for 2 agents") {
		t.Errorf("%+v", f)
	}
	b.write(".claude/settings.json", `{"model": "opus"}`)
	f := b.doctor("setup")
	if len(f) != 2 || f[0].OK || f[0].Mend != "ctxfs setup claude-code" || !containsAll(f[0].What, []string{"Claude Code is not set up as it was: ~/.claude/settings.json (", "hook"}) {
		t.Errorf("%+v", f)
	}
	b.sh(f[0].Mend)
	if f := b.doctor("setup"); len(f) != 1 || !f[0].OK {
		t.Errorf("%+v", f)
	}
	b.write(".cursor/hooks.json", "{") // what cannot be read is named, too
	if f := b.doctor("setup"); len(f) != 2 || f[0].OK || !strings.Contains(f[0].What, "~/.cursor/hooks.json: ") {
		t.Errorf("%+v", f)
	}
}

// TestDoctorMachine checks PATH, versions and disk use.
func TestDoctorMachine(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".cursor/mcp.json", "{}")
	agent := filepath.Join(b.home, ".npm/lib/node_modules/@anthropic-ai/claude-code")
	must(t, os.MkdirAll(agent, 0o755))
	must(t, os.WriteFile(filepath.Join(agent, "package.json"), []byte(`{"name": "@anthropic-ai/claude-code", "version": "2.1.278"}`), 0o600))
	must(t, fstest.WriteProgram(filepath.Join(agent, "cli.js"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	must(t, os.MkdirAll(filepath.Join(b.home, ".npm/bin"), 0o755))
	must(t, os.Symlink("../lib/node_modules/@anthropic-ai/claude-code/cli.js", filepath.Join(b.home, ".npm/bin/claude")))
	path := os.Getenv("PATH")
	b.setenv("PATH", filepath.Join(b.home, ".npm/bin")+":"+filepath.Dir(b.program())+":"+path)
	if f := b.doctor("versions"); len(f) != 1 || !containsAll(f[0].What, []string{"ctxfs ", "claude-code 2.1.278"}) {
		t.Errorf("%+v", f)
	}
	if f := b.doctor("path"); len(f) != 1 || !f[0].OK || !strings.Contains(f[0].What, "is this program") {
		t.Errorf("%+v", f)
	}
	if f := b.doctor("disk"); len(f) != 2 || !f[0].OK || !strings.Contains(f[0].What, "state ") || !strings.Contains(f[1].What, "cache ") {
		t.Errorf("%+v", f)
	}
	must(t, fstest.WriteProgram(filepath.Join(b.home, ".npm/bin/ctxfs"), []byte("#!/bin/sh\necho ctxfs 0.0.1\n"), 0o755))
	if f := b.doctor("path"); len(f) != 1 || f[0].OK || !containsAll(f[0].What, []string{"~/.npm/bin/ctxfs (version 0.0.1)", "behind it in PATH: "}) {
		t.Errorf("%+v", f)
	}
	b.setenv("PATH", "/usr/bin:/bin:"+filepath.Join(b.home, ".local/bin"))
	f := b.doctor("path")
	if len(f) != 1 || f[0].OK || !strings.HasPrefix(f[0].Mend, "mkdir -p ~/.local/bin; ln -s ") {
		t.Fatalf("%+v", f)
	}
	b.sh(f[0].Mend)
	if f := b.doctor("path"); len(f) != 1 || !f[0].OK {
		t.Errorf("%+v", f)
	}
}
