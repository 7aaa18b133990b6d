package wait

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"ctxfs/providers/internal/sockets"

	"ctxfs/fs/await"
)

// Nothing tells that a program listens: a port is looked at in intervals, which grow.
const (
	portSoon = 50 * time.Millisecond
	portLate = time.Second
	dialTime = 300 * time.Millisecond
)

// Ports waits for the TCP ports of this machine, as this process sees them.
type Ports struct{}

// Awaits implements await.Awaiter.
func (Ports) Awaits() []await.Awaitable {
	return []await.Awaitable{{Kind: "port", Name: "NUMBER", Until: []string{"", "--closed"}}}
}

// Await implements await.Awaiter.
func (Ports) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	port, err := strconv.ParseUint(c.Name, 10, 16)
	switch {
	case c.Name == "":
		return nil, noSense("port: which port? give its number")
	case err != nil || port == 0:
		return nil, noSense(fmt.Sprintf("a port is a number from 1 to 65535, not %q", c.Name))
	case c.Until != "" && c.Until != "--closed":
		return nil, noSense("port NUMBER waits until something listens there, with --closed until nothing does, but not " + c.Until)
	}
	return &portWait{port: int(port), closed: c.Until != "", pause: portSoon}, nil
}

type portWait struct {
	port   int
	closed bool
	pause  time.Duration
}

// Paths implements await.Pending.
func (*portWait) Paths() []string { return nil }

// Check implements await.Pending. The kernel's table says who listens, without disturbing the
// server; a port that is forwarded is in no table, and is connected to.
func (w *portWait) Check(ctx context.Context) (await.Standing, error) {
	at := sockets.ListensAt(w.port)
	if at == "" {
		at = dial(ctx, w.port)
	}
	open := at != ""
	if open != w.closed {
		if !open {
			return await.Standing{State: await.Met, What: fmt.Sprintf("nothing listens at port %d", w.port)}, nil
		}
		return await.Standing{State: await.Met, What: fmt.Sprintf("port %d takes connections, at %s", w.port, at), More: fmt.Sprintf("ss -ltnp 'sport = :%d'", w.port)}, nil
	}
	s := await.Standing{What: fmt.Sprintf("nothing listens at port %d", w.port), Again: time.Now().Add(w.pause)}
	if open {
		s.What = fmt.Sprintf("something listens at port %d", w.port)
	}
	w.pause = min(w.pause*3/2, portLate)
	return s, ctx.Err()
}

// dial returns the address of this machine at which a port takes connections, or "".
func dial(ctx context.Context, port int) string {
	d := net.Dialer{Timeout: dialTime}
	for _, host := range []string{"127.0.0.1", "::1"} {
		at := net.JoinHostPort(host, strconv.Itoa(port))
		if conn, err := d.DialContext(ctx, "tcp", at); err == nil {
			conn.Close()
			return at
		}
	}
	return ""
}
