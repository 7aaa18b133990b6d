package results

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// childMode is the variable that makes the test binary a process that saves.
const childMode = "CTXFS_TEST_RESULTS"

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
		os.Exit(m.Run())
	case "save":
		saveForEver(os.Args[1])
	case "full":
		fill(os.Args[1])
	}
}

// body returns a text that shows whether it is complete.
func body(n int) string {
	return fmt.Sprintf("begin %d\n%send %d\n", n, strings.Repeat("0123456789abcde\n", n%5000), n)
}

func isWhole(text string) bool {
	var n int
	_, err := fmt.Sscanf(text, "begin %d\n", &n)
	return err == nil && text == body(n)
}

// saveForEver saves from several goroutines and prints the path of each result.
func saveForEver(dir string) {
	s := Open(StoreOptions{Dir: dir, Now: time.Now, Log: discard()})
	for i := range 4 {
		go func() {
			for n := i; ; n += 4 {
				saved, err := s.Save(Origin{"call", "server.one", "tool"}, "", []byte(body(n)))
				if err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
				fmt.Println(saved.Path)
			}
		}()
	}
	select {}
}

// TestKilled kills processes that save, at any moment.
func TestKilled(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	saved := 0
	for round := range 5 {
		child := exec.Command(os.Args[0], dir)
		child.Env = append(os.Environ(), childMode+"=save")
		out, err := child.StdoutPipe()
		fstest.Must(t, err)
		fstest.Must(t, child.Start())
		lines := bufio.NewScanner(out)
		for n := 0; n < 50+37*round && lines.Scan(); n++ {
			saved++
			if text, err := os.ReadFile(lines.Text()); err != nil || !isWhole(string(text)) {
				t.Errorf("%s: %d bytes, %v", lines.Text(), len(text), err)
			}
		}
		fstest.Must(t, child.Process.Kill())
		_ = child.Wait() // it was killed
	}
	names := onDisk(t, dir)
	if len(names) < saved {
		t.Errorf("%d were saved, %d are there", saved, len(names))
	}
	fstest.Settles(t, f, "all are seen", func() bool { return len(f.names()) == len(names) })
	again := start(t, dir)
	rows := again.rows()
	if len(rows) != len(names) || again.read(indexName) != f.read(indexName) {
		t.Errorf("%d files, %d rows, and the same again: %v", len(names), len(rows), again.read(indexName) == f.read(indexName))
	}
	for _, row := range rows {
		text := again.read(row[6])
		if !isWhole(text) || row[2] != "server.one" || row[4] != fmt.Sprint(len(text)) || row[5] != fmt.Sprint(strings.Count(text, "\n")) {
			t.Errorf("%q has %d bytes", row, len(text))
		}
	}
	again.save(issues, "", "goes on")
}

// TestManyWriters: two processes write to one folder.
func TestManyWriters(t *testing.T) {
	const writers, saves = 40, 25
	dir := stateDir(t)
	stores := []*fixture{start(t, dir), start(t, dir)}
	var all sync.WaitGroup
	for w := range writers {
		f := stores[w%2]
		all.Go(func() {
			for n := range saves {
				text := body(w*saves + n)
				saved, err := f.Store().Save(Origin{"call", "same", "tool"}, "", []byte(text))
				if err != nil || f.read(saved.Name) != text {
					t.Errorf("writer %d, save %d: %+v, %v", w, n, saved, err)
				}
			}
		})
	}
	all.Wait()
	for _, f := range stores {
		fstest.Settles(t, f, "all are seen", func() bool { return len(f.rows()) == writers*saves })
		for _, row := range f.rows() {
			if text := f.read(row[6]); !isWhole(text) || row[1] != "call" || row[4] != fmt.Sprint(len(text)) || row[5] != fmt.Sprint(strings.Count(text, "\n")) {
				t.Errorf("row %q has %d bytes", row, len(text))
			}
		}
		if left := onDisk(t, filepath.Join(dir, ownFolder)); len(left) != 2 {
			t.Errorf("left: %q", left)
		}
	}
	if one, two := stores[0].read(indexName), stores[1].read(indexName); one != two || one != start(t, dir).read(indexName) {
		t.Error("the two show different tables, or another after a restart")
	}
}

// TestFullDisk: a child saves in a file system of its own that is too small.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root on Linux can make a small file system")
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("no unshare on this machine")
	}
	small := t.TempDir()
	child := exec.Command("unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=256k small "$1" && exec "$0" "$1"`, os.Args[0], small)
	child.Env = append(os.Environ(), childMode+"=full")
	out, err := child.CombinedOutput()
	if err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// fill is the child of TestFullDisk.
func fill(small string) {
	dir := filepath.Join(small, "results")
	s := Open(StoreOptions{Dir: dir, SettingsPath: "/c/config.toml", Now: time.Now, Log: discard()})
	large := []byte(strings.Repeat("0123456789abcde\n", 20_000))
	fail := func(err error) {
		want := "results cannot be kept in " + dir + ": no space left on device; to fix it: make room (how full it is: df -h " +
			dir + "), or lower max_size in [results] of /c/config.toml"
		if err == nil || err.Error() != want {
			complain(fmt.Errorf("the error is %v, want %s", err, want))
		}
		found, err := os.ReadDir(filepath.Join(dir, ownFolder))
		for _, e := range found {
			if strings.HasPrefix(e.Name(), draftPrefix) || isResult(e.Name()) {
				complain(fmt.Errorf("%s is left, %v", e.Name(), err))
			}
		}
	}
	_, err := s.Save(issues, "", large)
	fail(err)
	d, err := s.Create(issues, "txt")
	complain(err)
	for err == nil { // as a command prints
		_, err = d.Write([]byte("a line of output\n"))
	}
	fail(err)
	_, err = d.Commit()
	fail(err)

	// What fits is stored, to the last byte, and what does not leaves nothing.
	kept := 0
	for err = nil; err == nil; kept++ {
		_, err = s.Save(issues, "", large[:7000])
	}
	fail(err)
	found, err := os.ReadDir(dir)
	complain(err)
	for _, e := range found {
		if info, err := e.Info(); isResult(e.Name()) && (err != nil || info.Size() != 7000) {
			complain(fmt.Errorf("%s: %d bytes, %v", e.Name(), info.Size(), err))
		}
	}
	if kept < 10 || len(found) != kept { // one failed, one is our own folder
		complain(fmt.Errorf("%d saves, %d files", kept, len(found)))
	}
	complain(os.Remove(filepath.Join(dir, found[len(found)-1].Name())))
	_, err = s.Save(issues, "", large[:1000])
	complain(err)
	if s.broken.Load() != nil {
		complain(errors.New("the fault is still told"))
	}
	fmt.Println("ok")
}

func complain(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
