package main

import (
	"os"
	"strings"
	"testing"
)

// TestDiskFull has no room for anything that ctxfs writes, in a mount namespace of
// its own: what is shown is still complete.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a small file system")
	}
	b := realBox(t)
	b.stub("zoo", "", nil)
	b.write("script", `
set -e
fill() { mkdir -p "$1"; mount -t tmpfs -o size=512k full "$1"; mkdir "$1/ctxfs"; cat /dev/zero > "$1/ctxfs/zero" 2>/dev/null || :; }
fill "$XDG_CACHE_HOME"; fill "$XDG_STATE_HOME"; fill ~/plain
ctxfs mount
until grep -q 'state: ready' .agentctx/mcps/zoo/STATUS.md && grep -q 'zoo (1)' .agentctx/AGENTS.md; do sleep 0.05; done
ls .agentctx/mcps/zoo/tools
ctxfs doctor || echo "doctor: $?"
ctxfs sync --once plain || echo "sync: $?"
rm plain/ctxfs/zero
ctxfs sync --once plain && diff -r -I '^memory: ' --exclude='.ctxfs*' --exclude=ctxfs --exclude=inbox .agentctx plain && echo complete
ctxfs unmount
`)
	r := b.do("timeout", "100", "unshare", "-m", "bash", "-c", "cd ~ && . ./script")
	if r.code != 0 || !containsAll(r.out, []string{"greet.json\n", "make room; how full it is: df -h ", "doctor: 4\n", "sync: 1\n", "complete\n", "unmounted ~/.agentctx"}) {
		t.Errorf("exit %d\n%v", r.code, r)
	}
	if !strings.Contains(r.out, "no space left on device") || !strings.Contains(r.err, "no space left on device") {
		t.Errorf("the cause is not told: %v", r)
	}
}
