package mounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/mounts/control"
)

// serve runs a server with some handlers until the end of the test.
func serve(t *testing.T, handlers map[string]Handler) (home control.Home, s *Server) {
	t.Helper()
	home, seat := claim(t)
	s = NewServer(Options{
		Seat: seat, Tree: fs.NewTree(new(fs.Folder), fs.TreeOptions{}), Sources: func() []string { return nil },
		Handlers: handlers, Log: slog.New(slog.DiscardHandler),
	})
	served := make(chan struct{})
	go func() {
		s.Serve()
		close(served)
	}()
	t.Cleanup(func() {
		s.End()
		<-served
	})
	return home, s
}

// claim takes the seat of a home of its own.
func claim(t *testing.T) (control.Home, *control.Seat) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home := control.Home{Dir: dir, State: filepath.Join(dir, "state"), Version: "test"}
	seat, err := home.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return home, seat
}

func dial(t *testing.T, home control.Home) *control.Client {
	t.Helper()
	c, err := home.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestConversation(t *testing.T) {
	gone := make(chan struct{})
	home, _ := serve(t, map[string]Handler{
		"count": func(_ context.Context, c *control.Conn) error {
			var n int
			if err := c.Args(&n); err != nil {
				return err
			}
			for i := range n {
				if err := c.Progress(i); err != nil {
					return err
				}
			}
			if err := c.Reply("done"); err != nil {
				return err
			}
			_, err := c.Write([]byte("raw"))
			return err
		},
		"fail": func(context.Context, *control.Conn) error { return &control.Fault{Message: "no", Hint: "do this"} },
		"hang": func(ctx context.Context, c *control.Conn) error {
			if err := c.Progress(0); err != nil {
				return err
			}
			<-ctx.Done()
			close(gone)
			return ctx.Err()
		},
	})

	var got []string
	var last string
	c := dial(t, home)
	err := c.Call(t.Context(), "count", 3, &last, func(v json.RawMessage) { got = append(got, string(v)) })
	rest, restErr := io.ReadAll(c.Rest())
	if err != nil || restErr != nil || strings.Join(got, " ") != "0 1 2" || last != "done" || string(rest) != "raw" {
		t.Errorf("count: %v, %v, %v, %q, %q", err, restErr, got, last, rest)
	}

	for op, want := range map[string]control.Fault{
		"fail":    {Message: "no", Hint: "do this"},
		"no such": {Message: `the background process (version test) does not know "no such"`, Hint: fmt.Sprintf("restart it: kill %d; ctxfs mount", os.Getpid())},
	} {
		var fault *control.Fault
		if err := dial(t, home).Call(t.Context(), op, nil, nil, nil); !errors.As(err, &fault) || *fault != want {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := dial(t, home).Call(t.Context(), "count", "three", nil, nil); err == nil {
		t.Error("an argument of a wrong type is taken")
	}

	// Who leaves ends what is done for him.
	ctx, cancel := context.WithCancel(t.Context())
	err = dial(t, home).Call(ctx, "hang", nil, nil, func(json.RawMessage) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("hang: %v", err)
	}
	<-gone
}

// TestStrangers say something else, or nothing, and leave: the server goes on.
func TestStrangers(t *testing.T) {
	home, _ := serve(t, nil)
	for _, text := range []string{"", "\n", "GET / HTTP/1.0\r\n\r\n", "{\"op\":\"status\"", "[]\n", strings.Repeat("x", 1<<20)} {
		conn, err := net.Dial("unix", filepath.Join(home.State, "daemon.sock"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text)
		conn.Close()
	}
	var info ServerInfo
	if err := dial(t, home).Call(t.Context(), "status", nil, &info, nil); err != nil || info.Pid != os.Getpid() {
		t.Errorf("status: %+v, %v", info, err)
	}
	if _, err := home.Claim(t.Context()); !errors.Is(err, control.ErrRunning) {
		t.Errorf("a second server: %v", err)
	}
}

// TestServerEnds leaves no socket, and hangs up on those who wait.
func TestServerEnds(t *testing.T) {
	home, s := serve(t, map[string]Handler{"hang": func(ctx context.Context, c *control.Conn) error {
		if err := c.Progress(0); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}})
	err := dial(t, home).Call(t.Context(), "hang", nil, nil, func(json.RawMessage) { s.End() })
	if !errors.Is(err, control.ErrGone) {
		t.Errorf("who waits is told %v", err)
	}
}
