package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/config"
)

// fake is a server that a test scripts: over pipes, or over HTTP.
type fake struct {
	modern bool
	caps   string // its capabilities, as JSON
	// call answers a request that is none of the handshake; say sends a message
	// before the answer, in the stream of the request.
	call func(m fakeMessage, say func(format string, args ...any))

	mu      sync.Mutex
	turned  chan struct{} // closed at the next change, if somebody waits for it
	answers []fakeMessage // what it was answered, and told
	init    json.RawMessage
}

// change changes the fake, and wakes who waits for that.
func (f *fake) change(by func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	by()
	if f.turned != nil {
		close(f.turned)
		f.turned = nil
	}
}

// await waits until a condition holds, which is looked at with mu held.
func (f *fake) await(holds func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !holds() {
		if f.turned == nil {
			f.turned = make(chan struct{})
		}
		turned := f.turned
		f.mu.Unlock()
		<-turned
		f.mu.Lock()
	}
}

// fakeMessage is a message to the fake.
type fakeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// take answers a message.
func (f *fake) take(m fakeMessage, say func(format string, args ...any)) {
	result := func(format string, args ...any) {
		say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, fmt.Sprintf(format, args...))
	}
	caps := f.caps
	if caps == "" {
		caps = `{"tools":{}}`
	}
	switch {
	case m.Method == "server/discover" && f.modern:
		result(`{"supportedVersions":["2026-07-28"],"capabilities":%s,"resultType":"complete"}`, caps)
	case m.Method == "server/discover":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`, m.ID)
	case m.Method == "initialize":
		f.mu.Lock()
		f.init = m.Params
		f.mu.Unlock()
		result(`{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}`, caps)
	case m.ID == nil || m.Method == "":
		f.change(func() { f.answers = append(f.answers, m) })
	default:
		f.call(m, say)
	}
}

// answer returns the answer to a request of the fake's, once it has come.
func (f *fake) answer(id string) (is fakeMessage) {
	f.await(func() bool {
		for _, m := range f.answers {
			if m.Method == "" && string(m.ID) == id {
				is = m
				return true
			}
		}
		return false
	})
	return is
}

// count returns how many answers there are to a request of the fake's.
func (f *fake) count(id string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.answers {
		if m.Method == "" && string(m.ID) == id {
			n++
		}
	}
	return n
}

// usual returns how tests connect.
func usual() *Dialer {
	return &Dialer{
		Def: &config.Server{Transport: config.Stdio}, Now: time.Now, Environ: os.Environ,
		Timing: Timing{Discover: time.Minute, Deaf: time.Minute, Relisten: time.Millisecond},
	}
}

// connect connects to the fake over pipes.
func (f *fake) connect(t *testing.T, d *Dialer) *Connection {
	t.Helper()
	inR, inW := fstest.Pipe()
	outR, outW := fstest.Pipe()
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Fprintf(outW, format+"\n", args...)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		in := bufio.NewReader(inR)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var m fakeMessage
			if json.Unmarshal(line, &m) == nil {
				serving.Go(func() { f.take(m, say) })
			}
		}
	})
	c := d.connection(context.Background(), config.Stdio)
	c.speak(inW, outR)
	t.Cleanup(func() {
		c.Close()
		inR.Close()
		outW.Close()
		outR.Close()
		serving.Wait()
	})
	if err := c.handshake(context.Background(), !f.modern); err != nil {
		t.Fatal(err)
	}
	return c
}

// connectHTTP connects to the fake over HTTP, where calls are answered in streams.
func (f *fake) connectHTTP(t *testing.T, d *Dialer) *Connection {
	t.Helper()
	network := fstest.NewNetwork(t)
	url := network.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m fakeMessage
		if r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		if m.ID == nil || m.Method == "" {
			f.take(m, nil)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if !f.modern {
			w.Header().Set("Mcp-Session-Id", "s1")
		}
		var out sync.Mutex
		f.take(m, func(format string, args ...any) {
			out.Lock()
			defer out.Unlock()
			fmt.Fprintf(w, "data: "+format+"\n\n", args...)
			w.(http.Flusher).Flush()
		})
	}))
	d.HTTP, d.Def = network, &config.Server{Transport: config.StreamableHTTP, URL: url}
	if !f.modern {
		d.Era = Legacy
	}
	c, err := d.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// both runs a test over pipes and over HTTP, in bubbles.
func both(t *testing.T, modern bool, test func(t *testing.T, connect func(f *fake, d *Dialer) *Connection)) {
	for name, connect := range map[string]func(*fake, *testing.T, *Dialer) *Connection{"stdio": (*fake).connect, "http": (*fake).connectHTTP} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, func(f *fake, d *Dialer) *Connection { f.modern = modern; return connect(f, t, d) })
			})
		})
	}
}

// called is a call of a tool, with somebody who is asked.
func called(tool string, p *Pending) Outgoing {
	return Outgoing{Method: "tools/call", Params: map[string]any{"name": tool, "arguments": map[string]any{}}, Pending: p}
}
