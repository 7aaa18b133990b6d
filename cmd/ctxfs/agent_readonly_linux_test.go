package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ctxfs/providers/executor/request"
)

// writer is an agent that tries in every way to change the repository in which it is
// started. OUTSIDE is a process that is not part of the run, in the same folder. What it
// may do, it does afterwards, and says so.
const writer = `
repo=$PWD; T=$TMPDIR; exec 9<f 8<.
{
echo changed >f; echo changed >>f; : >f; truncate -s 0 f; dd if=/dev/zero of=f bs=1 count=1 conv=notrunc
echo new >new; touch new; mkdir newdir; mkfifo fifo; mknod node c 1 3; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
rm -rf f sub .git; rmdir empty; unlink f
mv f g; mv sub sub2; mv f $T/f; mv $T/mine f; echo mine >$T/mine; mv $T/mine f; mv -T --exchange $T/mine f
ln f g; ln f $T/hard && echo changed >$T/hard; ln -s f g; ln -s $repo/f $T/soft; echo changed >$T/soft; ln -sfn /etc link
ln -s $repo $T/dir; echo changed >$T/dir/f; rm -f $T/dir/f; cp -a /etc/passwd f; cp -a --remove-destination /etc/passwd f; install /etc/passwd f
sed -i s/one/two/ f; tar cf - -C /etc passwd | tar xf - ; printf 'one\n' | patch f; unzip -o x
git add f; git commit -qam x; git -c core.pager=cat commit --allow-empty -m x; git stash; git gc --prune=now; git checkout -q -b other; git tag x; git worktree add $T/wt; git worktree add ../wt2
git config user.name x; git update-ref refs/heads/x HEAD; git reset --hard HEAD~1; git clean -fdx; git rm -f f; git apply --index /dev/null; git init sub; git update-index --refresh; echo x >.git/hooks/post-commit
echo changed >/proc/self/fd/9; echo changed >/dev/fd/9; echo changed >/proc/self/cwd/f; echo changed >/proc/self/root$repo/f; echo changed >/proc/self/fd/8/f; echo changed >/proc/thread-self/cwd/f
echo changed >/proc/$OUTSIDE/cwd/f; echo changed >/proc/$OUTSIDE/root$repo/f; echo changed >/proc/$PPID/cwd/f; echo changed >/proc/$PPID/root$repo/f; echo changed >/proc/1/root$repo/f
nsenter -t $OUTSIDE -m touch $repo/f; nsenter -t $OUTSIDE -U -m --preserve-credentials touch $repo/new; nsenter -t 1 -m touch $repo/f
gdb -batch -p $OUTSIDE -ex 'call (int)creat("new", 0644)'; kill -9 $OUTSIDE
mount -o remount,rw /; mount -o remount,bind,rw /; mount --bind $T $repo; umount -l /; umount -l $repo; mount -t tmpfs x $repo
unshare -Urm sh -c "mount -o remount,bind,rw /; mount -o remount,rw $repo; mount --make-rprivate /; mount --rbind / /mnt; mount -o remount,bind,rw /mnt; echo changed >/mnt$repo/f; umount -l /; echo changed >$repo/f"
unshare -Urmpf sh -c "mount -t proc p /mnt; echo changed >/mnt/1/root$repo/f; echo changed >$repo/f"
chroot / sh -c "echo changed >$repo/f"; bwrap --bind / / --dev-bind /dev /dev sh -c "echo changed >$repo/f"
for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/loop0 /dev/ram0; do [ -b $d ] && dd if=/dev/zero of=$d bs=1 count=0; [ -b $d ] && : <>$d && echo "a disk can be opened: $d" >$T/disk; done
(setsid sh -c "sleep 0.2; echo late >$repo/f; touch $repo/late" &); (setsid sh -c "sleep 60; echo late >$repo/f" &)
python3 - <<'PY'
import ctypes, os, shutil
c = ctypes.CDLL(None, use_errno=True)
def attempt(f):
    try: f()
    except Exception as e: pass
fd, d = os.open("f", os.O_RDONLY), os.open(".", os.O_RDONLY)
attempt(lambda: os.open("f", os.O_WRONLY | os.O_TRUNC)); attempt(lambda: os.open("f", os.O_RDONLY | os.O_TRUNC))
attempt(lambda: os.open("/proc/self/fd/%d" % fd, os.O_RDWR)); attempt(lambda: os.ftruncate(fd, 0)); attempt(lambda: os.truncate("f", 0))
attempt(lambda: os.open("f", os.O_WRONLY, dir_fd=d)); attempt(lambda: os.open(".", os.O_TMPFILE | os.O_RDWR)); attempt(lambda: os.posix_fallocate(fd, 0, 99))
attempt(lambda: os.link("/proc/self/fd/%d" % fd, "g", follow_symlinks=True)); attempt(lambda: os.rename("f", "g", src_dir_fd=d, dst_dir_fd=d))
m = os.memfd_create("x"); os.write(m, b"changed"); attempt(lambda: os.copy_file_range(m, fd, 7)); attempt(lambda: os.sendfile(fd, m, 0, 7))
attempt(lambda: os.link("/proc/self/fd/%d" % m, "g", follow_symlinks=True)); attempt(lambda: shutil.copy2("/etc/passwd", "f"))
attempt(lambda: open("/proc/%s/mem" % os.environ["OUTSIDE"], "r+b")) ; c.ptrace(16, int(os.environ["OUTSIDE"]), 0, 0)
PY
} </dev/null >/dev/null 2>&1
[ -n "$WEAK" ] || {
chmod 000 f; chmod +x f; chown 1:1 f; chgrp 1 f; touch -d '2001-01-01' f . sub; touch f
python3 - <<'PY'
import os, fcntl, array
def attempt(f):
    try: f()
    except Exception as e: pass
fd = os.open("f", os.O_RDONLY)
attempt(lambda: os.fchmod(fd, 0)); attempt(lambda: os.utime(fd, (0, 0))); attempt(lambda: os.chown(fd, 1, 1)); attempt(lambda: os.setxattr("f", "user.x", b"1")); attempt(lambda: os.setxattr(fd, "user.x", b"1"))
attempt(lambda: fcntl.ioctl(fd, 0x40086602, array.array("l", [0x10])))
PY
} </dev/null >/dev/null 2>&1
cat $T/disk 2>/dev/null
kill -0 $OUTSIDE 2>/dev/null && echo "a signal reaches the process outside"
sleep 0.4
mkdir $T/a $T/b && echo x >$T/a/x && mv $T/a/x $T/b/y && ln $T/b/y $T/b/z && chmod 700 $T/b/y && rm -r $T/a && echo "scratch"
: >/dev/null && head -c 1 /dev/zero >/dev/null && echo "devices"
git status --short >/dev/null && git log --oneline | grep -q first && git diff HEAD | grep -q uncommitted && cat f >/dev/null && echo "reading"
python3 -c 'import pty; pty.spawn(["true"])' && [ -t 0 ] && tty >/dev/null && echo "terminal"
python3 - <<'PY' && echo "network"
import socket
s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname()); s.accept()
PY
cat "$HOME/.agentctx/AGENTS.md" >/dev/null && echo "mount"
echo "text of the answer"
`

// target makes a git repository in the box, for its user, and returns its path.
func (b *box) target() string {
	b.Helper()
	b.sh(`mkdir -p work/sub work/empty && cd work && git init -q -b main && git config maintenance.auto false && git config user.email a@example.com && git config user.name A &&
echo one >f && echo two >sub/g && ln -s f link && printf '#!/bin/sh\n' >run.sh && chmod 755 run.sh && git add . && git commit -qm first &&
echo more >>sub/g && git commit -qam second && echo uncommitted >>sub/g && echo untracked >u`)
	return filepath.Join(b.home, "work")
}

// everything describes a folder to its last detail, but for times of reading.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var is unix.Stat_t
		if err := unix.Lstat(path, &is); err != nil {
			return err
		}
		names := make([]byte, 1<<10)
		n, _ := unix.Llistxattr(path, names)
		fmt.Fprintf(&all, "%s %o %d:%d %d links, %d.%d %d.%d %d %q", path, is.Mode, is.Uid, is.Gid, is.Nlink, is.Mtim.Sec, is.Mtim.Nsec, is.Ctim.Sec, is.Ctim.Nsec, is.Ino, names[:max(n, 0)])
		switch is.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			text, err := os.ReadFile(path)
			fmt.Fprintf(&all, " %q %v", text, err)
		case unix.S_IFLNK:
			target, err := os.Readlink(path)
			fmt.Fprintf(&all, " %q %v", target, err)
		}
		all.WriteByte('\n')
		return nil
	}))
	return all.String()
}

// outside starts a process in a folder, as the box's user, that is not part of any run.
func (b *box) outside(dir string) int {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := b.command(ctx, "cat")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the process outside: %v", err)
		}
		cancel()
	})
	return cmd.Process.Pid
}

// TestAgentReadOnly has an agent that does all it can to write.
func TestAgentReadOnly(t *testing.T) {
	t.Parallel()
	need(t, "git", "python3", "unshare")
	for name, make := range map[string]func(*testing.T) *box{"root": realBox, "user": newUserBox} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := make(t)
			b.write("writer", writer)
			b.kinds("", map[string]string{"writer": `exec bash "$HOME/writer"`})
			b.mount()
			repo := b.target()
			b.setenv("OUTSIDE", fmt.Sprint(b.outside(repo)))
			b.setenv("TMUX", "/proc/none,1,0")
			before, home := everything(t, repo), entriesOf(t, b.home)
			r := b.runs(0, "--agent", "writer", "--repo", repo, "--read-only", "x")
			if r.ReadOnly != request.Enforced || r.Ended != request.Success {
				t.Errorf("%+v", r)
			}
			if want := "scratch\ndevices\nreading\nterminal\nnetwork\nmount\ntext of the answer\n"; r.Text != want {
				t.Errorf("it says %q, want %q", r.Text, want)
			}
			same(t, before, everything(t, repo))
			if now := entriesOf(t, b.home); now != home {
				t.Errorf("the home folder has %s, had %s", now, home)
			}
			if _, err := os.Stat(b.job(r.ID, "scratch")); !os.IsNotExist(err) {
				t.Errorf("the scratch folder: %v", err)
			}
			if left := mountsBelow(b.job(r.ID)); len(left) > 0 {
				t.Errorf("mounts: %v", left)
			}
		})
	}
}

// TestAgentReadOnlyOtherwise has systems that let nobody mount anything, and one that also
// has no Landlock: the result tells.
func TestAgentReadOnlyOtherwise(t *testing.T) {
	t.Parallel()
	need(t, "git", "python3", "unshare")
	b := realBox(t) // for a sandbox
	b.write("writer", writer)
	b.kinds("", map[string]string{"writer": `exec bash "$HOME/writer"`, "simple": `echo changed >f; echo $? in "$TMPDIR"`})
	b.mount()
	repo := b.target()
	b.setenv("OUTSIDE", fmt.Sprint(b.outside(repo)))
	b.setenv("WEAK", "1")
	without := func(kind string, calls ...string) (r request.Result) {
		t.Helper()
		got := b.with(forbidMode, strings.Join(calls, ",")).do(stubPath(), binary(), "agent", "run", "--agent", kind, "--repo", repo, "--read-only", "x")
		if got.code != 0 || json.Unmarshal([]byte(got.out), &r) != nil {
			t.Fatalf("%v", got)
		}
		return r
	}
	setattr, ruleset := fmt.Sprint(unix.SYS_MOUNT_SETATTR), fmt.Sprint(unix.SYS_LANDLOCK_CREATE_RULESET)

	before := everything(t, repo)
	r := without("writer", setattr)
	if want := "scratch\ndevices\nreading\nterminal\nnetwork\nmount\ntext of the answer\n"; r.ReadOnly != request.Enforced || r.Text != want {
		t.Errorf("%+v, want %q", r, want)
	}
	same(t, before, everything(t, repo))
	if log := readFile(t, r.TerminalLog); !strings.Contains(log, "modes, times and extended attributes of files can be changed") {
		t.Errorf("the log of the terminal: %s", log)
	}
	r = without("simple", setattr, ruleset)
	if r.ReadOnly != request.Requested || !strings.HasPrefix(r.Text, "0 in ") || r.Error != "" || !strings.Contains(readFile(t, r.TerminalLog), "nothing keeps it from writing") {
		t.Errorf("%+v", r)
	}
}

// same reports the first lines in which two texts differ.
func same(t *testing.T, before, after string) {
	t.Helper()
	was, is := bufio.NewScanner(strings.NewReader(before)), bufio.NewScanner(strings.NewReader(after))
	for was.Scan() && is.Scan() {
		if was.Text() != is.Text() {
			t.Errorf("was\n%s\nis\n%s", was.Text(), is.Text())
			return
		}
	}
	if len(before) != len(after) {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func entriesOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	return fmt.Sprint(entries)
}
