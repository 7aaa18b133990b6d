package exec

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
)

func TestOutputsExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := configured(t, "[exec.x]\nlifetime = \"10s\"\n\"{key}.txt\" = "+sh("+ echo $1", "{key}"))
		f.Start()
		f.read("x/a.txt")
		for _, want := range []bool{true, false} {
			fstest.Equal(t, slices.Contains(fstest.Names(t, f.tree, "x"), "a.txt"), want, "it is listed")
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		f.wantRan(1)
		f.read("x/a.txt")
		f.wantRan(2)
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.h]
timeout = "1ms"
"hangs/{key}" = `+sh(`sleep 1000`)+`
[exec.x]
max_size = "1 KB"
"{key}.txt" = `+sh(`+ [ ! -e $HOME/bad ] || { echo "error: it is bad" >&2; exit 7; }; echo "good $1"`, "{key}")+`
"json/{key}.json" = `+sh(`echo "no such thing" >&2; exit 1`)+`
"long/{key}" = `+sh(`head -c 1000000 /dev/zero | tr '\0' x`)+`
"missing/{key}" = ["no-such-program-here"]
"control/{key}" = `+sh(`printf 'a\033[31mred\033[0m\007\000b\r\nTOKEN=ghp_%s\n' 0123456789abcdefghijABCDEFGHIJ012345`)+`
`, func(o *Options) {
		now := time.Now()
		var mu sync.Mutex
		o.Env.Now = func() time.Time { // what was fetched expires soon
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(40 * time.Second)
			return now
		}
	})
	good := f.read("x/a.txt")
	if good != "good a\n" {
		t.Fatalf("%q", good)
	}
	fstest.Must(t, os.WriteFile(filepath.Join(f.home, "bad"), nil, 0o600))
	f.refreshIt("x", "a.txt")
	bad := f.read("x/a.txt")
	fstest.Contains(t, bad, "exited with 7", "error: it is bad", "a.txt.last-good")
	fstest.Equal(t, f.read("x/a.txt.last-good"), good)
	var failed failed
	if err := json.Unmarshal([]byte(f.read("x/json/a.json")), &failed); err != nil || !strings.Contains(failed.Error, "no such thing") {
		t.Errorf("%+v, %v", failed, err)
	}
	fstest.Contains(t, f.read("h/hangs/a"), "had not ended after 1ms", "timeout in [exec.h]")
	fstest.Contains(t, f.read("x/long/a"), "printed more than 1.0 KB", "max_size")
	fstest.Contains(t, f.read("x/missing/a"), "no program in PATH is called no-such-program-here")
	if got := f.read("x/control/a"); !strings.HasPrefix(got, "ared") || strings.ContainsAny(got, "\x1b\x07\x00\r") || strings.Contains(got, "ghp_01") {
		t.Errorf("%q", got)
	}
}

func (f *fixture) refreshIt(folder, name string) {
	f.t.Helper()
	one := f.folders[folder]
	r, values, ok := one.match(split(name))
	if !ok {
		f.t.Fatal("no rule")
	}
	if failed, ok := one.fetch(f.t.Context(), name, target{r, values}); !ok || failed == "" {
		f.t.Fatalf("%q, %v", failed, ok)
	}
	one.publish()
}

func TestACacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("echo $1", "{key}"), func(o *Options) { o.Cache = filepath.Join(o.Home, "config.toml", "cache") })
	fstest.Equal(t, f.read("x/a.txt"), "a\n")
	fstest.Equal(t, f.read("x/a.txt"), "a\n")
	if s := f.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "in memory only") {
		t.Errorf("%+v", s)
	}
}

func TestWhatNothingNeedsLeavesTheDisk(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("echo $1", "{key}"))
	f.read("x/a.txt")
	dir := filepath.Join(f.opts.Cache, "x")
	old := time.Now().Add(-2 * defaultLifetime)
	for _, name := range []string{"gone.json", "gone.out", ".tmp-1"} {
		path := filepath.Join(dir, name)
		fstest.Must(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, old, old)))
	}
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "young.out"), nil, 0o600))
	f.reopen()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 { // an output, about it, the young one
		t.Errorf("%v, %v", left, err)
	}
	fstest.Equal(t, f.read("x/a.txt"), "a\n")
}

func TestOutputsOfFoldersThatAreGoneLeaveTheDisk(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.old]\n\"a\" = [\"echo\", \"a\"]\n[exec.young]\n\"a\" = [\"echo\", \"a\"]\n")
	f.refreshed("old")
	f.refreshed("young")
	dir := filepath.Join(f.opts.Cache, "old")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 { // an output, about it, the listings
		t.Fatalf("%v, %v", entries, err)
	}
	before := time.Now().Add(-2 * goneTime)
	for _, e := range entries {
		fstest.Must(t, os.Chtimes(filepath.Join(dir, e.Name()), before, before))
	}
	starts := func(config string) {
		f.configure(config)
		f.reopen()
		f.Start()
	}
	starts("[exec.ol") // a fault in the file costs nothing
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	starts("")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Join(f.opts.Cache, "young")); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestAnOutputHasTheTimeOfItsRun(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("echo $1", "{key}"))
	node, err := f.tree.Resolve(t.Context(), "x/a.txt")
	fstest.Must(t, err)
	before := time.Now()
	first, err := f.tree.Stat(t.Context(), node)
	if err != nil || first.ModTime.Before(before) || first.ModTime.After(time.Now()) {
		t.Errorf("%+v, %v", first, err)
	}
	if got := fstest.Names(t, f.tree, "x"); !slices.Contains(got, "a.txt") {
		t.Errorf("it is not listed: %q", got)
	}
	f.reopen()
	listed, err := f.tree.Resolve(t.Context(), "x/a.txt")
	fstest.Must(t, err)
	if a, err := f.tree.Stat(t.Context(), listed); err != nil || !a.ModTime.Equal(first.ModTime) || a.Mode != first.Mode {
		t.Errorf("%+v, then %+v, %v", first, a, err)
	}
}

func TestOutputsThatAreNoText(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.x]
"random/{key}" = `+sh(`head -c 3000 /dev/urandom`)+`
"wide/{key}" = `+sh(`printf 'w\0i\0d\0e\0'`)+`
"odd/{key}" = `+sh(`printf 'a\342\200\256b\363\240\201\201c \377 tail\n'`)+`
"nothing/{key}" = `+sh(`:`)+`
`)
	fstest.Contains(t, f.read("x/random/a"), "ctxfs: sh printed 3.0 KB that are no text")
	fstest.Contains(t, f.read("x/wide/a"), "that are no text")
	fstest.Equal(t, f.read("x/odd/a"), "abc  tail\n")
	fstest.Equal(t, f.read("x/nothing/a"), "")
	if got := fstest.Names(t, f.tree, "x/nothing"); !slices.Contains(got, "a") {
		t.Errorf("it is not listed: %q", got)
	}
}

func TestTheLastGoodOutputIsFound(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"a.txt\" = "+sh(`+ [ ! -e $HOME/bad ] || exit 7; echo "a walrus"`))
	f.Start()
	f.refreshed("x")
	fstest.Must(t, os.WriteFile(filepath.Join(f.home, "bad"), nil, 0o600))
	if got := f.refreshed("x"); len(got.Failed) != 1 {
		t.Errorf("%+v", got)
	}
	if found, err := f.Search(t.Context(), "walrus", "", 10); err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "x/a.txt"+goodSuffix {
		t.Errorf("%+v, %v", found, err)
	}
	f.reopen()
	fstest.Equal(t, f.read("x/a.txt.last-good"), "a walrus\n")
	fstest.Contains(t, f.read("x/a.txt"), "exited with 7", "a.txt.last-good")
	f.wantRan(2)
}
