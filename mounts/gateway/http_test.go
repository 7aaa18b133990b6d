package gateway

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

const (
	modern   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	listing  = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modern + `}}`
	longCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"server":"s","tool":"t"},` + modern + `}}`
)

// post posts a message with headers, pairs of name and value.
func post(t *testing.T, ctx context.Context, url, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	return postBy(t, new(net.Dialer).DialContext, ctx, url, body, headers...)
}

// postBy is post over connections that a function opens.
func postBy(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error), ctx context.Context, url, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", "tools/list")
	if body == longCall {
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "call")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	one := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	answer, err := one.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func TestWebPagesAreRefused(t *testing.T) {
	url := serveHTTP(t, newGateway(t, &fake{}))
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Endpoint)
	for _, c := range []struct {
		headers []string
		want    int
	}{
		{nil, 200},
		{[]string{"Origin", "http://" + host}, 200},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Origin", "http://localhost:3000"}, 403},
		{[]string{"Host", "evil.example"}, 403},
		{[]string{"Host", "evil.example:80", "Origin", "http://evil.example:80"}, 403},
		{[]string{"Host", "localhost:1"}, 200},
		{[]string{"Content-Type", "text/plain"}, 400},
	} {
		answer, text, err := post(t, t.Context(), url, listing, c.headers...)
		must(t, err)
		if answer.StatusCode != c.want || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v: %s: %s", c.headers, answer.Status, text)
		}
	}
	if answer, _, err := post(t, t.Context(), strings.TrimSuffix(url, Endpoint)+"/other", listing); err != nil || answer.StatusCode != 404 {
		t.Errorf("another path: %v, %v", answer, err)
	}
}

func TestListenOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.0.0.1", "", "7000"} {
		l, err := Listen(address)
		if f := (*Fault)(nil); !errors.As(err, &f) || f.Mend == "" {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil {
			l.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.9.9.9:0"} {
		l, err := Listen(address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		if _, err := Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("a port that is taken: %v", err)
		}
		l.Close()
	}
}

// TestLeft: closing its connection cancels a client's call.
func TestLeft(t *testing.T) {
	f, begun, ended := hanging()
	url := serveHTTP(t, newGateway(t, f))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, _, err := post(t, ctx, url, longCall); !errors.Is(err, context.Canceled) {
		t.Errorf("the answer: %v", err)
	}
	<-ended
}

// TestHTTPEnds cancels what is under way.
func TestHTTPEnds(t *testing.T) {
	f, begun, ended := hanging()
	l, err := Listen("127.0.0.1:0")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- newGateway(t, f).ServeHTTP(ctx, l) }()
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _, _ = post(t, context.Background(), "http://"+l.Addr().String()+Endpoint, longCall)
	}()
	<-begun
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ServeHTTP: %v", err)
	}
	<-ended
	<-left
}
