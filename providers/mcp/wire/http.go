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
)

// errorBodyKept is how much of the body of an error answer is kept, in bytes.
const errorBodyKept = 2 << 10

// roundTripper is the HTTP side of a connection. It keeps status and body of
// the last answer that was an error, which the library does not tell, bounds
// the size of answers, and notices when the stream of notifications is lost,
// or the login.
type roundTripper struct {
	base *http.Transport
	next http.RoundTripper // base, with the login
	lost func(error)       // the stream was there and cannot be had again, or the login has ended
	end  time.Duration     // until the server must have taken note of the end of a session
	// answers says that the stream is that of sse, without which there is
	// nothing.
	answers bool

	mu       sync.Mutex
	status   int
	body     string
	streamed bool // the stream of notifications was open once
	needed   *oauth.Needed
}

// newRoundTripper sends requests with the login, if it is not nil.
func newRoundTripper(lost func(error), end time.Duration, login *oauth.Session) *roundTripper {
	r := &roundTripper{base: http.DefaultTransport.(*http.Transport).Clone(), lost: lost, end: end}
	r.next = r.base
	if login != nil {
		r.next = login.Transport(r.base)
	}
	return r
}

// client is an HTTP client that does not carry configured headers, which hold
// tokens, to another host.
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
	if req.Method == http.MethodDelete { // of the session, of whose answer nothing is read
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
		body, _ := io.ReadAll(io.LimitReader(res.Body, errorBodyKept)) // as much as there is
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
		r.needed = nil // for something else it goes far enough
	}
	r.mu.Unlock()
	res.Body = &bounded{ReadCloser: res.Body, left: MaxLine, events: req.Method == http.MethodGet}
	return res, nil
}

// refusedStream deals with an error instead of the stream of notifications.
// After it was there once, the session is gone. Else the server does not have
// it, and the library is told so in the one way that keeps it from asking
// again and again.
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

// refusedLogin deals with a server that wants a login, or another one. One
// that does not go far enough for a stream of notifications is good for the
// rest.
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

// failure tells status and body of the last error answer, or "".
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

// needsLogin is what the server has said of a login that it wants, or nil. It
// can be asked of no roundTripper.
func (r *roundTripper) needsLogin() *oauth.Needed {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.needed
}

// lastStatus is the status of the last error answer, or 0.
func (r *roundTripper) lastStatus() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// bounded is a body that ends with an error where it is too long, or where one
// of its events is.
type bounded struct {
	io.ReadCloser
	left   int
	events bool // it is a stream of events, which are divided by empty lines
	last   byte // but for carriage returns
}

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", MaxLine>>20)

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
				b.left = MaxLine - (n - i - 1)
			}
			if c != '\r' {
				b.last = c
			}
		}
	}
	return n, err
}

// statusKey is the key in the context of a request to a *int, which is set to
// the status of an answer that is an error.
type statusKey struct{}

func withStatus(ctx context.Context) (context.Context, *int) {
	status := new(int)
	return context.WithValue(ctx, statusKey{}, status), status
}

// forgotten tells whether a request that was sent within a session, and was
// answered with a status, found it forgotten.
func forgotten(session string, status int) bool {
	return session != "" && (status == http.StatusNotFound || status == http.StatusBadRequest)
}

// sessionCode tells whether an error with HTTP status 400 or 404 may speak of
// the session, and not of the request. Those are the codes that the SDKs have
// for it.
func sessionCode(code int) bool {
	return code == -32000 || code == -32001 || code == mcp.INVALID_REQUEST
}
