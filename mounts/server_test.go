package mounts

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
)

// serve runs a server with some handlers until the end of the test.
func serve(t *testing.T, operations ...fs.Operation) (home control.Home, s *Server) {
	t.Helper()
	home, seat := claim(t)
	s = NewServer(Options{
		Seat: seat, Tree: fs.NewTree(new(fs.Folder), fs.TreeOptions{}), Sources: func() []string { return nil },
		Operations: operations, Log: slog.New(slog.DiscardHandler),
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

// claim takes the seat of a new home.
func claim(t *testing.T) (control.Home, *control.Seat) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cx")
	fstest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	home := control.Home{Dir: dir, State: filepath.Join(dir, "state"), Version: "test"}
	seat, err := home.Claim(t.Context())
	fstest.Must(t, err)
	return home, seat
}

func dial(t *testing.T, home control.Home) *control.Client {
	t.Helper()
	c, err := home.Dial(t.Context())
	fstest.Must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// countOp sends numbers, then a word that says how many bytes follow.
var countOp = fs.Talk[int, int, tail]{Name: "count"}

type tail string

func (t tail) Follows() int64 { return int64(len(t)) }

func TestConversation(t *testing.T) {
	gone := make(chan struct{})
	home, _ := serve(t,
		countOp.Handle(func(_ context.Context, n int, tell func(int) error, reply func(tail) (io.Writer, error)) error {
			for i := range n {
				if err := tell(i); err != nil {
					return err
				}
			}
			w, err := reply("raw")
			if err != nil {
				return err
			}
			_, err = w.Write([]byte("raw and what does not belong to it"))
			return err
		}),
		fs.Operation{Name: "fail", Answer: func(context.Context, fs.Conversation) error {
			return &control.Fault{Message: "no", Hint: "do this"}
		}},
		fs.Operation{Name: "local", Local: true, Answer: func(context.Context, fs.Conversation) error {
			t.Error("a client asks for what is local")
			return nil
		}},
		fs.Operation{Name: "hang", Answer: func(ctx context.Context, c fs.Conversation) error {
			if err := c.Progress(0); err != nil {
				return err
			}
			<-ctx.Done()
			close(gone)
			return ctx.Err()
		}},
	)

	var got []int
	var body strings.Builder
	last, err := countOp.Ask(t.Context(), dial(t, home), 3, func(n int) { got = append(got, n) }, &body)
	if err != nil || !slices.Equal(got, []int{0, 1, 2}) || last != "raw" || body.String() != "raw" {
		t.Errorf("count: %v, %v, %q, %q", err, got, last, body.String())
	}

	for op, want := range map[string]control.Fault{
		"fail":    {Message: "no", Hint: "do this"},
		"local":   {Message: `the background process (version test) does not know "local"`, Hint: "replace it, if it is of an older build than this command: ctxfs mount"},
		"no such": {Message: `the background process (version test) does not know "no such"`, Hint: "replace it, if it is of an older build than this command: ctxfs mount"},
	} {
		var fault *control.Fault
		if err := dial(t, home).Ask(t.Context(), fs.Request{Name: op}); !errors.As(err, &fault) || *fault != want {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := dial(t, home).Ask(t.Context(), fs.Request{Name: "count", Question: "three"}); err == nil {
		t.Error("an argument of a wrong type is taken")
	}

	// A client that leaves ends its request.
	ctx, cancel := context.WithCancel(t.Context())
	err = dial(t, home).Ask(ctx, fs.Request{Name: "hang", Slow: true, Progress: func(json.RawMessage) { cancel() }})
	fstest.ErrorIs(t, err, context.Canceled, "hang")
	<-gone
}

// TestStrangers: clients that send something else, or nothing, and leave do not
// disturb the server.
func TestStrangers(t *testing.T) {
	home, _ := serve(t)
	for _, text := range []string{"", "\n", "GET / HTTP/1.0\r\n\r\n", "{\"op\":\"status\"", "[]\n", strings.Repeat("x", 1<<20)} {
		conn, err := net.Dial("unix", filepath.Join(home.State, "daemon.sock"))
		fstest.Must(t, err)
		_, _ = io.WriteString(conn, text)
		conn.Close()
	}
	if info, err := OpStatus.Ask(t.Context(), dial(t, home), fs.None{}); err != nil || info.Pid != os.Getpid() {
		t.Errorf("status: %+v, %v", info, err)
	}
	if _, err := home.Claim(t.Context()); !errors.Is(err, control.ErrRunning) {
		t.Errorf("a second server: %v", err)
	}
}

// TestServerEnds leaves no socket, and closes the connections of waiting
// clients.
func TestServerEnds(t *testing.T) {
	home, s := serve(t, fs.Operation{Name: "hang", Answer: func(ctx context.Context, c fs.Conversation) error {
		if err := c.Progress(0); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}})
	err := dial(t, home).Ask(t.Context(), fs.Request{Name: "hang", Slow: true, Progress: func(json.RawMessage) { s.End() }})
	fstest.ErrorIs(t, err, control.ErrGone, "who waits is told")
}
