package exec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var topics = `
[exec.team]
"topics/" = ` + sh("+ echo alpha; echo beta; echo; echo beta; echo -rf; echo .git") + `
"topics/{key}/events.jsonl" = ` + sh(`+ echo "{\"key\": \"$1\"}"`, "{key}") + `
"topics/{key}/{number}.txt" = ` + sh(`+ echo "$1 $2"`, "{key}", "{number}") + `
"now.txt" = ` + sh(`+ echo now`) + `
`

func TestOnlyAskingForANameRunsItsCommand(t *testing.T) {
	t.Parallel()
	f := configured(t, topics)
	fstest.EqualSlices(t, f.walk(), []string{"INDEX.md", "team/", "team/INDEX.md", "team/topics/"}, "at first")
	dir, err := f.tree.Resolve(t.Context(), "team/topics/gamma")
	fstest.Must(t, err)
	node, err := f.tree.Lookup(t.Context(), dir.(fs.Dir), "events.jsonl")
	fstest.Must(t, err)
	for _, probe := range []string{".git", "package.json", "Cargo.toml", "x y", "-x", "events.json"} {
		if _, err := f.tree.Lookup(t.Context(), dir.(fs.Dir), probe); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", probe, err)
		}
	}
	if _, err := f.tree.Resolve(t.Context(), "team/topics/package.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("package.json: %v", err)
	}
	f.wantRan(0)
	if a, err := f.tree.Stat(t.Context(), node); err != nil || a.Size != int64(len("{\"key\": \"gamma\"}\n")) {
		t.Errorf("%+v, %v", a, err)
	}
	fstest.Equal(t, f.read("team/topics/gamma/events.jsonl"), "{\"key\": \"gamma\"}\n")
	f.wantRan(1)
	if got := f.walk(); !slices.Contains(got, "team/topics/gamma/events.jsonl") {
		t.Errorf("it is not listed: %q", got)
	}
	f.wantRan(1)
	fstest.Check(t, f.tree)
	f.reopen()
	if got := f.walk(); !slices.Contains(got, "team/topics/gamma/events.jsonl") {
		t.Errorf("after a restart: %q", got)
	}
	f.wantRan(1)
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	f := configured(t, topics)
	if got := f.refreshed("team"); got.Names != 4 || got.Fetched != 3 || len(got.Failed) > 0 {
		t.Errorf("%+v", got)
	}
	want := []string{"INDEX.md", "team/", "team/INDEX.md", "team/now.txt", "team/topics/", "team/topics/NAMES.txt",
		"team/topics/alpha/", "team/topics/alpha/events.jsonl", "team/topics/beta/", "team/topics/beta/events.jsonl"}
	fstest.EqualSlices(t, f.walk(), want)
	fstest.Equal(t, f.read("team/topics/NAMES.txt"), "alpha\nbeta\n-rf\n.git\n")
	f.wantRan(4)
	fstest.Check(t, f.tree)
	found, err := f.Search(t.Context(), "beta", "", 10)
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "team/topics/beta/events.jsonl" {
		t.Errorf("%+v, %v", found, err)
	}
	f.wantRan(4)
	// What a listing no longer names leaves the folder; what somebody asked for stays.
	f.read("team/topics/beta/7.txt")
	f.configure(strings.Replace(topics, "echo beta; echo;", "", 2))
	f.configure(strings.ReplaceAll(topics, "echo beta;", ""))
	f.Reload()
	f.refreshed("team")
	got := f.walk()
	if slices.Contains(got, "team/topics/beta/events.jsonl") || !slices.Contains(got, "team/topics/beta/7.txt") {
		t.Errorf("%q", got)
	}
	if _, err := OpRefresh.Ask(t.Context(), fs.Operations(f.Operations()), RefreshQuery{Folder: "taem"}, nil, nil); err == nil || !strings.Contains(err.(interface{ Fix() string }).Fix(), "team") {
		t.Errorf("%v", err)
	}
}

func TestAllWhoWaitShareOneRun(t *testing.T) {
	t.Parallel()
	gate := fstest.NewFIFO(t)
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("+ read x <"+gate.Path+"; echo done"))
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			if got, err := fstest.Text(f.tree, "x/slow.txt"); got != "done\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	f.began.Line()
	if got := f.walk(); slices.Contains(got, "x/slow.txt") {
		t.Errorf("%q", got)
	}
	gate.Release()
	readers.Wait()
	f.wantRan(1)
}

func TestAsManyAtOnceAsConfigured(t *testing.T) {
	t.Parallel()
	gate := fstest.NewFIFO(t)
	f := configured(t, "[exec.x]\nat_once = 2\n\"{key}.txt\" = "+sh("echo >>$HOME/$1; ls $HOME | grep -c '^job' >>$HOME/most; + read x <"+gate.Path+"; rm $HOME/$1", "job{key}"))
	var readers sync.WaitGroup
	names := strings.Split("abcdefghij", "")
	for _, name := range names {
		readers.Go(func() { f.read("x/" + name + ".txt") })
	}
	for i := range names { // two at once
		if f.began.Line(); i > 0 {
			gate.Release()
		}
	}
	gate.Release()
	readers.Wait()
	text, err := os.ReadFile(filepath.Join(f.home, "most"))
	if err != nil || strings.ContainsAny(string(text), "3456789") {
		t.Errorf("at once: %s, %v", text, err)
	}
}

// refreshIt runs the command of a file again, as a refresh does.

func TestChangesRefreshAFolder(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\nwatch = [\"source\"]\n\"now.txt\" = "+sh("+ cat $HOME/source"))
	source := filepath.Join(f.home, "source")
	write := func(text string) {
		fstest.Must(t, os.WriteFile(source, []byte(text), 0o600))
	}
	write("one")
	f.Start()
	shows := func(text string) {
		t.Helper()
		fstest.Settled(t, f)
		f.auto.mu.Lock()
		worker := f.auto.following[0].worker
		f.auto.mu.Unlock()
		fstest.Settled(t, worker)
		fstest.Equal(t, f.read("x/now.txt"), text)
	}
	shows("one")
	write("two")
	shows("two")
}

func TestALifetimeRefreshesAFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := configured(t, "[exec.x]\nevery = \"1h\"\n\"now.txt\" = "+sh("+ echo now"))
		f.Start()
		time.Sleep(4*time.Hour + 30*time.Minute)
		f.wantRan(5) // once at first
	})
}

// TestEditingTheConfigurationEndsNothing edits what is around a folder while its command

// runs: comments, other folders, a fault in the middle of an edit.

// TestAMistakeCostsNoOutputs takes a path out of the configuration for a while, and has

// another process look at that.

// TestWhatNothingNeedsLeavesTheDisk has files that no output needs.

// TestLongListings has one of 100,000 names, and one with names that lead elsewhere.

func TestLongListings(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.x]
most = 20
"many/" = `+sh(`seq 100000`)+`
"many/{number}" = `+sh(`+ echo $1`, "{number}")+`
"bad/" = `+sh(`printf '../x\na/b\n-rf\n/etc\n\033[31mred\033[0m\n\n.\n..\ngood\n'`)+`
"bad/{name}" = `+sh(`+ echo $1`, "{name}")+`
`)
	got := f.refreshed("x")
	if got.Names != 100_008 || got.Fetched != 22 || len(got.Left) != 2 || len(got.Failed) > 0 {
		t.Errorf("%+v", got)
	}
	fstest.Contains(t, strings.Join(got.Left, "\n"), `bad/: 6 names that fit no path, such as "../x"`, "many/: 99980 names beyond the first 20; fetch more: most in [exec.x]")
	fstest.EqualSlices(t, fstest.Names(t, f.tree, "x/bad"), []string{"NAMES.txt", "good", "red"})
	fstest.Contains(t, f.read("x/INDEX.md"), "Not fetched: 99980 names", "Not fetched: 6 names")
	f.wantRan(22)
}

// TestAnAbandonedRefreshEnds cancels a refresh whose listing hangs.
func TestAnAbandonedRefreshEnds(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"n/\" = "+sh("+ [ -e $HOME/go ] || exec sleep 1000; echo a")+"\n\"n/{key}\" = "+sh("echo $1", "{key}"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := OpRefresh.Ask(ctx, fs.Operations(f.Operations()), RefreshQuery{}, nil, nil)
		ended <- err
	}()
	f.began.Line()
	cancel()
	if err := <-ended; err == nil {
		t.Error("it has done something")
	}
	if f.Busy() {
		t.Error("something runs")
	}
	fstest.Must(t, os.WriteFile(filepath.Join(f.home, "go"), nil, 0o600))
	if got := f.refreshed("x"); got.Fetched != 1 {
		t.Errorf("%+v", got)
	}
}

func TestWhereAndWithWhatCommandsRun(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.x]
dir = "~/work"
env = ["PASSED", "SET=by us", "API_TOKEN"]
placeholders = {any = ".+"}
"here/{any}" = ["./tool", "{any}", "$HOME `+"`id`"+`", "*"]
"home" = ["~/work/tool"]
[exec.hidden]
dir = "~/view"
"{name}.txt" = ["true"]
[exec.lost]
dir = "~/nowhere"
"{name}.txt" = ["true"]
`, func(o *Options) {
		o.Hide = func(path string) bool { return strings.HasSuffix(path, "/view") }
		environ := o.Environ
		o.Environ = func() []string {
			return append(environ(), "PASSED=passed", "KEPT=back", "API_TOKEN=c0rrect-h0rse-battery-9")
		}
		tool := "#!/bin/sh\npwd; echo \"$PASSED,$SET,$KEPT,$PAGER\"; echo $API_TOKEN; printf '<%s>' \"$@\"; read x || echo no input\n"
		dir := filepath.Join(o.Home, "work")
		fstest.Must(t, errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(filepath.Join(o.Home, "view"), 0o700), fstest.WriteProgram(filepath.Join(dir, "tool"), []byte(tool), 0o700)))
	})
	got := f.read("x/here/a b; rm -rf $HOME > c")
	fstest.Contains(t, got, filepath.Join(f.home, "work")+"\npassed,by us,,cat\n", "<a b; rm -rf $HOME > c><$HOME `id`><*>no input\n")
	fstest.ContainsNot(t, got, "h0rse")
	fstest.Contains(t, f.read("x/home"), "<>no input")
	fstest.Contains(t, f.read("hidden/a.txt"), "could not be started", "is in a mount of ctxfs")
	fstest.Contains(t, f.read("lost/a.txt"), "could not be started", "nowhere, in which it runs, does not exist")
}
