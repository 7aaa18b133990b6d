package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/providers/internal/clean"
)

// callback is the loopback server to which the browser returns, RFC 8252 section
// 7.3.
type callback struct {
	address   string // the redirect address
	path      string
	listeners []net.Listener
	server    *http.Server
	serving   cell.Group

	answers  chan url.Values
	taken    atomic.Bool   // there is one
	done     chan struct{} // closed when outcome is set
	doneOnce sync.Once
	outcome  error
}

// defaultRedirect is the redirect address unless one is configured.
const defaultRedirect = "http://127.0.0.1/callback"

// listen opens the port of a redirect address, or a free one if the address has no
// port.
func (c *Client) listen(redirect string) (*callback, error) {
	redirect = cmp.Or(redirect, defaultRedirect)
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" || !loopback(u.Hostname()) || u.RawQuery != "" || u.User != nil {
		return nil, &Fault{What: "the redirect address " + quoted(redirect) + " is not one of this machine",
			Mend: "configure one such as http://localhost:8787/callback"}
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	port := cmp.Or(u.Port(), "0")
	first, err := c.open("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &Fault{What: "port " + port + ", which the browser has to return to, is in use",
			Mend: "end what uses it, perhaps another login, or configure another port"}
	case err != nil:
		return nil, fmt.Errorf("no port can be opened for the browser to return to: %w", err)
	}
	back := &callback{path: cmp.Or(u.Path, "/"), listeners: []net.Listener{first}, answers: make(chan url.Values, 1), done: make(chan struct{})}
	_, port, _ = net.SplitHostPort(first.Addr().String())
	if u.Hostname() == "localhost" {
		// Browsers may try this one first. It does not matter if it is in use.
		if second, err := c.open("tcp6", net.JoinHostPort("::1", port)); err == nil {
			back.listeners = append(back.listeners, second)
		}
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	back.address = u.String()
	return back, nil
}

// serve starts to answer browsers. Only a request with the state counts.
func (c *callback) serve(state string, note func(string)) {
	var mu sync.Mutex // note is not called twice at a time
	c.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			switch {
			case r.Method != http.MethodGet || r.URL.Path != c.path:
				http.NotFound(w, r)
			case q.Get("state") != state:
				mu.Lock()
				note("a browser returned with the answer to another login, which was ignored; still waiting")
				mu.Unlock()
				writePage(w, http.StatusBadRequest, "This is the answer to another login",
					"ctxfs is waiting for the login that it asked for last. Close this tab and use the newest address that it has shown.")
			default:
				c.take(w, r, q)
			}
		}),
	}
	for _, l := range c.listeners {
		c.serving.Go(func() { _ = c.server.Serve(l) }) // until it is closed
	}
}

// take accepts the first outcome, and shows it in the browser.
func (c *callback) take(w http.ResponseWriter, r *http.Request, q url.Values) {
	if c.taken.Swap(true) {
		writePage(w, http.StatusConflict, "This login has been answered already", "Close this tab. ctxfs says in the terminal what became of the login.")
		return
	}
	c.answers <- q
	select {
	case <-c.done:
	case <-r.Context().Done():
		return
	}
	if c.outcome != nil {
		writePage(w, http.StatusOK, "The login did not work", c.outcome.Error()+".", "The terminal says what to do.")
		return
	}
	writePage(w, http.StatusOK, "You are logged in", "ctxfs has what it needs. You can close this tab.")
}

// writeOutcome shows in the browser how the login has ended.
func (c *callback) writeOutcome(err error) {
	c.doneOnce.Do(func() {
		c.outcome = err
		close(c.done)
	})
}

// close stops the server, after the page under way has been sent.
func (c *callback) close() {
	c.writeOutcome(errors.New("the login was interrupted"))
	if c.server == nil {
		for _, l := range c.listeners {
			l.Close()
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
	c.serving.Wait()
}

// writePage answers a browser: a heading and paragraphs of plain text.
func writePage(w http.ResponseWriter, status int, heading string, paragraphs ...string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the code
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<title>ctxfs</title><style>body{font:1.1em/1.6 system-ui,sans-serif;max-width:34em;margin:18vh auto 0;padding:0 1.5em;` +
		`color:#222;background:#fff}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}</style></head><body>`)
	b.WriteString("<h1>" + html.EscapeString(heading) + "</h1>")
	for _, p := range paragraphs {
		b.WriteString("<p>" + html.EscapeString(clean.Line(p)) + "</p>")
	}
	b.WriteString("</body></html>\n")
	_, _ = io.WriteString(w, b.String())
}
