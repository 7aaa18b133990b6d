package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestNewcomer has testdata/newcomer/walk.sh walk from a home without ctxfs through all of
// it and back. Of the user whose walk it is, nothing is left on the machine.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	need(t, "jq")
	need(t, "rg")
	const real = "@modelcontextprotocol/server-filesystem"
	server := filepath.Join(fstest.NodeModules(t, real), real, "dist", "index.js")
	b := newUserBox(t)
	if err := b.command(t.Context(), "test", "-r", server).Run(); err != nil {
		t.Skipf("another user cannot read %s", server)
	}
	newer := newerProgram(t)
	shop := filepath.Join(b.home, "src", "shop")
	b.write("src/shop/README.md", "# Shop: begin here\n")
	b.write(".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"files\": {\"command\": \"node\", \"args\": ["+strconv.Quote(server)+", "+strconv.Quote(shop)+"]}\n  }\n}\n")
	b.write(".claude/settings.json", "{ // mine\n    \"permissions\": {\"allow\": [\"Bash(git diff:*)\"]},\n    \"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}]}\n}")
	b.write(".codex/config.toml", "# mine\nmodel = \"o9\"   # the large one\n")
	b.write(".codex/AGENTS.md", "Answer in Latin.\r\n")
	b.claude(numbatID, "Wake the numbat").idle()
	script, err := filepath.Abs("../../testdata/newcomer/walk.sh")
	must(t, err)
	text := readFile(t, script)
	must(t, fstest.WriteProgram(filepath.Join(b.dir, "walk.sh"), []byte(text), 0o755))
	for _, args := range [][]string{
		{"-C", shop, "init", "-q"}, {"-C", shop, "add", "."},
		{"-C", shop, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "Begin the shop"},
	} {
		if out, err := b.command(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	begun := time.Now()
	cmd := b.command(t.Context(), "sh", filepath.Join(b.dir, "walk.sh"), binary(), newer)
	cmd.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, out, b.log())
	}
	// Other tests have folders of their own.
	find := `find / -xdev \( -path /proc -o -path "$1" -o -path '/tmp/Test*' -o -path '/tmp/cx*' -o -path '/tmp/ctxfs-*' \) -prune -o -user "$2" -newermt "$3" -print`
	left, _ := b.command(t.Context(), "sh", "-c", find, "sh", base, fmt.Sprint(b.uid), begun.Format("2006-01-02 15:04:05")).Output() // not all may be read
	fstest.Equal(t, strings.TrimSpace(string(left)), "", "files are left")
	if left := processesOf(b.dir); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
