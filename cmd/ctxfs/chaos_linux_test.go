package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/mounts/guard"
)

var (
	chaosTime = flag.Duration("chaos", 30*time.Second, "how long TestChaos runs")
	chaosSeed = flag.Uint64("chaos.seed", 0, "the seed of what TestChaos chooses; one of its own by default")
)

// longestRead is how long anything may take that reads, apart from the time for
// which what it waits for was stopped, on a machine that has not more than ten
// programs for each processor that want it.
const longestRead = 5 * time.Second

// The most that the background process may hold.
const (
	maxChaosMemory      = 600 << 20
	maxChaosDescriptors = 1500
)

// chaos is a box where everything goes wrong at random.
type chaos struct {
	*box
	random *rand.Rand
	during context.Context
	end    context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	stopped time.Duration // for how long what serves has been stopped
	since   time.Time     // when it was stopped, if it is
	counts  map[string]int
	longest time.Duration
	memory  int              // the most that was seen, in bytes
	seen    map[int]struct{} // processes
}

// TestChaos has servers that hang, die, flood and lie, readers everywhere,
// configuration that is rewritten and broken, terminals that flood, and kills
// and stops everything at random. What is read and what calls answer must be
// right, or an error, within [longestRead]; and in the end all is well.
//
//	CTXFS_TEST=chaos go test ./cmd/ctxfs -run TestChaos -chaos 15m -timeout 20m
//
// With the race detector reads have no limit.
// What is chosen depends on the seed alone, when it happens on the machine too.
func TestChaos(t *testing.T) {
	fstest.OptIn(t, "chaos")
	seed := *chaosSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("to choose the same: -chaos.seed %d", seed)
	c := &chaos{box: realBox(t), random: rand.New(rand.NewPCG(seed, 0)), counts: make(map[string]int), seen: make(map[int]struct{})}
	c.during, c.end = context.WithCancel(t.Context())
	c.configureServers()
	c.rewriteSkill(0)
	c.mount()
	c.ready("zoo")
	t.Cleanup(c.end)

	for i := range 6 {
		c.loop(fmt.Sprint("reader ", i), c.readOne)
	}
	c.loop("walker", c.walk)
	c.loop("caller", c.callOne)
	c.loop("terminal", c.flood)
	c.loop("mounter", c.mountAgain)
	c.loop("watcher", c.measure)
	for end := time.Now().Add(*chaosTime); time.Now().Before(end) && !t.Failed(); {
		c.next()
	}
	c.end()
	c.wg.Wait()
	c.calm()

	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%v; the longest read %v; at most %d MB", c.counts, c.longest.Round(time.Millisecond), c.memory>>20)
	for _, what := range []string{"read", "walk", "call", "mount"} {
		if c.counts[what] == 0 {
			t.Errorf("no %s succeeded", what)
		}
	}
}

// loop does something over and over until the end.
func (c *chaos) loop(name string, once func(turn int)) {
	c.wg.Go(func() {
		for turn := 0; c.during.Err() == nil; turn++ {
			once(turn)
		}
	})
}

// next does one of the things that go wrong. It draws the same numbers whatever
// the state of the machine.
func (c *chaos) next() {
	kind, which := c.random.IntN(100), c.random.Uint64()
	pause := time.Duration(c.random.IntN(150)) * time.Millisecond
	switch {
	case kind < 8:
		c.kill("daemon", which)
	case kind < 12:
		c.kill("guardian", which)
	case kind < 14:
		c.kill("guardian", which)
		c.kill("daemon", which)
	case kind < 30:
		c.kill("server", which)
	case kind < 40:
		c.kill("reader", which)
	case kind < 46:
		c.kill("terminal", which)
	case kind < 54:
		c.stopFor("daemon", which, 3*pause)
	case kind < 58:
		c.stopFor("guardian", which, 3*pause)
	case kind < 62:
		c.stopFor("server", which, 3*pause)
	case kind < 66:
		c.stopFor("reader", which, pause)
	case kind < 72:
		c.write(".cursor/mcp.json", []string{"{", `{"mcpServers": 7}`, "\x00", `{"mcpServers":{"zoo":{}}}`}[which%4])
	case kind < 80:
		c.configureServers()
	case kind < 96:
		c.rewriteSkill(which)
	default:
		c.run("unmount")
	}
	c.pause(pause)
}

// pause lets some time of the chaos pass.
func (c *chaos) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.during.Done():
	}
}

// find lists the processes of a kind, of those that the box has started.
func (c *chaos) find(kind string) []int {
	var pids []int
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range processesOf(c.dir) {
		c.seen[p.pid] = struct{}{}
		is := "reader"
		switch {
		case strings.HasPrefix(p.args, "ctxfs guard "):
			is = "guardian"
		case strings.HasSuffix(p.args, "ctxfs daemon"):
			is = "daemon"
		case strings.HasPrefix(p.args, stubPath()):
			is = "server"
		case strings.Contains(p.args, "flood"):
			is = "terminal"
		case strings.HasPrefix(p.args, binary()):
			is = "command"
		}
		if is == kind {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// kill kills one process of a kind.
func (c *chaos) kill(kind string, which uint64) {
	if pids := c.find(kind); len(pids) > 0 {
		_ = syscall.Kill(pids[which%uint64(len(pids))], syscall.SIGKILL)
		c.count("killed " + kind)
	}
}

// stopFor stops one process of a kind for some time.
func (c *chaos) stopFor(kind string, which uint64, pause time.Duration) {
	pids := c.find(kind)
	if len(pids) == 0 {
		return
	}
	pid := pids[which%uint64(len(pids))]
	serves := kind == "daemon" || kind == "guardian" // a dead mount waits for a guardian that is stopped
	if serves {
		c.mu.Lock()
		c.since = time.Now()
		c.mu.Unlock()
	}
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	c.pause(pause)
	_ = syscall.Kill(pid, syscall.SIGCONT)
	if serves {
		c.mu.Lock()
		c.stopped += time.Since(c.since)
		c.since = time.Time{}
		c.mu.Unlock()
	}
	c.count("stopped " + kind)
}

// standstill is for how long what serves has been stopped so far.
func (c *chaos) standstill() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return c.stopped
	}
	return c.stopped + time.Since(c.since)
}

func (c *chaos) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// measure looks at what the background process holds.
func (c *chaos) measure(int) {
	for _, kind := range []string{"daemon", "guardian"} {
		for _, pid := range c.find(kind) {
			fds, _ := os.ReadDir(procOf(pid) + "/fd")
			if len(fds) > maxChaosDescriptors {
				c.Errorf("%s %d has %d descriptors", kind, pid, len(fds))
			}
			status, _ := os.ReadFile(procOf(pid) + "/status")
			for line := range strings.Lines(string(status)) {
				var kb int
				if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kb); n == 1 {
					c.mu.Lock()
					c.memory = max(c.memory, kb<<10)
					c.mu.Unlock()
					if kb<<10 > maxChaosMemory && !fstest.Race() {
						c.Errorf("%s %d holds %d MB", kind, pid, kb>>10)
					}
				}
			}
		}
	}
	c.pause(500 * time.Millisecond)
}

// calm lets everything go on and looks whether all is well again.
func (c *chaos) calm() {
	for _, p := range processesOf(c.dir) {
		_ = syscall.Kill(p.pid, syscall.SIGCONT)
	}
	c.configureServers()
	c.rewriteSkill(1)
	fstest.Eventually(c.T, "a mount", func() bool { return c.run("mount").code == 0 })
	fstest.Eventually(c.T, "the last version of the skill", func() bool {
		text, err := os.ReadFile(c.mnt("skills/walk/data.txt"))
		return err == nil && strings.HasPrefix(string(text), fmt.Sprintf("version %020d\n", 1)) && sealed(string(text))
	})
	fstest.Eventually(c.T, "a call is answered", func() bool {
		r := c.run("call", "zoo", "greet", "--who", "nonce-last")
		return r.code == 0 && strings.Contains(r.out, "nonce-last")
	})
	fstest.Eventually(c.T, "everything that was killed ends", func() bool {
		for pid := range c.seen {
			if guard.StateOf(procOf(pid)) == guard.Dying {
				return false
			}
		}
		return true
	})
	for _, pid := range c.find("terminal") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if left, err := filepath.Glob(filepath.Join(c.state, "ctxfs", "*.tmp*")); err != nil || len(left) > 0 {
		c.Errorf("left behind: %v, %v", left, err)
	}
}
