package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

const bearer = "t0ken-t0ken"

// serve serves over HTTP, and returns the address.
func (w *world) serve(h http.Handler) string {
	if w.network != nil {
		return w.network.Serve(h)
	}
	server := httptest.NewServer(h)
	w.t.Cleanup(server.Close)
	return server.URL
}

// nobody is an address at which nobody listens.
const nobody = "http://127.0.0.1:9"

func remote(url, token string) map[string]any {
	return map[string]any{"type": "http", "url": url, "headers": map[string]string{"Authorization": "Bearer " + token}}
}

func TestHTTP(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		url := w.serve(httpStub{token: bearer, status: 401, body: "who are you, " + bearer + "?"})
		forbidden := w.serve(httpStub{token: "x", status: 403, body: "insufficient_scope for " + bearer})
		w.claude(map[string]any{
			"works":     remote(url+"/secret-path?key="+bearer, bearer),
			"noauth":    remote(url, "wrong-token"),
			"forbidden": remote(forbidden, bearer),
			"gone":      remote(nobody+"/secret-path?key="+bearer, bearer),
			"elsewhere": remote(w.serve(http.RedirectHandler("http://elsewhere.invalid/", http.StatusTemporaryRedirect)), bearer),
		})
		w.open().start()
		fstest.Contains(t, w.untilState("works", "ready"), "1 tool")
		fstest.Contains(t, w.cat("works/SERVER_METADATA.json"), `"transport": "http"`, `"address": "`+url+`"`)
		fstest.Contains(t, w.untilState("noauth", "needs-auth"), "put a valid token into the `headers` of the entry \"noauth\" in ", "401")
		fstest.Contains(t, w.untilState("forbidden", "error"), "HTTP status 403 Forbidden: insufficient_scope for ***")
		fstest.Contains(t, w.untilState("gone", "error"), nobody+" cannot be reached: connect: connection refused", "fix: see that it runs")
		fstest.Contains(t, w.untilState("elsewhere", "error"), "another host")
		for _, s := range []string{"works", "noauth", "forbidden", "gone"} {
			for _, f := range []string{"/STATUS.md", "/SERVER_METADATA.json"} {
				fstest.ContainsNot(t, w.cat(s+f), bearer, "wrong-token", "secret-path")
			}
		}
		fstest.ContainsNot(t, w.cat("INDEX.md"), bearer)
	})
}

// TestCloseWithoutAnAnswer has a server that does not answer at the end of the
// session.
func TestCloseWithoutAnAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ok := httpStub{token: bearer}
		w.claude(map[string]any{"remote": remote(w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				<-r.Context().Done()
				return
			}
			ok.ServeHTTP(rw, r)
		})), bearer)})
		w.open().start()
		w.untilState("remote", "ready")
		if err := w.p.Close(); err != nil { // returns, though nobody answers
			t.Fatal(err)
		}
	})
}

// streaming is an HTTP server of the old era with a stream of notifications.
type streaming struct {
	tools   atomic.Value // string
	gone    atomic.Bool  // it has forgotten the session
	forgets int          // with which status it says so
	streams chan chan string
}

func (s *streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.gone.Load() && r.Header.Get("Mcp-Session-Id") != "" {
		http.Error(w, "no such session", cmp.Or(s.forgets, http.StatusBadRequest))
		return
	}
	switch r.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		events := make(chan string)
		s.streams <- events
		for {
			select {
			case e, ok := <-events:
				if !ok {
					return
				}
				fmt.Fprintf(w, "data: %s\n\n", e)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	case http.MethodDelete:
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Mcp-Session-Id", "s1")
	if m.Method == "tools/list" {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, m.ID, s.tools.Load())
		return
	}
	if m.Method == "initialize" {
		s.gone.Store(false)
	}
	fmt.Fprint(w, remoteStub().answer("", m))
}

func TestHTTPChangesAndLostSessions(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.timing.Retry = time.Millisecond
		s := &streaming{streams: make(chan chan string, 10)}
		s.tools.Store(`[{"name":"one"}]`)
		w.cursor(map[string]any{"remote": map[string]any{"url": w.serve(s)}})
		w.open().start()
		w.untilState("remote", "ready")
		stream := <-s.streams

		s.tools.Store(`[{"name":"two"}]`)
		stream <- `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		w.await("the change", func() bool { return w.ls("remote/tools") == "two.json" })

		// The server restarts, and no longer knows the session.
		s.tools.Store(`[{"name":"three"}]`)
		s.gone.Store(true)
		close(stream)
		w.await("another session", func() bool { return w.ls("remote/tools") == "three.json" })
		w.untilState("remote", "ready")
		if strings.Contains(w.cat("remote/STATUS.md"), "error") {
			t.Error(w.cat("remote/STATUS.md"))
		}
	})
}
