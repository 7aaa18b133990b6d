package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// dial opens a connection to the gateway by a function, and sends something.
func dial(t *testing.T, by func(ctx context.Context, network, address string) (net.Conn, error), url, text string) net.Conn {
	t.Helper()
	c, err := by(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Endpoint))
	must(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = io.WriteString(c, text)
	must(t, err)
	return c
}

const halfRequest = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"

// isCut reports whether the gateway has closed a connection, with or without an
// answer.
func isCut(t *testing.T, c net.Conn) bool {
	t.Helper()
	if c.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return true
	}
	_, err := io.Copy(io.Discard, c)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestHalfRequests: of many incomplete requests the newest few are kept, and
// others are served meanwhile; after a time none is left.
func TestHalfRequests(t *testing.T) {
	for name, half := range map[string]string{"head": "POST /mcp HTTP/1.1\r\nHost: loc", "nothing": "", "body": halfRequest} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGateway(t, &fake{})
				g.limits.header, g.limits.body = time.Minute, time.Minute
				url, network := serveMemory(t, g)
				var all []net.Conn
				for range 500 {
					all = append(all, dial(t, network.Dial, url, half))
					synctest.Wait() // the gateway keeps the newest in the order in which it learns of them
				}
				if all = slices.DeleteFunc(all, func(c net.Conn) bool { return isCut(t, c) }); len(all) > g.limits.open {
					t.Errorf("%d half requests are kept", len(all))
				}
				if answer, text, err := postBy(t, network.Dial, t.Context(), url, listing); err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("another client: %v, %v, %s", answer, err, text)
				}
			})
		})
	}
}

// TestSlowBodies: slow bodies are cut, while an answer may take longer than a
// body.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := &fake{files: someFiles(), call: func(context.Context, Call, func(Progress)) (*Result, error) {
			<-release
			return &Result{Text: "at last"}, nil
		}}
		g := newGateway(t, f)
		g.limits.body, g.limits.header = 2*time.Second, 2*time.Second // what is not slow must arrive within that
		url, network := serveMemory(t, g)
		type answered struct {
			text string
			err  error
		}
		answers := make(chan answered, 1)
		go func() {
			_, text, err := postBy(t, network.Dial, context.Background(), url, longCall)
			answers <- answered{text, err}
		}()
		for _, half := range []string{halfRequest, halfRequest, "POST /mcp HTTP/1.1\r\nHost: loc"} {
			c := dial(t, network.Dial, url, half)
			must(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
			said, err := io.ReadAll(c)
			if err != nil {
				t.Errorf("a half request was not cut: %v", err)
			}
			if half == halfRequest && (!bytes.Contains(said, []byte("408 Request Timeout")) || !bytes.Contains(said, []byte("did not arrive within 2s"))) {
				t.Errorf("it was cut with %q", said)
			}
		}
		close(release)
		if got := <-answers; got.err != nil || !strings.Contains(got.text, "at last") {
			t.Errorf("the answer that took longer: %q, %v", got.text, got.err)
		}
	})
}

// TestLongBodies: long bodies are refused before they are in memory.
func TestLongBodies(t *testing.T) {
	url := serveHTTP(t, newGateway(t, &fake{}))
	refused := func(what string, answer *http.Response, text string, err error) {
		t.Helper()
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "more than 16 MiB") {
			t.Errorf("%s: %v, %v, %s", what, answer, err, text)
		}
	}
	// By its length, before any of it was sent.
	c := dial(t, new(net.Dialer).DialContext, url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 314572800\r\n\r\n")
	must(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	text, _ := io.ReadAll(answer.Body)
	refused("by its length", answer, string(text), nil)

	// As it arrives.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c = dial(t, new(net.Dialer).DialContext, url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	piece := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
	for range 17 {
		if _, err = io.WriteString(c, piece); err != nil {
			break // it has hung up
		}
	}
	answer, err = http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	text, _ = io.ReadAll(answer.Body)
	refused("as it comes", answer, string(text), nil)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 120<<20 {
		t.Errorf("%d MB were allocated", grown>>20)
	}

	// As long as is allowed.
	long := strings.Replace(listing, `"params"`, strings.Repeat(" ", 15<<20)+`"params"`, 1)
	if answer, text, err := post(t, t.Context(), url, long); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("15 MiB: %v, %v, %s", answer, err, text)
	}
}

// TestManyLongBodies: long bodies at once are not all in memory.
func TestManyLongBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(t, &fake{})
		g.limits.sizes = 1 << 20
		url, network := serveMemory(t, g)
		half := strings.Replace(halfRequest, "1000", "1000000", 1) + strings.Repeat(" ", 400<<10)
		held := []net.Conn{dial(t, network.Dial, url, half), dial(t, network.Dial, url, half)} // each takes half a MiB
		more := dial(t, network.Dial, url, "")
		go func() { _, _ = io.WriteString(more, half) }() // it is not read to its end
		if said, err := io.ReadAll(more); err != nil || !bytes.Contains(said, []byte("503 Service Unavailable")) || !bytes.Contains(said, []byte("try again")) {
			t.Errorf("%s, %v", said, err)
		}
		held[0].Close()
		synctest.Wait()
		if answer, _, err := postBy(t, network.Dial, t.Context(), url, listing); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("there is no room again: %v, %v", answer, err)
		}
		<-time.After(time.Second) // so long net/http keeps a connection that it has refused
	})
}
