package control

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// newHome returns a home whose paths fit a socket address.
func newHome(t *testing.T) Home {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cx")
	fstest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return Home{Dir: dir, State: filepath.Join(dir, "state"), Version: "test"}
}

// serve greets every client, and answers every request with its name.
func serve(t *testing.T, s *Seat) {
	t.Helper()
	go func() {
		for {
			conn, err := s.Listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if c, err := s.Receive(conn); err == nil {
					_ = c.Reply(c.Op())
				}
			}()
		}
	}()
}

func TestSeat(t *testing.T) {
	h := newHome(t)
	if _, err := h.Dial(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a process: %v", err)
	}
	seat, err := h.Claim(t.Context())
	fstest.Must(t, err)
	if _, err := h.Claim(t.Context()); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	serve(t, seat)
	c, err := h.Dial(t.Context())
	fstest.Must(t, err)
	var op string
	if err := c.Ask(t.Context(), fs.Request{Name: "hello", Answer: &op}); err != nil || op != "hello" || c.Pid != os.Getpid() {
		t.Errorf("%q of %d, %v", op, c.Pid, err)
	}
	c.Close()
	fstest.Must(t, seat.Write(map[string]any{"left": []string{"x"}, "pid": 1}))
	seat.Free(true)

	// The next process keeps what the last has left, until it writes its own.
	seat, err = h.Claim(t.Context())
	fstest.Must(t, err)
	var record struct {
		Record
		Left []string
	}
	if err := h.ReadRecord(&record); err != nil || len(record.Left) != 1 || record.Pid != os.Getpid() || record.Home != h.Dir {
		t.Errorf("the record: %+v, %v", record, err)
	}
	seat.Free(false)
	if left, err := os.ReadDir(h.State); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestClaimWaits: Claim waits for a process that is ending, which accepts no
// more connections and still has the lock.
func TestClaimWaits(t *testing.T) {
	h := newHome(t)
	first, err := h.Claim(t.Context())
	fstest.Must(t, err)
	first.Listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Claim(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not wait: %v", err)
	}
	claimed := make(chan error, 1)
	go func() {
		second, err := h.Claim(t.Context())
		if err == nil {
			second.Free(false)
		}
		claimed <- err
	}()
	first.Free(false)
	if err := <-claimed; err != nil {
		t.Error(err)
	}
}

// TestFullBacklog: with more clients than the socket's queue takes, the next
// one waits as long as its context allows, and is let in when there is room.
func TestFullBacklog(t *testing.T) {
	h := newHome(t)
	fstest.Must(t, os.Mkdir(h.State, 0o700))
	// Go's listeners have room for more than this test has descriptors.
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	fstest.Must(t, err)
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	fstest.Must(t, errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(h.State, socketName)}), syscall.Listen(fd, 1)))
	var waiting []net.Conn
	for {
		c, err := connect(t.Context(), h.State)
		if errors.Is(err, syscall.EAGAIN) {
			break
		}
		fstest.Must(t, err)
		defer c.Close()
		waiting = append(waiting, c)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := h.Dial(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without room: %v", err)
	}
	l, err := net.FileListener(file)
	fstest.Must(t, err)
	defer l.Close()
	seat := &Seat{Listener: l, Record: Record{Version: h.Version}}
	reached := make(chan error, 1)
	go func() {
		_, err := h.Dial(t.Context())
		reached <- err
	}()
	for _, c := range waiting {
		c.Close()
	}
	serve(t, seat)
	if err := <-reached; err != nil {
		t.Error(err)
	}
}

// TestStandIn: a folder of another user is never trusted.
func TestStandIn(t *testing.T) {
	h := newHome(t)
	for _, folder := range h.Folders()[1:] {
		if filepath.Dir(folder) != ownBase() || h.trusted(folder) {
			t.Errorf("%s is trusted", folder)
		}
	}
	dir := filepath.Join(h.Dir, "open")
	fstest.Must(t, os.Mkdir(dir, 0o777))
	if err := ownFolder(dir); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	link := filepath.Join(h.Dir, "link")
	fstest.Must(t, os.Symlink(dir, link))
	if fault := (*Fault)(nil); !errors.As(ownFolder(link), &fault) || fault.Hint == "" {
		t.Error("a link is trusted")
	}
	if os.Getuid() == 0 {
		fstest.Must(t, os.Chown(dir, 65534, 65534))
		if ownFolder(dir) == nil {
			t.Error("a folder of somebody else's is trusted")
		}
	}
}

// TestFreeLink: a link in the place of a stand-in is not followed.
func TestFreeLink(t *testing.T) {
	h := newHome(t)
	seat, err := h.Claim(t.Context())
	fstest.Must(t, err)
	target := filepath.Join(h.Dir, "etc")
	fstest.Must(t, errors.Join(os.Mkdir(target, 0o700), os.WriteFile(filepath.Join(target, recordName), nil, 0o600), ownFolder(ownBase())))
	for _, folder := range h.Folders()[1:] {
		fstest.Must(t, os.Symlink(target, folder))
		defer os.Remove(folder)
	}
	seat.Free(false)
	if _, err := os.Stat(filepath.Join(target, recordName)); err != nil {
		t.Error(err)
	}
	for _, folder := range h.Folders()[1:] {
		if _, err := os.Lstat(folder); err != nil {
			t.Error(err)
		}
	}
}

// TestLockReplaced: many processes take the lock of a stand-in, which its
// holder deletes before it releases it; only one has it at a time.
func TestLockReplaced(t *testing.T) {
	h := newHome(t)
	fstest.Must(t, os.WriteFile(h.State, nil, 0o600))
	h.State = filepath.Join(h.State, "below") // which cannot be made
	standIn := h.Folders()[1]
	defer os.Remove(standIn)
	var having, had atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for had.Load() < 100 {
				held, err := h.lock()
				if err != nil {
					continue // another one has it
				}
				if n := having.Add(1); n > 1 {
					t.Errorf("%d have the lock", n)
				}
				had.Add(1)
				runtime.Gosched()
				having.Add(-1)
				os.Remove(standIn)
				held.Close()
			}
		})
	}
	all.Wait()
}

// TestOtherMachine: the lock is held by a process that cannot be seen.
func TestOtherMachine(t *testing.T) {
	h := newHome(t)
	fstest.Must(t, os.Mkdir(h.State, 0o700))
	for host, words := range map[string]string{"elsewhere": "runs on the machine elsewhere (process 5)", hostname(): "cannot be seen from here"} {
		fstest.Must(t, (&Seat{home: h}).Write(Record{Pid: 5, Host: host}))
		err := h.heldBy(0, sample{})
		if fault := (*Fault)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), words) || fault.Hint == "" {
			t.Errorf("%s: %v", host, err)
		}
	}
}
