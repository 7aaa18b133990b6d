package fstest_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
)

// TestPipesInMemory behave as those of the system.
func TestPipesInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := fstest.Pipe()
		done := make(chan error, 1)
		go func() {
			_, err := w.Write(make([]byte, 100<<10))
			done <- err
		}()
		synctest.Wait()
		if len(done) > 0 {
			t.Error("it holds more than a pipe")
		}
		if _, err := io.ReadFull(r, make([]byte, 100<<10)); err != nil || <-done != nil {
			t.Error(err)
		}
		fstest.Must(t, w.SetWriteDeadline(time.Now().Add(time.Second)))
		begun := time.Now()
		if n, err := w.Write(make([]byte, 100<<10)); n != 64<<10 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("%d bytes, %v after %v", n, err, time.Since(begun))
		}
		w.Close()
		if rest, err := io.ReadAll(r); len(rest) != 64<<10 || err != nil {
			t.Errorf("%d bytes are left, %v", len(rest), err)
		}
		if _, err := w.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		r, w = fstest.Pipe()
		r.Close()
		if _, err := w.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
	})
}

// TestANetworkInMemory has servers at addresses of their own, and refuses others.
func TestANetworkInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fstest.NewNetwork(t)
		left := make(chan struct{})
		url := n.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(left)
		}))
		client := &http.Client{Transport: n}
		res, err := client.Get(url)
		fstest.Must(t, err)
		if _, err := io.ReadFull(res.Body, make([]byte, 5)); err != nil {
			t.Error(err)
		}
		res.Body.Close()
		<-left
		l, err := n.Listen("tcp", "127.0.0.1:99")
		fstest.Must(t, err)
		if _, err := n.Listen("tcp", l.Addr().(*net.TCPAddr).String()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the same address: %v", err)
		}
		l.Close()
		if _, err := client.Get("http://localhost:99"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody: %v", err)
		}
	})
}
