package guard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// abandoned is a mount that no process serves after its first request was read.
type abandoned struct {
	*testing.T
	dir    string
	fd     int
	minor  string
	reader *exec.Cmd
	said   *bytes.Buffer
	ended  chan struct{} // closed when the reader has ended
}

// newAbandoned mounts, starts a reader and reads its request.
func newAbandoned(t *testing.T) *abandoned {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root mounts without a helper")
	}
	if err := Abort("0"); err == nil || !isGone(err) {
		t.Skipf("what hangs could not be freed: %v", err)
	}
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	a := &abandoned{T: t, dir: t.TempDir(), fd: fd, said: new(bytes.Buffer), ended: make(chan struct{})}
	if err := syscall.Mount("none", a.dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)); err != nil {
		t.Skipf("mount: %v", err)
	}
	a.minor = minorOf(t, a.dir)
	t.Cleanup(func() {
		_ = Abort(a.minor)
		_ = syscall.Unmount(a.dir, syscall.MNT_DETACH)
		<-a.ended
	})
	a.answerInit()
	a.reader = exec.Command("stat", "-f", a.dir)
	a.reader.Stderr = a.said
	if err := a.reader.Start(); err != nil {
		close(a.ended)
		t.Fatal(err)
	}
	go func() {
		_ = a.reader.Wait()
		close(a.ended)
	}()
	a.request(17) // STATFS
	return a
}

// request reads requests up to one of a kind.
func (a *abandoned) request(opcode uint32) (unique uint64) {
	a.Helper()
	buffer := make([]byte, largestRequest)
	for {
		n, err := syscall.Read(a.fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n < inHeaderSize {
			a.Fatalf("read: %d, %v", n, err)
		}
		if binary.NativeEndian.Uint32(buffer[4:]) == opcode {
			return binary.NativeEndian.Uint64(buffer[8:])
		}
	}
}

func (a *abandoned) answerInit() {
	unique := a.request(26)
	out := make([]byte, outHeaderSize+64)
	binary.NativeEndian.PutUint32(out, uint32(len(out)))
	binary.NativeEndian.PutUint64(out[8:], unique)
	binary.NativeEndian.PutUint32(out[outHeaderSize:], 7)        // major
	binary.NativeEndian.PutUint32(out[outHeaderSize+4:], 31)     // minor
	binary.NativeEndian.PutUint32(out[outHeaderSize+20:], 1<<17) // max_write
	if _, err := syscall.Write(a.fd, out); err != nil {
		a.Fatal(err)
	}
}

// connection returns a duplicate, as a guardian has it.
func (a *abandoned) connection() Connection {
	a.Helper()
	fd, err := syscall.Dup(a.fd)
	fstest.Must(a, err)
	return Connection{FD: fd, Minor: a.minor, Dir: a.dir}
}

func (a *abandoned) awaitReader(words string) {
	a.Helper()
	<-a.ended
	if !strings.Contains(a.said.String(), words) {
		a.Errorf("the reader says: %s", a.said)
	}
}

func minorOf(t *testing.T, dir string) string {
	t.Helper()
	table, err := os.ReadFile("/proc/self/mountinfo")
	fstest.Must(t, err)
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 4 && fields[4] == dir {
			_, minor, _ := strings.Cut(fields[2], ":")
			return minor
		}
	}
	t.Fatalf("%s is not mounted", dir)
	return ""
}

// TestRelease answers what the dead process had read, also if the reader was
// interrupted meanwhile.
func TestRelease(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		a := newAbandoned(t)
		if interrupted {
			fstest.Must(t, a.reader.Process.Signal(syscall.SIGTERM))
			a.request(opInterrupt) // the reader waits on, for the answer
		}
		freed := func() bool {
			select {
			case <-a.ended:
				return true
			default:
				return false
			}
		}
		answered, stuck := Release([]Connection{a.connection()}, freed)
		if answered != 1 || len(stuck) > 0 {
			t.Errorf("%d requests answered, %v are stuck", answered, stuck)
		}
		if interrupted {
			a.awaitReader("")
		} else {
			a.awaitReader("not connected")
		}
		_ = syscall.Close(a.fd)
	}
}

// TestReleaseByOldKernel: with a notification that no kernel knows, as older
// kernels do not know today's, the connection is aborted.
func TestReleaseByOldKernel(t *testing.T) {
	a := newAbandoned(t)
	answered, stuck := release([]Connection{a.connection()}, func() bool { return false }, 1000)
	if answered != 0 || len(stuck) > 0 {
		t.Errorf("%d requests answered, %v are stuck", answered, stuck)
	}
	a.awaitReader("abort")
	_ = syscall.Close(a.fd)
}

// TestGuardianLooks: nothing announces the death of the process to the
// guardian, as on a kernel without descriptors of threads.
func TestGuardianLooks(t *testing.T) {
	a := newAbandoned(t)
	// The process is looked at through a pipe: each look waits for what the test writes.
	proc := t.TempDir()
	thread := filepath.Join(proc, "task", "1")
	fstest.Must(t, os.MkdirAll(thread, 0o700))
	fstest.Must(t, os.WriteFile(filepath.Join(thread, "status"), nil, 0o600))
	fstest.Must(t, syscall.Mkfifo(filepath.Join(thread, "stat"), 0o600))
	look := func(state string) {
		err := error(syscall.EPIPE)
		for errors.Is(err, syscall.EPIPE) { // the look before was about to close the pipe
			err = os.WriteFile(filepath.Join(thread, "stat"), []byte("1 (x) "+state+" 0 0 0 0 0 0\n"), 0)
		}
		fstest.Must(t, err)
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	fstest.Must(t, err)
	g := &guardian{socket: pair[0], proc: proc, canary: -1,
		connections: map[string]Connection{"1": a.connection()}}
	ended := make(chan struct{})
	go func() {
		g.guard(io.Discard)
		close(ended)
	}()
	// A stopped process is left alone, at every check.
	look("T")
	look("T")
	select {
	case <-a.ended:
		t.Error("the reader of a stopped process is answered")
	case <-ended:
		t.Error("the guardian of a stopped process ends")
	default:
	}
	look("Z")
	a.awaitReader("not connected")
	_ = syscall.Close(pair[1])
	<-ended
	_ = syscall.Close(a.fd)
}
