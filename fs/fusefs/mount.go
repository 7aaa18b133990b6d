package fusefs

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// FSType is the type of a ctxfs mount in the mount table.
const FSType = "fuse.ctxfs"

// maxBackground is the number of background reads the kernel may have under way
// in one mount. With go-fuse's default of 12, a dozen reads that hang stop
// every other file.
const maxBackground = 512

// Mount is a tree shown to the kernel.
type Mount struct {
	dir    string
	raw    *rawFS
	server *fuse.Server
	cancel func()
	served chan struct{}
}

// Options are the settings of a mount besides its tree.
type Options struct {
	Log *slog.Logger
	// Guard, if not nil, is called once with the descriptor of the connection
	// when it is mounted, before any request is answered, for a guardian that
	// answers if this process is killed. It may duplicate the descriptor. The
	// function that it returns is called once, when the mount has ended.
	Guard func(fd int) (ended func())
}

// New mounts the tree on the folder dir, an absolute path, and returns when its
// root can be listed.
func New(tree *fs.Tree, dir string, opts Options) (*Mount, error) {
	r := &rawFS{
		RawFileSystem: fuse.NewDefaultRawFileSystem(),
		tree:          tree,
		table:         newTable(tree.Root()),
		changes:       newChangeQueue(),
		touch:         newToucher(dir),
		callers:       newCallers(),
		owner:         fuse.Owner{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())},
	}
	r.changes.handle = r.update
	fd, err := attach(dir)
	if err != nil {
		return nil, err
	}
	unguard := func() {}
	if opts.Guard != nil {
		unguard = opts.Guard(fd)
	}
	server, err := fuse.NewServer(r, fmt.Sprintf("/dev/fd/%d", fd), &fuse.MountOptions{
		MaxWrite:                 maxRead,
		MaxBackground:            maxBackground,
		DisableXAttrs:            true,
		ExplicitDataCacheControl: true,
		EnableSymlinkCaching:     true,
		Logger:                   log.New(logWriter{opts.Log}, "", 0),
	})
	if err != nil {
		err = errors.Join(err, Detach(dir), syscall.Close(fd))
		unguard()
		return nil, err
	}
	m := &Mount{dir: dir, raw: r, server: server, served: make(chan struct{})}
	m.cancel = tree.Subscribe(fs.Subscriber{
		Changed: func(path string) {
			r.table.epoch.Add(1)
			r.changes.changed(path)
		},
		Settled: r.changes.settled,
	})
	go func() {
		server.Serve()
		unguard()
		m.cancel()
		r.changes.close()
		r.touch.stop(true)
		r.abandonAll()
		close(m.served)
	}()
	if err := server.WaitMount(); err != nil {
		return nil, errors.Join(err, m.Unmount())
	}
	refusePoll(dir)
	return m, nil
}

// Dir returns the folder that the tree is mounted on.
func (m *Mount) Dir() string { return m.dir }

// Done returns a channel that is closed when the mount has ended, for any reason,
// and its last user has left.
func (m *Mount) Done() <-chan struct{} { return m.served }

// Settled returns when the kernel has been notified of every change that was reported before
// the call. A notification may wait for a reader in the same folder.
func (m *Mount) Settled(ctx context.Context) error { return m.raw.changes.settled(ctx) }

// ErrBusy reports that some program has a file or folder of the mount open, or
// works in it.
var ErrBusy = errors.New("the mount is in use")

// Unmount unmounts the tree. If the mount is busy, Unmount removes only its
// name, so that the folder is free at once, goes on serving the programs that
// use it, and returns ErrBusy; Done is closed when they have left. A sandbox that
// was made since the tree was mounted has a mount of its own of it, for as long as
// the sandbox lives, whether or not a program in it ever looks there. After any other
// error the mount is served as before.
func (m *Mount) Unmount() error {
	m.raw.touch.stop(true) // a touch uses the mount
	if err := unmount(m.dir, false); err != nil {
		select {
		case <-m.served:
			return nil // another program unmounted it
		default:
		}
		if !errors.Is(err, syscall.EINVAL) { // EINVAL: the name has been removed already
			if err := Detach(m.dir); err != nil {
				m.raw.touch.stop(false)
				return err
			}
		}
	}
	select {
	case <-m.served:
		return nil
	case <-time.After(timeToLeave):
		return ErrBusy
	}
}

// Yield removes the name of the mount, so that another mount can take the folder at
// once, and goes on serving the programs that use this one; Done is closed when they
// have left. Unmount must not be called any more: it would remove the other mount.
func (m *Mount) Yield() error {
	m.raw.touch.stop(true)
	err := Detach(m.dir)
	if errors.Is(err, syscall.EINVAL) { // another program has removed it
		return nil
	}
	return err
}

// timeToLeave is how long programs have that are just leaving.
const timeToLeave = time.Second

// Detach removes the name of a mount, dead or alive, busy or not.
func Detach(dir string) error { return unmount(dir, true) }

// logWriter passes go-fuse's lines to the log.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Warn("go-fuse", "message", string(p))
	return len(p), nil
}

// The requests of the kernel that are counted, in the order of their numbers.
const (
	opLookup = iota
	opForget
	opGetattr
	opSetattr
	opReadlink
	opOpen
	opRead
	opWrite
	opStatfs
	opFlush
	opOpendir
	opReaddir
	opReaddirplus
	opAccess
	opCreate
	opRefused
	opCount
)

var opNames = [opCount]string{
	"LOOKUP", "FORGET", "GETATTR", "SETATTR", "READLINK", "OPEN", "READ", "WRITE", "STATFS",
	"FLUSH", "OPENDIR", "READDIR", "READDIRPLUS", "ACCESS", "CREATE", "REFUSED",
}

func (r *rawFS) count(op int) { r.counts[op].Add(1) }

// Requests returns how many requests of each kind the kernel has sent. Refused
// requests that would change the tree count as REFUSED; FORGET counts inodes.
func (m *Mount) Requests() map[string]uint64 {
	counts := make(map[string]uint64, opCount)
	for op, name := range opNames {
		if n := m.raw.counts[op].Load(); n > 0 {
			counts[name] = n
		}
	}
	return counts
}
