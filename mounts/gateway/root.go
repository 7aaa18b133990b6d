package gateway

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxfs/fs/rounds"
)

// rootsTime is how long a client may take to answer which folders it works in. One
// that takes longer counts as a client without folders until it announces a change.
const rootsTime = 2 * time.Second

// listenTime is how long the first request waits for a client over HTTP to open the
// stream on which it can be asked. Clients open it right after they have connected,
// or never.
const listenTime = 500 * time.Millisecond

// clientState is what is remembered of a client between its requests. It is safe for
// concurrent use.
type clientState struct {
	// listens is closed when the client can be asked at any time: over streams
	// always, over HTTP from its first GET on.
	listens chan struct{}
	listen  func() // closes it

	changes atomic.Int64 // how often the client has announced other roots

	mu     sync.Mutex
	waited bool   // listenTime has passed once
	known  bool   // the root
	as     int64  // the number of changes for which it is known
	root   string // the folder of the client's first root, or ""
}

func newClientState() *clientState {
	s := &clientState{listens: make(chan struct{})}
	s.listen = sync.OnceFunc(func() { close(s.listens) })
	return s
}

// ask returns the root, which it gets from request if it is not known. While one
// request asks, others wait. Nothing is asked of a client that does not listen.
func (s *clientState) ask(ctx context.Context, request func() string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.changes.Load()
	if s.known && s.as == changes {
		return s.root
	}
	if !s.waited {
		select {
		case <-s.listens:
		case <-ctx.Done():
			return ""
		case <-time.After(listenTime):
		}
		s.waited = true
	}
	if !s.isListening() {
		return ""
	}
	s.root, s.known, s.as = request(), true, changes
	return s.root
}

func (s *clientState) isListening() bool { return rounds.IsClosed(s.listens) }

func (s *clientState) recall() (root string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root, s.known && s.as == s.changes.Load()
}

func (s *clientState) learn(root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root, s.known, s.as = root, true, s.changes.Load()
}

// stateOf returns what is remembered of the client of a request; nil if the protocol
// has no session for it, as over HTTP since version 2026-07-28.
func (g *Gateway) stateOf(ctx context.Context) *clientState {
	if c := connectionOf(ctx); c != nil {
		return c.client
	}
	if session := server.ClientSessionFromContext(ctx); session != nil && session.SessionID() != "" {
		state, _ := g.clients.LoadOrStore(session.SessionID(), newClientState())
		return state.(*clientState)
	}
	return nil
}

// sessionEnded forgets the client of a session.
func (g *Gateway) sessionEnded(_ context.Context, session server.ClientSession) {
	g.clients.Delete(session.SessionID())
}

// notesListeners records which clients over HTTP listen.
func (g *Gateway) notesListeners(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(server.HeaderKeySessionID)
		if known, ok := g.clients.Load(id); ok && r.Method == http.MethodGet {
			known.(*clientState).listen()
		}
		next.ServeHTTP(w, r)
	})
}

// rootsAnnounced handles the notification of a client that its roots have changed.
func (g *Gateway) rootsAnnounced(ctx context.Context, _ mcp.JSONRPCNotification) {
	if s := g.stateOf(ctx); s != nil {
		s.changes.Add(1)
	}
}

// rootRequest is the name of the request for roots among those that a result makes of
// a client, and the state that such a result has.
const rootRequest = "roots"

// root returns the folder in which the client works, "" if it names none. If asked
// is not nil, it must be returned instead of a result: the client then repeats its
// request with its roots.
func (g *Gateway) root(ctx context.Context, r mcp.CallToolRequest) (path string, asked *mcp.CallToolResult) {
	if capabilitiesOf(ctx).Roots == nil {
		return "", nil
	}
	s := g.stateOf(ctx)
	if !server.IsModernRequest(ctx) {
		if s == nil {
			return "", nil
		}
		return s.ask(ctx, func() string { return g.requestRoots(ctx) }), nil
	}
	if told := server.RootsResponse(r.Params.InputResponses, rootRequest); told != nil {
		path = firstFolder(told.Roots)
		if s != nil {
			s.learn(path)
		}
		return path, nil
	}
	if s != nil {
		if path, known := s.recall(); known {
			return path, nil
		}
	}
	return "", server.NewInputRequestBuilder(rootRequest).Roots(rootRequest).ToolResult()
}

// requestRoots asks a client of an older version of the protocol for its first root.
func (g *Gateway) requestRoots(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	told, err := g.server.RequestRoots(ctx, mcp.ListRootsRequest{})
	if err != nil {
		g.log.Warn("the client does not tell its roots", "client", clientOf(ctx), "error", err)
		return ""
	}
	return firstFolder(told.Roots)
}

// firstFolder returns the path of the first root that is a folder of this machine,
// or "".
func firstFolder(roots []mcp.Root) string {
	for _, r := range roots {
		u, err := url.Parse(r.URI)
		if err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && filepath.IsAbs(u.Path) {
			return filepath.Clean(u.Path)
		}
	}
	return ""
}

// capabilitiesOf returns what the client of a request can do.
func capabilitiesOf(ctx context.Context) mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern && info.ClientCapabilities != nil {
		return *info.ClientCapabilities
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}
