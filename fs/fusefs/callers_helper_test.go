package fusefs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
	"ctxfs/fs/drop"
)

// helpStands mounts an inbox until its input ends, prints where callers stand, and is
// such a caller for each line.
func helpStands(args []string) error {
	drop := drop.New(drop.Options{Now: time.Now, Accept: func(_ context.Context, _ string, from fs.Standpoint, _ []byte) (drop.Work, error) {
		line, err := json.Marshal(from)
		fmt.Printf("%s\n", line)
		return func(context.Context) drop.Outcome { return drop.Outcome{OK: true} }, err
	}})
	defer drop.Close()
	m, err := New(fs.NewTree(drop, fs.TreeOptions{}), args[0], Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	fmt.Println("mounted")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := exec.Command("sh", "-c", `echo {} > "$0/inside"`, args[0]).Run(); err != nil {
			return err
		}
	}
	return unmountAtLast(m)
}

// helpStuck mounts a folder with a folder sub in it, and checks its permissions
// itself. When a line comes, it answers no more.
func helpStuck(args []string) error {
	s := &stuck{RawFileSystem: fuse.NewDefaultRawFileSystem(), hang: make(chan struct{})}
	server, err := fuse.NewServer(s, args[0], &fuse.MountOptions{DirectMount: true, Options: []string{"default_permissions"}})
	if err != nil {
		return err
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return err
	}
	fmt.Println("mounted")
	bufio.NewScanner(os.Stdin).Scan()
	close(s.hang)
	fmt.Println("stuck")
	select {}
}

// stuck is a file system without caches.
type stuck struct {
	fuse.RawFileSystem
	hang chan struct{}
}

func (s *stuck) wait() {
	select {
	case <-s.hang:
		select {}
	default:
	}
}

func (s *stuck) Lookup(_ <-chan struct{}, _ *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	s.wait()
	if name != "sub" {
		return fuse.ENOENT
	}
	out.NodeId = 2
	out.Attr = fuse.Attr{Ino: 2, Mode: fuse.S_IFDIR | 0o755, Nlink: 2}
	return fuse.OK
}

func (s *stuck) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	s.wait()
	out.Attr = fuse.Attr{Ino: in.NodeId, Mode: fuse.S_IFDIR | 0o755, Nlink: 2}
	return fuse.OK
}
