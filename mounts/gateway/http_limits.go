package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// httpLimits bound what a client may use before its request is complete.
type httpLimits struct {
	header time.Duration // for the header of a request
	body   time.Duration // for its body, after the header
	idle   time.Duration // between two requests on one connection
	size   int64         // bytes of one body
	sizes  int64         // bytes of all bodies in memory
	open   int           // connections with incomplete requests
}

// usualLimits returns limits that leave room for any well-behaved program of
// the user: a message is some kilobytes, and arrives at once.
func usualLimits() httpLimits {
	return httpLimits{
		header: 10 * time.Second, body: 30 * time.Second, idle: 2 * time.Minute,
		size: 16 << 20, sizes: 64 << 20, open: 64,
	}
}

// intake reads requests within limits. No time limit applies once a request is
// complete: the response may start late and take any time.
type intake struct {
	httpLimits
	bytes atomic.Int64 // of bodies in memory

	mu   sync.Mutex
	half []net.Conn // with incomplete requests, oldest first
}

// requestBegun records a connection that a request begins on. If there are too many
// incomplete requests, the oldest connection is closed, so that later ones are
// served.
func (in *intake) requestBegun(c net.Conn) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.forget(c)
	in.half = append(in.half, c)
	for len(in.half) > in.open {
		_ = in.half[0].Close()
		in.half = in.half[1:]
	}
}

// requestDone records that the request is complete, or the connection has ended.
func (in *intake) requestDone(c net.Conn) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.forget(c)
}

// forget removes a connection from half. The caller holds mu.
func (in *intake) forget(c net.Conn) {
	in.half = slices.DeleteFunc(in.half, func(one net.Conn) bool { return one == c })
}

// state tracks the connections of a server (http.Server.ConnState).
func (in *intake) state(c net.Conn, s http.ConnState) {
	if s == http.StateNew || s == http.StateActive {
		in.requestBegun(c)
	} else {
		in.requestDone(c)
	}
}

// connKey is the context key of the connection of a request.
type connKey struct{}

// take reads the body of each request before it calls the next handler.
func (in *intake) take(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := in.read(w, r)
		defer in.bytes.Add(-int64(cap(body)))
		if err != nil {
			refuseBody(w, err, in.httpLimits)
			return
		}
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			in.requestDone(c)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

var errTooMuch = errors.New("too many long messages at once")

// read reads a body. What it returns counts as memory in use, even with an error.
func (in *intake) read(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	if r.ContentLength > in.size {
		return nil, &http.MaxBytesError{Limit: in.size}
	}
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(in.body)); err != nil {
		return nil, err
	}
	from := http.MaxBytesReader(w, r.Body, in.size)
	for {
		if len(body) == cap(body) {
			grown := max(4<<10, 2*cap(body))
			if in.bytes.Add(int64(grown-cap(body))) > in.sizes {
				in.bytes.Add(-int64(grown - cap(body)))
				return body, errTooMuch
			}
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, control.SetReadDeadline(time.Time{})
		}
		if err != nil {
			return body, err
		}
	}
}

// refuseBody answers a request whose body was refused, and closes its connection,
// where the rest of the body may still arrive.
func refuseBody(w http.ResponseWriter, err error, l httpLimits) {
	w.Header().Set("Connection", "close")
	switch long := (*http.MaxBytesError)(nil); {
	case errors.As(err, &long):
		http.Error(w, fmt.Sprintf("a message of more than %d MiB is not accepted", l.size>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, errTooMuch):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error()+": try again", http.StatusServiceUnavailable)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, fmt.Sprintf("the message did not arrive within %v", l.body), http.StatusRequestTimeout)
	default:
		http.Error(w, "the message did not arrive completely", http.StatusBadRequest)
	}
}
