package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
)

// TestWithoutInotify: where the system allows no watcher, all is noticed that would be
// reported.
func TestWithoutInotify(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"new folders":     TestFilesInNewFoldersAreNotLost,
		"skipped":         TestSkippedHiddenAndLinked,
		"too many":        TestMoreFoldersThanAreWatched,
		"not to be read":  TestFoldersThatMayNotBeRead,
		"roots not there": TestRootsThatDoNotExistYet,
		"roots are links": TestRootsThatAreLinks,
		"single files":    TestSingleFiles,
		"below the root":  TestAFolderIsWatchedWithAllBelow,
		"renamed":         TestRenamedFolders,
	} {
		t.Run(name, test)
	}
}

// TestLooksNowAndThen: a file is looked at within two seconds, and a small folder.
func TestLooksNowAndThen(t *testing.T) {
	dir := tempDir(t)
	file, tree := filepath.Join(dir, "config.toml"), mkdir(t, dir, "tree")
	synctest.Test(t, func(t *testing.T) {
		told := make(chan []string, 10)
		w := Look(Options{Changed: func(paths []string) { told <- paths }, Log: slog.New(slog.DiscardHandler)}, syscall.EMFILE)
		defer w.Close()
		w.AddFile(file)
		w.Add(tree)
		begun := time.Now()
		for _, change := range []func(){
			func() { write(t, file, "1") },
			func() { write(t, file, "12") },
			func() { replace(t, file, "34") },
			func() { fstest.Must(t, os.Remove(file)) },
		} {
			change()
			fstest.EqualSlices(t, <-told, []string{file})
		}
		write(t, filepath.Join(tree, "a"), "1")
		fstest.EqualSlices(t, <-told, []string{filepath.Join(tree, "a")})
		if took := time.Since(begun); took > 5*2*time.Second {
			t.Errorf("noticed after %v", took)
		}
	})
}

// TestLateIsOneProblem: all watchers that poll report one problem, with its cause and the
// command that fixes it. Folders that are polled do not count as watched.
func TestLateIsOneProblem(t *testing.T) {
	dir := tempDir(t)
	well, one, other := New(Options{}), Look(Options{}, syscall.EMFILE), Look(Options{}, syscall.EMFILE)
	for _, w := range []*Watcher{well, one, other} {
		defer w.Close()
		w.Add(dir)
		w.AddFile(filepath.Join(dir, "f"))
	}
	if len(well.Late()) != 0 {
		t.Errorf("%+v", well.Late())
	}
	p := Problems(one, dir, "new things")
	if len(p) != 1 || !strings.Contains(p[0].What, "too many open files") || !strings.Contains(p[0].Mend, "sysctl fs.inotify.max_user_instances=") {
		t.Fatalf("%+v", p)
	}
	fstest.EqualSlices(t, other.Late(), p)
	if one.Watched(dir) || one.Watched(filepath.Join(dir, "f")) || one.Err(dir) != nil {
		t.Errorf("watched, or in error: %v", one.Err(dir))
	}
}
