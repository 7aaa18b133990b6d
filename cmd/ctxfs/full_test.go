package main

import (
	"os"
	"strings"
	"testing"
)

// TestDiskFull has no room for anything that ctxfs writes, in a mount namespace of its own,
// which takes the real program: what is shown is still complete, and of the long result of a
// call the beginning is printed, with why the rest is not kept.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a small file system")
	}
	b := realBox(t).zoo("")
	b.write("result.json", `{"content":[{"type":"text","text":"the beginning `+strings.Repeat("and more ", 50_000)+`"}]}`)
	b.write("script", `
set -e
fill() { mkdir -p "$1"; mount -t tmpfs -o size=512k full "$1"; mkdir "$1/ctxfs"; cat /dev/zero > "$1/ctxfs/zero" 2>/dev/null || :; }
fill "$XDG_CACHE_HOME"; fill "$XDG_STATE_HOME"; fill ~/plain
ctxfs mount
ctxfs wait server zoo ready , settled
grep -o 'zoo (6)' .agentctx/AGENTS.md
ls .agentctx/mcps/zoo/tools
ctxfs call zoo open >printed 2>errors || echo "call: $?"
head -c 30 printed; cat errors >&2
ctxfs doctor || echo "doctor: $?"
ctxfs sync --once plain || echo "sync: $?"
rm plain/ctxfs/zero
ctxfs sync --once plain && diff -r -I '^memory: ' --exclude='.ctxfs*' --exclude=ctxfs --exclude=inbox .agentctx plain && echo complete
ctxfs unmount
`)
	r := b.do("timeout", "100", "unshare", "-m", "bash", "-c", "cd ~ && . ./script")
	if r.code != 0 || !containsAll(r.out, []string{"zoo (6)\n", "open.json\n", "the beginning and more", "call: 1\n", "make room; how full it is: df -h ", "doctor: 4\n", "sync: 1\n", "complete\n", "unmounted ~/.agentctx"}) {
		t.Errorf("exit %d\n%v", r.code, r)
	}
	if !strings.Contains(r.out, "no space left on device") || !strings.Contains(r.err, "no space left on device") {
		t.Errorf("the cause is not told: %v", r)
	}
}
