package mounts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// helperEnv names the role of this program when a test has started it.
const helperEnv = "CTXFS_TEST_HUNG"

func helpHung(role string, args []string) int {
	var err error
	switch role {
	case "guard":
		return guard.Main(os.Stderr)
	case "serve":
		err = helpServe(args[0], args[1], args[2] == "true")
	case "rescue":
		var freed bool
		if freed, err = Rescue(control.Home{State: args[0]}); err == nil && !freed {
			err = errors.New("there was nothing to free")
		}
	case "abort":
		err = guard.AbortIn(args[0], args[1])
	case "takeover":
		err = helpTakeOver(args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func helpTakeOver(dir string) error {
	p, found, err := mountedAt(dir)
	if err != nil || !found {
		return fmt.Errorf("not mounted: %v", err)
	}
	return p.takeOver()
}

// hangingFolder is a folder whose listing, and the lookup of one name, take
// until it is released.
type hangingFolder struct{ release chan struct{} }

func (d hangingFolder) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: time.Unix(1, 0)}, nil
}

func (d hangingFolder) Lookup(_ context.Context, name string) (fs.Node, error) {
	switch name {
	case "slow":
		fmt.Println("looking up")
		<-d.release
	case "file":
	default:
		return nil, fs.ErrNotExist
	}
	return fs.NewText(time.Unix(1, 0), []byte("text\n")), nil
}

func (d hangingFolder) List(context.Context) ([]fs.Entry, error) {
	fmt.Println("listing")
	<-d.release
	return []fs.Entry{{Name: "file"}}, nil
}

// helpServe runs a background process that executes commands line by line.
func helpServe(runtime, dir string, guarded bool) error {
	hanging := hangingFolder{make(chan struct{})}
	root := fs.NewFolder(time.Unix(1, 0), map[string]fs.Node{
		"hanging": hanging, "other": fs.NewText(time.Unix(1, 0), []byte("other\n")),
	})
	tree := fs.NewTree(root, fs.TreeOptions{Deadline: time.Hour})
	seat, err := control.Home{State: runtime}.Claim(context.Background())
	if err != nil {
		return err
	}
	opts := Options{
		Seat: seat, Tree: tree, Sources: func() []string { return nil },
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if guarded {
		opts.Guardian = func() *exec.Cmd {
			cmd := exec.Command("/proc/self/exe", guard.Command)
			cmd.Env = append(os.Environ(), helperEnv+"=guard")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			return cmd
		}
	}
	s := NewServer(opts)
	if _, err := s.Mount(dir); err != nil {
		return err
	}
	fmt.Println("mounted")
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			switch lines.Text() {
			case "change":
				tree.Changed("hanging")
			case "touch":
				go os.Chtimes(filepath.Join(dir, "hanging/slow"), time.Time{}, time.Now())
			case "release":
				close(hanging.release)
			}
		}
		s.End()
	}()
	s.Serve()
	return nil
}
