package fusefs

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

// inbox is a mounted drop, named calls, and what was delivered to it.
type inbox struct {
	*mountedTree
	drop *drop.Folder

	mu        sync.Mutex
	delivered map[string]int    // how often, by name
	bodies    map[string]string // the last one
	from      map[string]fs.Standpoint
	wait      chan struct{} // if not nil, outcomes wait for it
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	b := &inbox{delivered: make(map[string]int), bodies: make(map[string]string), from: make(map[string]fs.Standpoint)}
	var tree *fs.Tree
	b.drop = drop.New(drop.Options{
		Accept: func(_ context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.delivered[name]++
			b.bodies[name], b.from[name] = string(body), from
			wait := b.wait
			return func(ctx context.Context) drop.Outcome {
				if wait != nil {
					select {
					case <-wait:
					case <-ctx.Done():
					}
				}
				return drop.Outcome{OK: true, Text: fmt.Sprint(name, " has ", len(body), " bytes")}
			}, nil
		},
		Static:  map[string]fs.Node{"README.md": text("put JSON here\n")},
		Now:     time.Now,
		Changed: func(name string) { tree.Changed("calls/" + name) },
	})
	root := fs.NewFolder(epoch, map[string]fs.Node{"calls": b.drop, "other": text("other\n")})
	mt := mountedWith(t, root, fs.TreeOptions{}, func(t *fs.Tree) { tree = t })
	b.mountedTree = mt
	t.Cleanup(func() { b.drop.Close() })
	return b
}

func (b *inbox) times(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.delivered[name]
}

func (b *inbox) body(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bodies[name]
}

func TestWritersOfEveryKind(t *testing.T) {
	b := newInbox(t)
	const body = `{"a": [1, "}", {"b": "\""}], "c": "ü"}`
	for name, script := range map[string]string{
		"echo":    `echo "$1" > calls/echo`,
		"printf":  `printf %s "$1" > calls/printf`,
		"append":  `echo "$1" >> calls/append`,
		"pieces":  `{ printf %s "${1:0:9}"; sleep 0.01; stat -L /dev/stdout >/dev/null; printf %s "${1:9}"; } >> calls/pieces`,
		"heredoc": "cat > calls/heredoc <<END\n$1\nEND",
		"tee":     `echo "$1" | tee calls/tee >/dev/null`,
		"dd":      `echo "$1" | dd of=calls/dd bs=7 2>/dev/null`,
		"dd sync": `echo "$1" | dd of="calls/dd sync" conv=fsync 2>/dev/null`,
		"cp":      `echo "$1" > "$2/f"; cp "$2/f" calls/cp`,
		"cp -p":   `echo "$1" > "$2/f"; cp -p "$2/f" "calls/cp -p"`,
		"mv":      `echo "$1" > "$2/f"; mv "$2/f" calls/mv`,
		"curl":    `echo "$1" > "$2/f"; curl -sS -o calls/curl "file://$2/f"`,
		"python3": `python3 -c 'import sys; f = open("calls/python3", "w"); f.write(sys.argv[1]); f.close()' "$1"`,
		"append python": `python3 -c '
import sys
with open("calls/append python", "a") as f:
    f.write(sys.argv[1][:5]); f.flush(); assert f.tell() == 5, f.tell()
    f.write(sys.argv[1][5:])' "$1"`,
		"node":  `node -e 'require("fs").writeFileSync("calls/node", process.argv[1])' "$1"`,
		"jq":    `jq -n "$1" > calls/jq`,
		"twice": `exec 5>calls/twice; printf %s "${1:0:3}" >&5; printf %s "${1:3}" >&5; exec 5>&-`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(strings.Fields(name)[0]); err != nil && (name == "curl" || name == "node" || name == "jq") {
				t.Skipf("%s is not installed", name)
			}
			if out, code := b.run(script, body, t.TempDir()); code != 0 || out != "" {
				t.Fatalf("exit %d: %s", code, out)
			}
			fstest.Equal(t, b.times(name), 1, "delivered")
			var got, want any
			if err := json.Unmarshal([]byte(b.body(name)), &got); err != nil {
				t.Errorf("%v: %q", err, b.body(name))
			}
			json.Unmarshal([]byte(body), &want)
			fstest.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "delivered", b.body(name))
			b.expect("true\n1\nNo", `jq .ok "calls/$1.result"; ls calls | grep -cx "$1.result"; [ -e "calls/$1" ] || echo No`, name)
		})
	}
}

func TestLargeBody(t *testing.T) {
	b := newInbox(t)
	b.expect("", `python3 -c 'import json; print(json.dumps({"a": "x" * (10 << 20)}))' > "$1/f"; cp "$1/f" calls/cp; cat "$1/f" > calls/cat`, t.TempDir())
	b.expect("cat has 10485769 bytes\ncp has 10485769 bytes", "jq -r .text calls/cat.result calls/cp.result")
}

func TestWrongBodyFailsTheWrite(t *testing.T) {
	b := newInbox(t)
	for _, body := range []string{"hello", `{"a": }`, `[1]`, `{"a": 1} and more`} {
		out, code := b.run(`echo "$1" > calls/x`, body)
		if code == 0 || !strings.Contains(out, "Invalid argument") {
			t.Errorf("%s: exit %d: %s", body, code, out)
		}
		b.expect("false", "jq .ok calls/x.result")
	}
	for _, name := range []string{".hidden", "x~", "y.result"} {
		out, code := b.run(`echo "{}" > "calls/$1"`, name)
		if code == 0 || !strings.Contains(out, "Invalid argument") {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
	}
	for _, script := range []string{"echo {} > calls/README.md", "rm calls/README.md", "mkdir calls/new", "mv calls/README.md calls/x", "touch calls/x.result", "rm -f calls/x.result"} {
		out, code := b.run(script)
		if code == 0 || !strings.Contains(out, "Read-only file system") {
			t.Errorf("%s: exit %d: %s", script, code, out)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	fstest.Equal(t, len(b.delivered), 0, "delivered")
}

func TestBodyThatIsNeverFinished(t *testing.T) {
	b := newInbox(t)
	b.expect("", "touch calls/empty; printf '{\"a\"' > calls/half")
	b.expect("false\nfalse", "jq .ok calls/empty.result calls/half.result")

	c := start(t, b.command(t.Context(), `exec 5>calls/killed; printf '{"a"' >&5; echo written; read x`))
	c.hear("written")
	b.expect("calls/README.md calls/empty.result calls/half.result", "echo calls/*")
	c.kill()
	b.expect("false", "jq .ok calls/killed.result")
}

// The body is delivered when it is complete, even if a process still has the
// file open.
func TestHolderOfAFinishedFile(t *testing.T) {
	b := newInbox(t)
	c := start(t, b.command(t.Context(), `exec 5>calls/held; echo '{"a":1}' >&5; echo written; read x; echo ' ' >&5 && echo space; echo more >&5 || echo refused; read x`))
	c.hear("written")
	b.expect("held has 7 bytes", "jq -r .text calls/held.result")
	fmt.Fprintln(c.stdin)
	c.hear("space")
	c.hear("refused")
	b.expect("", "echo '{}' > calls/held") // the name is free again
	b.expect("held has 2 bytes", "jq -r .text calls/held.result")
	c.kill()
	b.expect("held has 2 bytes", "jq -r .text calls/held.result")
}

func TestResultIsWaitedFor(t *testing.T) {
	b := newInbox(t)
	wait := make(chan struct{})
	b.mu.Lock()
	b.wait = wait
	b.mu.Unlock()
	b.expect("", "echo '{}' > calls/x")
	readers := []*child{
		start(t, b.command(t.Context(), "echo begun; cat calls/x.result")),
		start(t, b.command(t.Context(), "echo begun; exec cat calls/x.result")),
	}
	for _, r := range readers {
		r.hear("begun")
	}
	// Meanwhile everything else goes on, the folder too.
	b.expect("README.md", "ls calls")
	b.expect("other", "cat other")
	b.expect("put JSON here", "cat calls/README.md")
	b.expect("", "echo '{\"y\":1}' > calls/y")
	if out, code := b.run("echo '{}' > calls/x"); code == 0 || !strings.Contains(out, "File exists") {
		t.Errorf("a name under way: exit %d: %s", code, out)
	}
	readers[1].kill() // who waits can be stopped
	close(wait)
	readers[0].hear("x has 2 bytes")
	readers[0].end()
	b.expect("y has 7 bytes", "jq -r .text calls/y.result")
}

// The result of a name that is used again is never the previous one.
func TestNameUsedAgain(t *testing.T) {
	b := newInbox(t)
	script := `for i in $(seq 100 150); do echo "{\"i\":$i$(printf %$((i-100))s)}" > calls/x; cat calls/x.result; done | jq -r .text`
	var want []string
	for i := range 51 {
		want = append(want, fmt.Sprintf("x has %d bytes", len(`{"i":100}`)+i))
	}
	b.expect(strings.Join(want, "\n"), script)
}

func TestManyWriters(t *testing.T) {
	b := newInbox(t)
	writers, each := 40, fstest.Rounds(100)
	if testing.Short() {
		writers = 10
	}
	b.expect(fmt.Sprint(writers*each), `
		for w in $(seq $2); do
			(for i in $(seq $3); do echo "{\"w\": $w, \"i\": $i}" > calls/$w-$i && cat calls/$w-$i.result || echo fault; done) &
		done >"$1/out"
		wait
		grep -c '"ok":true' "$1/out"`, t.TempDir(), fmt.Sprint(writers), fmt.Sprint(each))
	for w := 1; w <= writers; w++ {
		for i := 1; i <= each; i++ {
			name := fmt.Sprintf("%d-%d", w, i)
			if n, body := b.times(name), b.body(name); n != 1 || body != fmt.Sprintf(`{"w": %d, "i": %d}`, w, i) {
				t.Errorf("%s was delivered %d times: %s", name, n, body)
			}
		}
	}
	settle(t, b)
	b.expect(fmt.Sprint(writers*each+1), "ls calls | wc -l")
}

// What was being written when the mount ends is abandoned.
func TestUnmountEndsUnfinishedFiles(t *testing.T) {
	t.Parallel() // it waits for timeToLeave
	b := newInbox(t)
	c := start(t, b.command(t.Context(), `exec 5>calls/x; printf '{"a"' >&5; cd /; echo written; read x`))
	c.hear("written")
	fstest.Equal(t, b.Unmount(), ErrBusy, "unmount")
	c.kill()
	<-b.Done()
	n, err := b.drop.Lookup(t.Context(), "x.result")
	fstest.Must(t, err)
	body, err := b.tree.ReadAll(t.Context(), n.(fs.File))
	if err != nil || !strings.Contains(string(body), `"ok":false`) {
		t.Errorf("%s %v", body, err)
	}
}
