package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxfs/fs/await"
)

// The variables of a stub, an MCP server on standard input and output.
const (
	stubMode    = "CTXFS_TEST_STUB"
	stubJournal = "CTXFS_TEST_JOURNAL" // a file: a line for each start and request
	stubTools   = "CTXFS_TEST_TOOLS"   // a file: the tools, as JSON
	stubResult  = "ZOO_TEST_RESULT"    // a file: what a call answers, as JSON
)

// stubPath is this program where every user can run it.
func stubPath() string { return filepath.Join(base, "bin", "stub") }

// stubEntry is a stub's entry in the configuration of an agent.
func stubEntry(mode string, env map[string]string) map[string]any {
	all := map[string]string{stubMode: mode}
	maps.Copy(all, env)
	return map[string]any{"command": stubPath(), "env": all}
}

// stub adds a stub to ~/.cursor/mcp.json.
func (b *box) stub(name, mode string, env map[string]string) {
	b.Helper()
	b.servers[name] = stubEntry(mode, env)
	b.configure()
}

// configure writes ~/.cursor/mcp.json.
func (b *box) configure() {
	b.Helper()
	b.write(".cursor/mcp.json", asJSON(map[string]any{"mcpServers": b.servers}))
}

func asJSON(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// ready waits until servers are ready, and starts them if need be.
func (b *box) ready(servers ...string) {
	b.Helper()
	for _, s := range servers {
		b.server(s, "ready")
	}
}

// server waits until a server is in a state, and checks what STATUS.md says of it then. It is
// started if need be.
func (b *box) server(name, state string, words ...string) {
	b.Helper()
	b.settled() // a change of its configuration is known
	is, path := "server "+name+" is "+state, "mcps/"+name+"/STATUS.md"
	text := ""
	for !strings.HasPrefix(text, "state: "+state+"\n") { // one that fails is tried again by itself
		b.stands(await.Condition{Kind: "server", Name: name, Until: "ready"}, func(s await.Standing) bool {
			return strings.HasPrefix(s.What, is) && s.State != await.Unnamed
		})
		b.settled()
		text = b.read(path)
	}
	if !containsAll(text, words) {
		b.Fatalf("%s does not hold %q:\n%s", path, words, text)
	}
}

// runStub is a server that does what its mode says.
func runStub(mode string) {
	journal("start")
	switch mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "fatal: the moon is in the wrong place")
		os.Exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "garbage":
		for range time.Tick(time.Millisecond) {
			if _, err := fmt.Println("loading modules"); err != nil || os.Getppid() == 1 {
				return
			}
		}
	case "restless": // announces other tools all the time
		go func() {
			for range time.Tick(time.Millisecond) {
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}()
	case "liar": // answers what nobody has asked, and not what was
		go func() {
			for i := range time.Tick(5 * time.Millisecond) {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[{\"name\":7}]}}\n{\"id\":null}\n\x00\xff\n", i.UnixNano()%50)
			}
		}()
	case "stubborn": // serves, but ends only when it is killed
		signal.Ignore(syscall.SIGTERM)
		defer func() { select {} }()
	}
	say := func(line string) { fmt.Print(line) }
	if mode == "shuffles" {
		say = shuffled()
	}
	listed := 0
	asked := make(map[string]string) // the IDs of calls in mode "asks", by those of questions
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				URI, Name string
				Arguments json.RawMessage
			} `json:"params"`
			Result, Error json.RawMessage
		}
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		journal(m.Method)
		if m.ID == nil {
			continue
		}
		if id := asked[string(m.ID)]; id != "" && m.Method == "" { // tells what it was answered
			delete(asked, string(m.ID))
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`+"\n", id, string(m.Result)+string(m.Error)))
			continue
		}
		if mode == "asks" && m.Method == "tools/call" { // for the form that is its arguments
			id := fmt.Sprintf(`"ask-%d"`, len(asked))
			asked[id] = string(m.ID)
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{"message":"Who is it?\nSay it.","requestedSchema":%s}}`+"\n", id, m.Params.Arguments))
			continue
		}
		body := `"error":{"code":-32601,"message":"method not found"}`
		switch m.Method {
		case "initialize":
			body = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},` +
				`"serverInfo":{"name":"stub","version":"1.2.3"},"instructions":"Use the stub with care."}`
		case "tools/list":
			body = `"result":{"tools":` + stubbedTools() + `}`
			if listed++; mode == "restless" {
				body = restlessTools(listed)
			}
			if mode == "liar" {
				body = `"result":{"tools":[{"name":"../../etc/passwd","inputSchema":7},{"name":"` + strings.Repeat("x", 1<<16) + `"},{"name":""}]}`
			}
		case "resources/read":
			body = map[string]string{
				"stub://one": `"result":{"contents":[{"uri":"stub://one","mimeType":"text/plain","text":"The text \u001b[31mof one."}]}`,
				"pics://2":   `"result":{"contents":[{"uri":"pics://2","mimeType":"image/png","blob":"AAEC/w=="}]}`,
			}[m.Params.URI]
			if body == "" {
				body = `"error":{"code":-32002,"message":"resource not found"}`
			}
		case "tools/call":
			body = stubCalled(m.Params.Name, m.Params.Arguments)
			if body == "" {
				continue // it works forever
			}
		case "prompts/list":
			body = `"result":{"prompts":[{"name":"review.it","arguments":[{"name":"of","required":true}]}]}`
		case "prompts/get":
			body = `"error":{"code":-32602,"message":"the argument of is missing"}`
			if m.Params.Name != "review.it" {
				body = `"error":{"code":-32602,"message":"no such prompt"}`
			} else if of := member(m.Params.Arguments, "of"); of != "" {
				body = fmt.Sprintf(`"result":{"messages":[{"role":"user","content":{"type":"text","text":%q}},`+
					`{"role":"assistant","content":{"type":"image","mimeType":"image/png","data":"AAEC"}}]}`, "Review "+of+".")
			}
		case "resources/templates/list":
			body = `"result":{"resourceTemplates":[{"uriTemplate":"pics://{n}","name":"two"}]}`
		case "resources/list":
			body = `"result":{"resources":[{"uri":"stub://one","name":"one","description":"The one resource"}]}`
		}
		say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, body))
	}
}

// restlessTools are many tools, some of which change each time.
func restlessTools(listing int) string {
	var tools []string
	for i := range 600 {
		if i%100 == 0 {
			i = 1000*listing + i
		}
		tools = append(tools, fmt.Sprintf(`{"name":"tool%d","inputSchema":{"type":"object"}}`, i))
	}
	return `"result":{"tools":[` + strings.Join(tools, ",") + `]}`
}

// member is a text in a JSON object.
func member(object json.RawMessage, name string) string {
	var members map[string]any
	_ = json.Unmarshal(object, &members)
	text, _ := members[name].(string)
	return text
}

// stubCalled is what a call of a tool answers: what is in a file, if there is
// one, or the arguments as they came; "" is never.
func stubCalled(tool string, arguments json.RawMessage) string {
	for strings.HasPrefix(tool, "await") { // the result
		if _, err := os.Stat(os.Getenv(stubResult)); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if text, err := os.ReadFile(os.Getenv(stubResult)); err == nil {
		return `"result":` + strings.ReplaceAll(string(text), "\n", " ")
	}
	switch {
	case os.Getenv(stubMode) == "stands": // says where it runs
		dir, _ := os.Getwd()
		return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, dir)
	case strings.HasPrefix(tool, "sleep"):
		return ""
	case strings.HasPrefix(tool, "fail"):
		return `"result":{"isError":true,"content":[{"type":"text","text":"the zoo is closed"}]}`
	}
	text, err := json.Marshal(string(arguments))
	if err != nil {
		panic(err)
	}
	return `"result":{"content":[{"type":"text","text":` + string(text) + `}]}`
}

// shuffled answers out of order: the later ones first, of as many as have come
// meanwhile.
func shuffled() func(string) {
	var mu sync.Mutex
	var waiting []string
	go func() {
		for range time.Tick(2 * time.Millisecond) {
			mu.Lock()
			for i := len(waiting) - 1; i >= 0; i-- {
				fmt.Print(waiting[i])
			}
			waiting = nil
			mu.Unlock()
		}
	}()
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		waiting = append(waiting, line)
	}
}

func stubbedTools() string {
	if text, err := os.ReadFile(os.Getenv(stubTools)); err == nil {
		return strings.ReplaceAll(string(text), "\n", " ")
	}
	return `[{"name":"greet","description":"Says hello to a xylophone.","inputSchema":{"type":"object",` +
		`"properties":{"who":{"type":"string","description":"Whom"}}}}]`
}

func journal(what string) {
	path := os.Getenv(stubJournal)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, what)
}
