package fusefs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestTextOnDemandIsRenderedWhenAskedFor(t *testing.T) {
	var renders atomic.Int64
	files := make(map[string]fs.Node)
	for i := range 10 {
		files[fmt.Sprint(i)] = fs.NewRendered(epoch, uint64(i), func(context.Context) ([]byte, error) {
			renders.Add(1)
			return fmt.Appendf(nil, "rendered %d\n", i), nil
		})
	}
	root := fs.NewFolder(epoch, map[string]fs.Node{"x": fs.NewFolder(epoch, files)})
	m := mounted(t, root, fs.TreeOptions{})
	for _, step := range []struct {
		want, script string
		renders      int64
	}{
		{"10", "ls x | wc -l", 0},
		{"10", "find . -type f | wc -l", 0},
		{"10", "rg --files | wc -l", 0},
		{"1", "ls -ld x | wc -l", 0},
		{"rendered 3", "cat x/3", 1},
		{"11", "stat -c %s x/3", 1},
		{"11", "wc -c <x/4", 2},
		{"rendered 5", `python3 -c 'import mmap; f = open("x/5"); print(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[:].decode(), end="")'`, 3},
		{"10", "ls x | wc -l", 3},
		{"11", "ls -l x | wc -l", 10},
		{"10", "find x -size -2 -type f | wc -l", 10},
		{"10", "rg -c rendered x | wc -l", 10},
	} {
		m.expect(step.want, step.script)
		fstest.Equal(t, renders.Load(), step.renders, "renderings", step.script)
	}
}

// A size once shown stays, or programs that have mapped the file would lose
// their pages.
func TestRenderedSizeStaysWhileListedAgain(t *testing.T) {
	x := fs.NewFolder(epoch, map[string]fs.Node{"text": fs.NewRendered(epoch, 1, func(context.Context) ([]byte, error) {
		return versionBody(1), nil
	})})
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"x": liveFolder{x}}), fs.TreeOptions{})
	holder := start(t, m.command(t.Context(), `exec python3 -c '
import mmap, sys
with open("x/text") as f:
    mapped = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
print("mapped", flush=True)
for line in sys.stdin:
    print(len(mapped[:]), flush=True)'`))
	holder.hear("mapped")
	for range 3 {
		x.Set(epoch, "text", fs.NewRendered(epoch, 1, func(context.Context) ([]byte, error) { return versionBody(1), nil }))
		m.run("ls -lR; find . -printf '%y\n'")
		m.changed("x/text")
		fmt.Fprintln(holder.stdin)
		fstest.Equal(t, holder.line(), fmt.Sprint(len(versionBody(1))), "holder's mapping")
	}
	holder.end()
}

func TestFailedRenderingIsTriedAgain(t *testing.T) {
	var fails atomic.Bool
	fails.Store(true)
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"text": fs.NewRendered(epoch, 1, func(context.Context) ([]byte, error) {
		if fails.Load() {
			return nil, errors.New("not now")
		}
		return []byte("now\n"), nil
	})}), fs.TreeOptions{})
	m.expect("cat: text: Input/output error", "cat text 2>&1; true")
	fails.Store(false)
	m.expect("now", "cat text")
}
