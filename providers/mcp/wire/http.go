package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/lines"
)

// errorBodyKept is how much of the body of an error response is kept, in bytes.
const errorBodyKept = 2 << 10

// roundTripper is the HTTP side of a connection. It keeps status and body of the
// last error response, which the library drops, bounds the size of responses, and
// notices when the stream of notifications, or the login, is lost.
type roundTripper struct {
	base http.RoundTripper
	next http.RoundTripper // base with the login
	lost func(error)       // called when the stream cannot be reopened, or the login has ended
	end  time.Duration     // timeout of the request that ends a session
	// answers reports that the transport is SSE, whose stream carries the answers, and
	// requests of the server, which go to asked.
	answers bool
	asked   func(lines.Message)

	mu       sync.Mutex
	status   int
	body     string
	streamed bool // the stream of notifications was open before
	needed   *oauth.Needed
}

// newRoundTripper returns a round tripper over base that sends the login, unless it
// is nil.
func newRoundTripper(base http.RoundTripper, lost func(error), end time.Duration, login *oauth.Session) *roundTripper {
	r := &roundTripper{base: base, next: base, lost: lost, end: end}
	if login != nil {
		r.next = login.Transport(base)
	}
	return r
}

// client returns an HTTP client that sends the configured headers, which hold
// tokens, to no other host.
func (r *roundTripper) client() *http.Client {
	return &http.Client{
		Transport: r,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme:
				return fmt.Errorf("it redirects to another host, %s", req.URL.Host)
			case len(via) >= 5:
				return errors.New("it redirects in circles")
			}
			return nil
		},
	}
}

// RoundTrip implements http.RoundTripper.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodDelete { // ends the session; the response is not read
		ctx, stop := context.WithTimeout(req.Context(), r.end)
		defer stop()
		req = req.WithContext(ctx)
	}
	stream := req.Method == http.MethodGet && !r.answers
	res, err := r.next.RoundTrip(req)
	if needed := (*oauth.Needed)(nil); errors.As(err, &needed) && req.Method != http.MethodDelete {
		return r.refusedLogin(req, needed)
	}
	if err != nil {
		if stream && req.Context().Err() == nil {
			r.lost(err)
		}
		return nil, err
	}
	if res.StatusCode >= 400 {
		body, _ := io.ReadAll(io.LimitReader(res.Body, errorBodyKept)) // as much as can be read
		res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(body))
		if stream {
			return r.refusedStream(res)
		}
		if status, ok := req.Context().Value(statusKey{}).(*int); ok {
			*status = res.StatusCode
		}
		if req.Method != http.MethodDelete {
			r.mu.Lock()
			r.status, r.body = res.StatusCode, string(body)
			r.mu.Unlock()
		}
		return res, nil
	}
	r.mu.Lock()
	r.streamed = r.streamed || stream
	if r.needed != nil && r.needed.Narrow {
		r.needed = nil // its scopes are enough for other requests
	}
	r.mu.Unlock()
	res.Body = &bounded{ReadCloser: res.Body, left: lines.MaxLine, events: req.Method == http.MethodGet}
	if r.answers && req.Method == http.MethodGet {
		res.Body = &tap{ReadCloser: res.Body, asked: r.asked}
	}
	return res, nil
}

// refusedStream handles an error response to the request for the stream of
// notifications. If it was open before, the session has ended. Otherwise the
// server has no such stream, and status 405 keeps the library from asking again
// and again.
func (r *roundTripper) refusedStream(res *http.Response) (*http.Response, error) {
	r.mu.Lock()
	streamed := r.streamed
	r.mu.Unlock()
	if streamed {
		r.lost(&sessionError{res.StatusCode})
	}
	res.StatusCode = http.StatusMethodNotAllowed
	return res, nil
}

// refusedLogin handles a server that requires a login, or another one. A login whose
// scopes are not enough for the stream of notifications is good for the rest.
func (r *roundTripper) refusedLogin(req *http.Request, needed *oauth.Needed) (*http.Response, error) {
	if req.Method == http.MethodGet && needed.Narrow && !r.answers {
		return r.refusedStream(&http.Response{
			StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: make(http.Header), Body: http.NoBody, Request: req,
		})
	}
	r.mu.Lock()
	r.needed = needed
	r.mu.Unlock()
	if !needed.Narrow {
		r.lost(needed)
	}
	return nil, needed
}

// failure returns status and body of the last error response as text, or "".
func (r *roundTripper) failure() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status == 0 {
		return ""
	}
	text := fmt.Sprintf("the server answered with HTTP status %d %s", r.status, http.StatusText(r.status))
	if body := strings.TrimSpace(r.body); body != "" {
		text += ": " + body
	}
	return text
}

// needsLogin returns what the server has said about the login that it requires, or
// nil. R may be nil.
func (r *roundTripper) needsLogin() *oauth.Needed {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.needed
}

// lastStatus returns the status of the last error response, or 0.
func (r *roundTripper) lastStatus() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// bounded is a body that returns an error where it, or one of its events, is too
// long.
type bounded struct {
	io.ReadCloser
	left   int
	events bool // it is a stream of events, which are separated by empty lines
	last   byte // the last byte, carriage returns left out
}

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", lines.MaxLine>>20)

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if b.events {
		for i, c := range p[:n] {
			if c == '\n' && b.last == '\n' {
				b.left = lines.MaxLine - (n - i - 1)
			}
			if c != '\r' {
				b.last = c
			}
		}
	}
	return n, err
}

// statusKey is the key in the context of a request for a *int, which is set to the
// status of an error response.
type statusKey struct{}

func withStatus(ctx context.Context) (context.Context, *int) {
	status := new(int)
	return context.WithValue(ctx, statusKey{}, status), status
}

// forgotten reports whether the status of a response means that the server has
// forgotten the session.
func forgotten(session string, status int) bool {
	return session != "" && (status == http.StatusNotFound || status == http.StatusBadRequest)
}

// sessionCode reports whether the JSON-RPC code of an error with HTTP status 400
// or 404 may be about the session rather than the request. These are the codes
// that the SDKs use for it.
func sessionCode(code int) bool {
	return code == -32000 || code == -32001 || code == mcp.INVALID_REQUEST
}
