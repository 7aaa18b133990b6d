package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"ctxfs/fs"
)

// Endpoint is the path where HTTP is served.
const Endpoint = "/mcp"

// Listen opens a port for [Gateway.ServeHTTP]: HOST:PORT, where HOST is a loopback
// address or "localhost", and port 0 selects a free one. It refuses any other
// address, since anyone who reaches the port could call the user's tools. Its
// errors are [Fault]s.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &Fault{
			What: fmt.Sprintf("%q is not an address to listen on", address),
			Mend: "give host and port, such as 127.0.0.1:4939",
		}
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return nil, &Fault{
			What: fmt.Sprintf("%q is not a loopback address: others could call your tools", address),
			Mend: "give 127.0.0.1:" + port + ", or [::1]:" + port,
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &Fault{
			What: fmt.Sprintf("cannot listen on %s: %v", address, errors.Unwrap(err)),
			Mend: "give another port, or 0 for a free one",
		}
	}
	return l, nil
}

// ServeHTTP serves any number of clients over streamable HTTP, at [Endpoint],
// until ctx ends; then it cancels the requests under way, and returns nil.
//
// It serves programs of this user and of root, as far as the system reports the
// owner of a connection (Linux does). It refuses web pages: a request whose
// Origin is not the address itself, or whose Host is not a name of this
// machine's loopback. It refuses a request that does not arrive within a time,
// or is too long (see [httpLimits]); responses may take any time.
func (g *Gateway) ServeHTTP(ctx context.Context, l net.Listener) error {
	protocol := server.NewStreamableHTTPServer(g.server, server.WithStreamableHTTPLogger(g.log))
	in := &intake{httpLimits: g.limits}
	mux := http.NewServeMux()
	mux.Handle(Endpoint, g.guard(in.take(g.notesListeners(protocol))))
	s := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: in.header,
		IdleTimeout:       in.idle,
		MaxHeaderBytes:    64 << 10,
		ConnState:         in.state,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			ctx = context.WithValue(ctx, connKey{}, c)
			return context.WithValue(ctx, ownerKey{}, sync.OnceValue(func() error { return g.peer(c.RemoteAddr(), c.LocalAddr()) }))
		},
	}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ownerKey is the context key of a function that returns, computed once per
// connection, why its other end may not use it.
type ownerKey struct{}

// guard passes on requests from programs of the user, with what confines them.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check, _ := r.Context().Value(ownerKey{}).(func() error)
		if err := check(); err != nil {
			g.log.Warn("refused a connection", "peer", r.RemoteAddr, "error", err)
			http.Error(w, "this is the gateway of another user", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			http.Error(w, "web pages may not use this gateway", http.StatusForbidden)
			return
		}
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok && g.confined != nil {
			r = r.WithContext(fs.Confine(r.Context(), g.confined(c)))
		}
		next.ServeHTTP(w, r)
	})
}
