package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"ctxfs/fs/fstest"
)

// sseStub is a server whose answers come on one stream.
type sseStub struct {
	tools  atomic.Value // string
	closes atomic.Value // the method that it answers by closing the stream
	silent bool         // it does not say where requests go to

	mu      sync.Mutex
	streams map[string]chan string
	opened  int
}

func newSSEStub() *sseStub {
	s := &sseStub{streams: make(map[string]chan string)}
	s.tools.Store(`[{"name":"one"}]`)
	s.closes.Store("")
	return s
}

func (s *sseStub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.stream(w, r)
		return
	}
	s.mu.Lock()
	events := s.streams[r.URL.Query().Get("session")]
	s.mu.Unlock()
	if events == nil {
		http.Error(w, "only through a session", http.StatusNotFound)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m message
	if json.Unmarshal(body, &m) != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	reply := remoteStub().answer("", m)
	if m.Method == "tools/list" {
		reply = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, m.ID, s.tools.Load())
	}
	if m.Method == s.closes.Load() {
		reply = "close"
	}
	if reply != "" {
		select {
		case events <- reply:
		case <-r.Context().Done():
		}
	}
}

func (s *sseStub) stream(w http.ResponseWriter, r *http.Request) {
	events := make(chan string)
	s.mu.Lock()
	s.opened++
	session := fmt.Sprint(s.opened)
	s.streams[session] = events
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, session)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	if !s.silent {
		fmt.Fprintf(w, "event: endpoint\ndata: %s?session=%s\n\n", r.URL.Path, session)
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case e := <-events:
			if e == "close" {
				return
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", e)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// tell sends a message on the stream.
func (s *sseStub) tell(message string) {
	s.mu.Lock()
	var all []chan string
	for _, events := range s.streams {
		all = append(all, events)
	}
	s.mu.Unlock()
	for _, events := range all {
		events <- message
	}
}

func sseServer(url string) map[string]any { return map[string]any{"type": "sse", "url": url} }

func TestSSE(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) { // tries again after an hour
		s := newSSEStub()
		w.claude(map[string]any{"old": sseServer(w.serve(s) + "/sse")})
		w.open().start()
		fstest.Contains(t, w.untilState("old", "ready"), "1 tool")
		fstest.Contains(t, w.cat("old/SERVER_METADATA.json"), `"transport": "sse"`)

		s.tools.Store(`[{"name":"two"}]`)
		s.tell(listChanged)
		w.await("the change", func() bool { return w.ls("old/tools") == "two.json" })

		s.tools.Store(`[{"name":"three"}]`)
		s.tell("close")
		w.await("another stream", func() bool { return w.ls("old/tools") == "three.json" })
		w.untilState("old", "ready")
	})
}

// TestSSEUnasked has servers with a stream for answers that are configured as
// if they had none.
func TestSSEUnasked(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		refusing := func(status int) http.Handler {
			s := newSSEStub()
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.RawQuery == "" {
					http.Error(w, "no such thing here", status)
					return
				}
				s.ServeHTTP(w, r)
			})
		}
		servers := map[string]any{}
		for _, status := range []int{400, 404, 405} {
			servers[fmt.Sprint("s", status)] = map[string]any{"type": "http", "url": w.serve(refusing(status)) + "/sse"}
		}
		servers["neither"] = map[string]any{"type": "http", "url": w.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				http.Error(w, "nothing to get", http.StatusTeapot)
				return
			}
			http.Error(w, "try another address", http.StatusNotFound)
		}))}
		w.claude(servers)
		w.open().start()
		for _, status := range []int{400, 404, 405} {
			name := fmt.Sprint("s", status)
			w.untilState(name, "ready")
			fstest.Contains(t, w.cat(name+"/SERVER_METADATA.json"), `"transport": "sse"`)
		}
		fstest.Contains(t, w.untilState("neither", "error"), "HTTP status 404 Not Found: try another address")
	})
}

func TestSSERefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		status := func(code int, body string) string {
			return w.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, code) }))
		}
		mute, closing := newSSEStub(), newSSEStub()
		mute.silent = true
		closing.closes.Store("tools/list")
		slow := sseServer(w.serve(mute))
		w.settings("[mcp.servers.mute]\nstart_timeout = 0.2\n")
		w.claude(map[string]any{
			"locked": sseServer(status(401, "")), "broken": sseServer(status(500, "out of order")), "gone": sseServer(nobody),
			"mute": slow, "closing": sseServer(w.serve(closing)),
		})
		w.open().start()
		w.untilState("locked", "needs-auth")
		fstest.Contains(t, w.untilState("broken", "error"), "HTTP status 500 Internal Server Error: out of order")
		fstest.Contains(t, w.untilState("gone", "error"), "cannot be reached: connect: connection refused")
		fstest.Contains(t, w.untilState("mute", "error"), "no answer within 0.2 s")
		fstest.Contains(t, w.untilState("closing", "error"), "the server has closed the stream of its answers")
	})
}

// TestForgottenSession has a server over HTTP that has been restarted: the first
// request to the old session finds out, whoever makes it, and a new one is made at once.
func TestForgottenSession(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound} {
		inWorld(t, func(t *testing.T, w *world) { // tries again after an hour
			s := &streaming{streams: make(chan chan string, 10), forgets: status}
			s.tools.Store(`[{"name":"one"}]`)
			w.cursor(map[string]any{"remote": map[string]any{"url": w.serve(s)}})
			w.open().start()
			w.untilState("remote", "ready")
			stream := <-s.streams
			s.tools.Store(`[{"name":"two"}]`)
			s.gone.Store(true)
			stream <- listChanged
			w.await("another session", func() bool { return w.ls("remote/tools") == "two.json" })
			w.untilState("remote", "ready")
			s.gone.Store(true)
			result, err := w.ask("remote", "a:b")
			wantText(t, result, err, "a:b")
		})
	}
}
