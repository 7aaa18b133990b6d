package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStateFolderOfNoUse has state folders where no socket can be created: there is
// still one process, found from any environment.
func TestStateFolderOfNoUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(b *box)
	}{
		{"read-only", func(b *box) {
			must(b, os.Chmod(b.state, 0o500))
			b.Cleanup(func() { _ = os.Chmod(b.state, 0o700) })
		}},
		{"read-only, and the folder is there", func(b *box) {
			dir := filepath.Join(b.state, "ctxfs")
			must(b, os.Mkdir(dir, 0o500))
			must(b, os.Chown(dir, b.chown(), b.chown()))
		}},
		{"a file", func(b *box) { must(b, os.WriteFile(filepath.Join(b.state, "ctxfs"), nil, 0o600)) }},
		{"full", func(b *box) {
			if os.Getuid() != 0 {
				b.Skip("only root can mount a small file system")
			}
			must(b, syscall.Mount("none", b.state, "tmpfs", 0, "size=64k,nr_inodes=4,mode=777"))
			b.Cleanup(func() { _ = syscall.Unmount(b.state, syscall.MNT_DETACH) })
			must(b, os.Mkdir(filepath.Join(b.state, "ctxfs"), 0o777))
			for i := range 10 {
				if f, err := os.Create(filepath.Join(b.state, "ctxfs", fmt.Sprint(i))); err == nil {
					_, _ = f.Write(make([]byte, 1<<17))
					f.Close()
				}
			}
			must(b, os.Chmod(filepath.Join(b.state, "ctxfs"), 0o777))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newUserBox(t)
			c.prepare(b)
			b.mount()
			pid := b.pid()
			b.sh("cat " + b.mnt("AGENTS.md"))
			for _, other := range []*box{b.with("TMPDIR", "/var/tmp"), b.with("XDG_RUNTIME_DIR", "")} {
				if got := other.pid(); got != pid {
					t.Errorf("process %d, not %d", got, pid)
				}
			}
			if out := b.ok("mount"); !strings.Contains(out, "already mounted") {
				t.Errorf("mount: %s", out)
			}
			b.ok("unmount")
			awaitExit(t, pid)
		})
	}
}

// TestBubblewrap holds the README's row: all is read-only.
func TestBubblewrap(t *testing.T) {
	t.Parallel()
	need(t, "bwrap")
	b := newPlainBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	for _, flags := range [][]string{{"--unshare-all"}, {"--tmpfs", "/tmp", "--ro-bind", base, base}} {
		inside := func(program string, args ...string) result {
			words := append([]string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}, flags...)
			return b.do("bwrap", append(append(words, program), args...)...)
		}
		for _, r := range []result{
			inside("cat", b.mnt("AGENTS.md")), inside(binary(), "call", "zoo", "greet", "--who", "Ada"),
			inside(b.mnt("mcps/zoo/bin/greet"), "--who", "Ada"), inside(binary(), "run", "--", "echo", "Ada"), inside(binary(), "status"),
		} {
			if r.code != 0 || r.out == "" {
				t.Errorf("%q: exit %d\n%v", flags, r.code, r)
			}
		}
	}
}

// TestUserWithoutName holds the README's row on users without an entry in passwd.
func TestUserWithoutName(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	need(t, "fusermount3")
	b := makeBox(t, 54321, true)
	b.stub("zoo", "", nil)
	b.refused(exitFailed, []string{"yours (54321) has none in /etc/passwd", "useradd -M -o -u 54321", "ctxfs sync"}, "mount")
	if out := b.ok("call", "zoo", "greet", "--who", "Ada"); !strings.Contains(out, "Ada") {
		t.Errorf("call: %s", out)
	}
	b.ok("cat", "AGENTS.md")
	if out := b.ok("run", "--", "echo", "Ada"); out != "Ada\n" {
		t.Errorf("run: %s", out)
	}
}

// chown is the user whom the files of the box belong to.
func (b *box) chown() int {
	if b.uid != 0 {
		return b.uid
	}
	return os.Getuid()
}
