package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/lines"
)

// The variables of a stub server.
const (
	stubMode    = "CTXFS_TEST_STUB"
	stubJournal = "CTXFS_TEST_JOURNAL" // a file: a line for each start and request
	stubTools   = "CTXFS_TEST_TOOLS"   // a file: the tools, as JSON; read for each list
	stubText    = "CTXFS_TEST_TEXT"    // a file: the text of all resources of a stub that "subscribes"
	stubDir     = "CTXFS_TEST_DIR"     // a folder: of a stub that "installs"
	stubFault   = "CTXFS_TEST_FAULT"   // a file in the folder of the stub: its words before it fails, if it is there
)

// message is a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor string `json:"cursor"`
		URI    string `json:"uri"`

		Notifications struct{ ResourceSubscriptions []string }
	} `json:"params"`
}

// runStub is a server on standard input and output that does what its mode
// says.
func runStub(p *process) {
	mode := p.lookup(stubMode)
	p.journal("start")
	if path := p.lookup(stubFault); path != "" {
		if words, err := os.ReadFile(filepath.Join(p.dir, path)); err == nil {
			fmt.Fprint(p.err, string(words))
			p.exit(1)
		}
	}
	if era, ok := strings.CutPrefix(mode, "calls"); ok {
		runCalls(p, era)
		return
	}
	switch mode {
	case "places":
		runPlaces(p)
		return
	case "dies-at-start":
		fmt.Fprintln(p.err, "\x1b[31mfatal\x1b[0m: the variable STUB_TOKEN is missing, not "+p.lookup("STUB_SECRET"))
		p.exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, p.in)
		return
	case "garbage":
		for range time.Tick(time.Millisecond) {
			if _, err := fmt.Fprintln(p.out, "\x1b[2Jloading \u202emodules, password is "+p.lookup("STUB_SECRET")); err != nil {
				return
			}
		}
	case "long-garbage": // a secret where a text is cut
		fmt.Fprintln(p.out, strings.Repeat("x", 192)+p.lookup("STUB_SECRET"))
		_, _ = io.Copy(io.Discard, p.in)
		return
	case "banner":
		fmt.Fprintln(p.out, "Welcome to the stub server!\nIt is a fine day.")
	case "endless-line":
		_, _ = io.Copy(p.out, io.MultiReader(strings.NewReader(`{"`), endless{}))
		return
	case "grandchild":
		grandchild(p)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		p.journal(fmt.Sprintf("pid %d", p.pid))
		stay()
	case "heedless":
		defer func() { <-p.ended }() // until it is killed
	case "installs":
		p.install()
		runCalls(p, "")
		return
	case "loud":
		noise := bytes.Repeat([]byte("noise noise noise\n"), 1<<12)
		for range 16 << 20 / len(noise) {
			_, _ = p.err.Write(noise)
		}
		fmt.Fprintln(p.err, "the last words")
	}
	var held string // an answer that is kept until another one has gone out
	out := bufio.NewWriter(p.out)
	in := bufio.NewReader(p.in)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		tools, text := p.file(stubTools), p.file(stubText)
		p.journal(m.Method)
		if mode == "modern" && m.Method == "subscriptions/listen" {
			go p.tellWhenToolsChange(tools)
		}
		if m.Method == "resources/subscribe" {
			go p.tellWhenTextChanges(m.Params.URI, text)
		}
		if uris := m.Params.Notifications.ResourceSubscriptions; mode == "modern-subscribes" && len(uris) > 0 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"resourceSubscriptions":[%q]}}}`+"\n", m.ID, uris[0])
			out.Flush()
			go p.tellWhenTextChanges(uris[0], text)
		}
		reply := p.answer(mode, m)
		if reply == "" {
			continue
		}
		if mode == "notifies-first" {
			fmt.Fprintln(out, listChanged)
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}`)
		}
		if mode == "modern-late" && p.starts() == 1 { // it has not begun to read when the first message comes
			switch m.Method {
			case "server/discover":
				held = reply
				continue
			case "initialize":
				reply = held + "\n" + reply
			}
		}
		if m.Method == "resources/read" {
			switch mode {
			case "dies-in-request":
				fmt.Fprintln(p.err, "what a request")
				p.exit(4)
			case "hangs-in-request":
				continue
			case "twice":
				fmt.Fprintln(out, reply)
			case "out-of-order":
				if held == "" {
					held = reply
					continue
				}
				reply, held = reply+"\n"+held, ""
			case "huge-answer":
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"x","text":"`, m.ID)
				out.Flush()
				_, _ = io.CopyN(p.out, endless{}, lines.MaxLine)
				reply = `"}]}}`
			}
		}
		fmt.Fprintln(out, reply)
		out.Flush()
		if mode == "dies-after-handshake" && m.Method == "tools/list" {
			fmt.Fprintln(p.err, "that is all for today")
			p.exit(4)
		}
		if m.Method != "tools/list" {
			continue
		}
		switch mode {
		case "changes":
			go p.tellWhenToolsChange(tools)
		case "storm":
			for range 1000 {
				fmt.Fprintln(p.out, listChanged)
			}
		case "hangs-later":
			fmt.Fprintln(p.out, listChanged)
			_, _ = io.Copy(io.Discard, in)
			return
		case "mute":
			p.out.Close()
			_, _ = io.Copy(io.Discard, in)
			return
		}
	}
}

// answer is the stub's answer to a message, or "".
func (p *process) answer(mode string, m message) string {
	result := func(format string, args ...any) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, fmt.Sprintf(format, args...))
	}
	refuse := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
	switch m.Method {
	case "server/discover":
		switch mode {
		case "modern", "modern-late":
			return result(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"resultType":"complete",` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern stub","version":"2"}}}`)
		case "modern-subscribes":
			return result(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true}},"resultType":"complete",` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern stub","version":"2"}}}`)
		case "strict":
			p.exit(1)
		case "ignores":
			return ""
		}
		return refuse
	case "subscriptions/listen":
		if strings.HasPrefix(mode, "modern") {
			return "" // it stays open
		}
		return refuse
	case "initialize":
		if mode == "subscribes" {
			return result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":true}},` +
				`"serverInfo":{"name":"stub","version":"1.2.3"}}`)
		}
		if mode == "no-templates" {
			return result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"prompts":{}},` +
				`"serverInfo":{"name":"stub","version":"1.2.3"}}`)
		}
		return result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},` +
			`"serverInfo":{"name":"stub","version":"1.2.3","title":"A stub"},"instructions":"Use the stub. With care."}`)
	case "resources/list":
		if mode == "no-templates" || strings.HasSuffix(mode, "subscribes") {
			return result(`{"resources":[{"uri":"stub://one","name":"one"}]}`)
		}
	case "tools/list":
		if mode == "no-list" {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"fetch failed"}}`, m.ID)
		}
		if mode == "pages" {
			switch m.Params.Cursor {
			case "":
				return result(`{"tools":[{"name":"a"}],"nextCursor":"2"}`)
			case "2":
				return result(`{"tools":[{"name":"b"}],"nextCursor":"3"}`)
			default:
				return result(`{"tools":[{"name":"c"}],"nextCursor":"2"}`)
			}
		}
		return result(`{"tools":%s}`, p.tools())
	case "resources/subscribe", "resources/unsubscribe":
		return result(`{}`)
	case "resources/read":
		switch text := p.file(stubText); text {
		case "":
		case "broken":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the disk is full"}}`, m.ID)
		default:
			encoded, err := json.Marshal(text)
			if err != nil {
				panic(err)
			}
			return result(`{"contents":[{"uri":%q,"mimeType":"text/markdown","text":%s}]}`, m.Params.URI, encoded)
		}
		return result(`{"contents":[{"uri":%q,"mimeType":"text/plain","text":%q}]}`, m.Params.URI, "the text of "+m.Params.URI)
	}
	if m.ID == nil {
		return ""
	}
	return refuse
}

// tools are those that the stub lists.
func (p *process) tools() string {
	if text := p.file(stubTools); text != "" {
		return strings.ReplaceAll(text, "\n", " ")
	}
	return `[{"name":"greet","description":"Says hello. Politely.","inputSchema":{"type":"object","properties":{"who":{"type":"string","description":"Whom"}}}}]`
}

// tellWhenTextChanges says so whenever the file of text is another one.
func (p *process) tellWhenTextChanges(uri, before string) {
	p.whenever(stubText, before, func() bool {
		fmt.Fprintf(p.out, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`+"\n", uri)
		return true
	})
}

// tellWhenToolsChange says so when the file of tools is another one.
func (p *process) tellWhenToolsChange(before string) {
	p.whenever(stubTools, before, func() bool {
		fmt.Fprintln(p.out, listChanged)
		return false
	})
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// runDaemon is a process that does nothing but run servers, with the memory
// settings of the real one. It ends with its input, and says when its servers
// have started and how much memory it has then.
func runDaemon() {
	debug.SetGCPercent(40)
	t := usualTiming()
	t.Start, t.Discover, t.slot = time.Minute, time.Second, time.Second
	t.Grace.EOF, t.Grace.Term, t.Grace.Kill = time.Second, time.Second, time.Second
	home := os.Getenv("HOME")
	changed := make(chan struct{}, 1)
	p := New(Options{
		Host: host.Host{
			Env:     fs.Env{Changed: func(string) { rounds.Tell(changed) }, Now: time.Now, Log: slog.Default()},
			Machine: agents.Machine{Home: home}, Cache: filepath.Join(home, "cache"), State: filepath.Join(home, "state"), Watch: true,
		},
		Environ: os.Environ, Trust: trust.New("", nil, time.Now), Root: func(string) string { return "" }, Projects: project.New(project.Options{Home: home}), timing: t,
	})
	p.Start()
	go func() {
		for p.Status().State == instance.StateStarting {
			<-changed
		}
		debug.FreeOSMemory()
		status, _ := os.ReadFile("/proc/self/status") // without it there is no figure
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		fmt.Println(strings.Fields(after + " 0")[0])
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = p.Close() // it has no errors
}

// stay outlives everything but a signal that cannot be ignored.
func stay() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	for range signals {
	}
}

// install installs, as a package runner does, until the file "go" exists.
func (p *process) install() {
	dir := p.lookup(stubDir)
	note := func(path, text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		_, _ = f.WriteString(text)
	}
	note(filepath.Join(dir, "journal"), "begun\n")
	cache := filepath.Join(p.lookup("HOME"), ".npm/_npx/0123456789abcdef")
	if err := os.MkdirAll(filepath.Join(cache, "node_modules"), 0o700); err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
			return
		}
		fmt.Fprintf(p.err, "fetching part %d\n", n)
		part := filepath.Join(cache, "part")
		note(part, strings.Repeat("x", 20_000))
		if err := os.Chtimes(part, time.Time{}, time.Now()); err != nil { // that of the bubble
			panic(err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-p.ended:
			return
		}
	}
}

// grandchild starts one that ends neither with its input nor when asked to,
// and notes its process id.
func grandchild(p *process) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stubMode+"=stubborn")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	p.journal(fmt.Sprintf("grandchild %d", cmd.Process.Pid))
}

// starts is how often the stub was started.
func (p *process) starts() int {
	return strings.Count("\n"+p.file(stubJournal), "\nstart\n")
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, endlessPiece), nil }

var endlessPiece = bytes.Repeat([]byte("x"), 64<<10)

// httpStub is a stub over HTTP: status answers to those without the token.
type httpStub struct {
	token  string
	status int
	body   string
}

func (h httpStub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+h.token {
		http.Error(w, h.body, h.status)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "no stream here", http.StatusBadRequest)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m message
	if json.Unmarshal(body, &m) != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Mcp-Session-Id", "s1")
	fmt.Fprint(w, remoteStub().answer("", m))
}
