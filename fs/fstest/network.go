package fstest

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Network is a loopback network in memory, for servers and clients of HTTP: they speak
// as over sockets, and waiting for the other side blocks durably in the sense of
// testing/synctest. It ends with its test.
type Network struct {
	t         testing.TB
	transport *http.Transport

	mu        sync.Mutex
	listeners map[string]*listener // by address
	ports     uint16               // that were given to who asked for any
}

// NewNetwork returns a network without servers.
func NewNetwork(t testing.TB) *Network {
	n := &Network{t: t, listeners: make(map[string]*listener)}
	n.transport = &http.Transport{DialContext: n.Dial}
	t.Cleanup(n.transport.CloseIdleConnections)
	return n
}

// RoundTrip implements http.RoundTripper.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) { return n.transport.RoundTrip(r) }

// CloseIdleConnections closes the connections without a request.
func (n *Network) CloseIdleConnections() { n.transport.CloseIdleConnections() }

// Serve serves until the end of the test, and returns the address.
func (n *Network) Serve(h http.Handler) (url string) {
	n.t.Helper()
	l, err := n.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		n.t.Fatal(err)
	}
	server := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // until it is closed
	n.t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return "http://" + l.Addr().String()
}

// Listen is [net.Listen] for an IP address of the network and a port, 0 for any.
func (n *Network) Listen(network, address string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.Port() == 0 {
		n.ports++
		at = netip.AddrPortFrom(at.Addr(), n.ports)
	}
	l := &listener{at: net.TCPAddrFromAddrPort(at), dialed: make(chan net.Conn), closed: make(chan struct{})}
	if n.listeners[at.String()] != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Addr: l.at, Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	n.listeners[at.String()] = l
	l.close = sync.OnceFunc(func() {
		close(l.closed)
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, at.String())
	})
	return l, nil
}

// Dial connects to a listener. No other address can be reached.
func (n *Network) Dial(ctx context.Context, network, to string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[strings.Replace(to, "localhost:", "127.0.0.1:", 1)]
	n.mu.Unlock()
	if l != nil {
		here, there := net.Pipe()
		select {
		case l.dialed <- there:
			return here, nil
		case <-l.closed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// listener is a net.Listener in a network.
type listener struct {
	at     *net.TCPAddr
	dialed chan net.Conn
	closed chan struct{}
	close  func()
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.close(); return nil }
func (l *listener) Addr() net.Addr { return l.at }
