package skills

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestWhatMayNotBeRead(t *testing.T) {
	h := home(t, map[string]string{
		".claude/skills/ok/SKILL.md":     md("ok", "fine"),
		".claude/skills/locked/SKILL.md": md("locked", "in a folder"),
		".claude/skills/file/SKILL.md":   md("file", "itself"),
		".cursor/skills/x/SKILL.md":      md("x", "in a root"),
	})
	for _, path := range []string{".claude/skills/locked", ".claude/skills/file/SKILL.md", ".cursor/skills"} {
		path := filepath.Join(h, path)
		must(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
	for dir := h; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	var f *fixture
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and the thread ends with the goroutine
		if os.Geteuid() == 0 {
			must(t, syscall.Setfsuid(65534))
		}
		f = start(t, h, offline)
	}()
	<-done
	if f == nil {
		t.FailNow()
	}
	f.wantNames("", "INDEX.md", "agentctx", "file", "locked", "ok")
	f.wantIndex("ok — fine",
		"- ~/.claude/skills/locked: cannot be read: permission denied; fix: chmod -R u+rX ~/.claude/skills/locked",
		"- ~/.claude/skills/file/SKILL.md: cannot be read: permission denied; fix: chmod -R u+rX ~/.claude/skills/file/SKILL.md",
		"- ~/.cursor/skills: cannot be read: permission denied; fix: chmod -R u+rX ~/.cursor/skills")
	if s := f.Status(); s.State != "degraded" || len(s.Problems) != 3 {
		t.Errorf("status %+v", s)
	}
}
