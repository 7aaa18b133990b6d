package mcp

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// where is what the tool "where" of a stub "places" returns.
type where struct {
	PID   int      `json:"pid"`
	Run   string   `json:"run"` // another one for each process
	Dir   string   `json:"dir"`
	Roots []string `json:"roots"` // nil if it was told that it cannot ask
	State string   `json:"state"` // what "remember" was last called with
	Args  []string `json:"args"`
}

// placesTools are the tools of a stub "places", unless stubTools names a file in its
// folder that has others.
const placesTools = `[
 {"name":"where","inputSchema":{"type":"object"}},
 {"name":"remember","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
 {"name":"forget","inputSchema":{"type":"object"}},
 {"name":"hold","inputSchema":{"type":"object"}}]`

// runPlaces is a server that keeps state, and tells where it runs.
func runPlaces(p *process) {
	p.journal("start in " + p.dir)
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Fprintf(p.out, format+"\n", args...)
	}
	var state atomic.Pointer[string]
	state.Store(new(string))
	rooted, run := false, rand.Text()
	var ids atomic.Int64
	var answers sync.Map // of channels, by ID
	in := bufio.NewReader(p.in)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name         string
				Arguments    struct{ Text string }
				Capabilities struct{ Roots *struct{} }
			}
			Result struct{ Roots []struct{ URI string } }
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		text := func(text string) {
			encoded, _ := json.Marshal(text)
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, encoded)
		}
		switch m.Method {
		case "":
			if c, ok := answers.LoadAndDelete(string(m.ID)); ok {
				roots := []string{}
				for _, r := range m.Result.Roots {
					if u, err := url.Parse(r.URI); err == nil && u.Scheme == "file" {
						roots = append(roots, u.Path)
					}
				}
				c.(chan []string) <- roots
			}
		case "initialize":
			rooted = m.Params.Capabilities.Roots != nil
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"places","version":"1"}}}`, m.ID)
		case "tools/list":
			tools := cmp.Or(p.file(stubTools), placesTools)
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, m.ID, strings.ReplaceAll(tools, "\n", ""))
		case "tools/call":
			switch m.Params.Name {
			case "remember":
				state.Store(&m.Params.Arguments.Text)
				text("ok")
			case "hold":
				p.journal("holds")
			case "where":
				go func() {
					is := where{PID: p.pid, Run: run, Dir: p.dir, State: *state.Load(), Args: p.args}
					if rooted {
						id := fmt.Sprint(ids.Add(1))
						c := make(chan []string, 1)
						answers.Store(id, c)
						say(`{"jsonrpc":"2.0","id":%s,"method":"roots/list"}`, id)
						select {
						case is.Roots = <-c:
						case <-p.ended:
							return
						}
					}
					encoded, _ := json.Marshal(is)
					text(string(encoded))
				}()
			default:
				text("done " + m.Params.Name)
			}
		default:
			if m.ID != nil {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
			}
		}
	}
}
