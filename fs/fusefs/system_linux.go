package fusefs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system can mount.
const Supported = true

// maxRead is the size in bytes of the largest READ.
const maxRead = 128 << 10

// attach mounts a FUSE file system on dir and returns the descriptor of its
// connection. As root it mounts directly, otherwise, or where that is refused,
// through fusermount3. go-fuse could do both, but would leave the descriptor
// open to every program started meanwhile: the mount of a process that was
// killed then hangs, instead of being dead, for as long as such a program runs.
func attach(dir string) (fd int, err error) {
	fd, direct := attachDirectly(dir)
	if direct == nil {
		return fd, nil
	}
	fd, err = attachByHelper(dir)
	if err != nil {
		if os.Getuid() == 0 {
			err = errors.Join(direct, err)
		}
		return -1, err
	}
	return fd, nil
}

func attachDirectly(dir string) (int, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open /dev/fuse: %w", err)
	}
	data := fmt.Sprintf("fd=%d,rootmode=%o,user_id=%d,group_id=%d,max_read=%d",
		fd, syscall.S_IFDIR, os.Geteuid(), os.Getegid(), maxRead)
	if err := unix.Mount("ctxfs", dir, FSType, unix.MS_NOSUID|unix.MS_NODEV, data); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("mount: %w", err)
	}
	return fd, nil
}

// attachByHelper lets fusermount3, which is setuid root, mount. It sends the
// descriptor over a socket (fusermount3(1), _FUSE_COMMFD).
func attachByHelper(dir string) (int, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socketpair: %w", err)
	}
	ours, theirs := pair[0], os.NewFile(uintptr(pair[1]), "fusermount3")
	defer unix.Close(ours)
	var said strings.Builder
	cmd := exec.Command("fusermount3", "-o", fmt.Sprintf("fsname=ctxfs,subtype=ctxfs,max_read=%d", maxRead), "--", dir)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "_FUSE_COMMFD=3")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	theirs.Close()
	if err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			err = errors.New(text)
		}
		return -1, fmt.Errorf("fusermount3: %w", err)
	}
	var (
		data    [1]byte
		control [256]byte
	)
	_, n, _, _, err := unix.Recvmsg(ours, data[:], control[:], unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fusermount3: receive the connection: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err == nil && len(messages) == 1 {
		if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
			return fds[0], nil
		}
	}
	return -1, errors.New("fusermount3 sent no connection")
}

// unmount unmounts a folder, as an ordinary user through fusermount3. If lazy
// is set, it removes only the name.
func unmount(dir string, lazy bool) error {
	flags := 0
	if lazy {
		flags = syscall.MNT_DETACH
	}
	err := syscall.Unmount(dir, flags)
	if err == nil || !errors.Is(err, syscall.EPERM) {
		return err
	}
	args := []string{"-u", dir}
	if lazy {
		args = []string{"-u", "-z", dir}
	}
	cmd := exec.Command("fusermount3", args...)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fusermount3 %v: %w: %s", args, err, out)
	}
	return nil
}

// setNow sets a file's modification time to now, and no other time.
func setNow(path string) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, times, unix.AT_SYMLINK_NOFOLLOW)
}

// passage is what was seen of a thread that may be in the kernel.
type passage struct {
	ran  []byte // its scheduler statistics
	runs int    // how often they have changed
}

// hasLeft reports whether a thread has left the place in the kernel where it was
// at the first call. At that place no thread sleeps. One that sleeps is
// elsewhere, perhaps waiting for a reply from this process, and so is one that
// has run: its statistics may change once for what it ran before, but not
// twice. Formats: proc(5), and sched-stats.rst of the kernel.
func (p *passage) hasLeft(thread uint32) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", thread))
	if err != nil {
		return true // it has ended
	}
	// The name of the program may contain anything, the fields after it do not.
	name := bytes.LastIndexByte(stat, ')')
	if name < 0 || name+2 >= len(stat) || stat[name+2] != 'R' {
		return true
	}
	ran, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", thread))
	if err != nil {
		return true
	}
	if p.ran != nil && !bytes.Equal(p.ran, ran) {
		p.runs++
	}
	p.ran = ran
	return p.runs > 1
}

// refusePoll has the kernel learn that files of a mount cannot be polled. Until it knows,
// it asks when this process opens one, and the runtime, which would have to answer, waits
// for it. go-fuse replies for a file of this name, but looks for it only where it mounts
// itself.
func refusePoll(dir string) {
	fd, err := unix.Open(filepath.Join(dir, ".go-fuse-epoll-hack"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // it was unmounted meanwhile
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	unix.Close(fd)
}
