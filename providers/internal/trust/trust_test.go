package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/birth"
)

func newStore(file string) *Store {
	return New(file, nil, func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC) })
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	fstest.Must(t, os.MkdirAll(path, 0o700))
	return path
}

// TestTrust: a folder is trusted by path and identity, for every process, until that is
// revoked.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state", "trust.json")
	s, other := newStore(file), newStore(file)
	shop := mkdir(t, filepath.Join(dir, "shop"))
	told := 0
	s.Notify(func(dir string, trusted bool) {
		if told++; dir != shop || s.Trusts(dir) != trusted {
			t.Errorf("told that %s is trusted: %v", dir, trusted)
		}
	})
	if s.Trusts(shop) || other.Trusts(shop) || len(s.All()) != 0 || s.Problems() != nil {
		t.Error("something is trusted from the start")
	}
	fstest.Must(t, s.Trust(shop))
	if !s.Trusts(shop) || !other.Trusts(shop) || s.Trusts(mkdir(t, filepath.Join(shop, "sub"))) || s.Trusts(dir) || told != 1 {
		t.Errorf("trusted: %v, told %d times", s.All(), told)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// Another folder in its place.
	fstest.Must(t, os.Rename(shop, shop+"-old"))
	mkdir(t, shop)
	if s.Trusts(shop) || s.Trusts(shop+"-old") {
		t.Error("another folder is trusted")
	}
	if err := other.Revoke(shop); err != nil || len(s.All()) != 0 {
		t.Errorf("%v, %v", s.All(), err)
	}
	fstest.ErrorIs(t, s.Revoke(shop), ErrNot, "revoked twice")
	fstest.ErrorIs(t, s.Trust(filepath.Join(dir, "gone")), os.ErrNotExist, "folder that is gone")
}

// TestReplaced: neither a folder that was deleted and made again is trusted, though it may
// have the same number, nor the same folder with another repository in it.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	s := newStore(filepath.Join(dir, "trust.json"))
	shop := mkdir(t, filepath.Join(dir, "shop"))
	git := mkdir(t, filepath.Join(shop, ".git"))
	again := func(path string) {
		t.Helper()
		born := birth.Of(path)
		for range 100_000 {
			fstest.Must(t, os.RemoveAll(path))
			if mkdir(t, path); !birth.Of(path).Equal(born) || born.IsZero() {
				return
			}
		}
		t.Skip("the file system's clock stands still")
	}
	trusts := func(what string, want bool) {
		t.Helper()
		fstest.Equal(t, s.Trusts(shop), want, what)
		if err := s.Trust(shop); err != nil || !s.Trusts(shop) || !newStore(filepath.Join(dir, "trust.json")).Trusts(shop) {
			t.Errorf("%s: trusted again: %v", what, err)
		}
	}
	trusts("a new folder", false)
	again(git)
	trusts("another repository in it", false)
	again(shop)
	trusts("made again", false)
	mkdir(t, git)
	trusts("with a repository that was not there", false)
	fstest.Must(t, os.RemoveAll(git))
	trusts("without its repository", false)
	fstest.Must(t, os.WriteFile(filepath.Join(shop, "x"), nil, 0o600))
	trusts("with another file", true)

	// A file of an earlier version knows less.
	info, err := os.Lstat(shop)
	fstest.Must(t, err)
	old := fmt.Sprintf(`{"format": 1, "folders": {%q: {"time": "2026-03-01T12:00:00Z", "ino": %d}}}`, shop, info.Sys().(*syscall.Stat_t).Ino)
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "trust.json"), []byte(old), 0o600))
	trusts("of an earlier version", true)
}

// TestDamaged files trust nobody, say so, and can be written anew.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	file, shop := filepath.Join(dir, "trust.json"), mkdir(t, filepath.Join(dir, "shop"))
	for _, text := range []string{"{", `{"format": 2, "folders": {}}`, "[]"} {
		s := newStore(file)
		fstest.Must(t, os.WriteFile(file, []byte(text), 0o600))
		if s.Trusts(shop) || len(s.Problems()) != 1 {
			t.Errorf("%s: %v", text, s.Problems())
		}
		if err := s.Trust(shop); err != nil || !s.Trusts(shop) || s.Problems() != nil {
			t.Errorf("%s: %v, %v", text, err, s.Problems())
		}
	}
	if err := newStore("").Trust(shop); err == nil {
		t.Error("trusted without a file")
	}
}

// TestTogether: processes that trust at the same time lose nothing.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "trust.json")
	var work sync.WaitGroup
	for i := range 20 {
		shop := mkdir(t, filepath.Join(dir, fmt.Sprint(i)))
		work.Go(func() {
			if err := newStore(file).Trust(shop); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if all := newStore(file).All(); len(all) != 20 {
		t.Errorf("%d are trusted: %v", len(all), all)
	}
}
