package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// httpLimits bound what a client may use before its request is complete. No time limit
// applies from then on: the response may start late and take any time.
type httpLimits struct {
	header time.Duration // for the header of a request
	body   time.Duration // for its body, after the header
	idle   time.Duration // between two requests on one connection
	size   int64         // bytes of one body
}

// usualLimits returns limits that leave room for any well-behaved program of
// the user: a message is some kilobytes, and arrives at once.
func usualLimits() httpLimits {
	return httpLimits{header: 10 * time.Second, body: 30 * time.Second, idle: 2 * time.Minute, size: 16 << 20}
}

// take reads the body of each request before it calls the next handler.
func (l httpLimits) take(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		control := http.NewResponseController(w)
		err := error(&http.MaxBytesError{Limit: l.size})
		if r.ContentLength <= l.size {
			err = control.SetReadDeadline(time.Now().Add(l.body))
		}
		if err == nil {
			_, err = body.ReadFrom(http.MaxBytesReader(w, r.Body, l.size))
		}
		if err == nil {
			err = control.SetReadDeadline(time.Time{})
		}
		if err != nil {
			l.refuse(w, err)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request whose body was refused, and closes its connection, where the
// rest of the body may still arrive.
func (l httpLimits) refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Connection", "close")
	switch long := (*http.MaxBytesError)(nil); {
	case errors.As(err, &long):
		http.Error(w, fmt.Sprintf("a message of more than %d MiB is not accepted", l.size>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, fmt.Sprintf("the message did not arrive within %v", l.body), http.StatusRequestTimeout)
	default:
		http.Error(w, "the message did not arrive completely", http.StatusBadRequest)
	}
}
