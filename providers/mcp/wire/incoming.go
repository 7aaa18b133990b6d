package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/form"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/lines"
)

// Requests of the server come over legacy connections only; in the new era a
// server asks in the results of our requests (rounds.go). Each belongs to one of
// our requests:
//
//  1. the one of the task that it names;
//  2. over HTTP, the one in whose stream it came;
//  3. else the one that waits, if its caller can be asked. Where several wait, the
//     protocol leaves it open, and the one that began last is asked, with
//     [Question.Uncertain]: a server asks early in its work, and to ask all of
//     them would have every other caller answer for a foreign call.
//
// Where no user can be asked, the server gets the answer that it was cancelled.

// maxQuestions is how many questions of one server may wait at once.
const maxQuestions = 100

// questions are the questions of the server that wait, by the id of its request.
type questions struct {
	mu   sync.Mutex
	open map[string]*question
}

// question is a request of the server that waits for its answer.
type question struct {
	cancel    context.CancelFunc
	withdrawn bool
}

// begin adds a question, unless there are too many or one with this id.
func (s *questions) begin(key string, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[key] != nil || len(s.open) >= maxQuestions {
		return false
	}
	if s.open == nil {
		s.open = make(map[string]*question)
	}
	s.open[key] = &question{cancel: cancel}
	return true
}

// end removes a question, and reports whether it is to be answered.
func (s *questions) end(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.open[key]
	delete(s.open, key)
	is.cancel()
	return !is.withdrawn
}

// withdraw ends a question that the server has cancelled, if there is one with
// that id.
func (s *questions) withdraw(id any) {
	key, ok := keyOf(id)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if is := s.open[key]; is != nil {
		is.withdrawn = true
		is.cancel()
	}
}

// keyOf returns the id of a request as text; ok is false if it cannot be one.
func keyOf(id any) (key string, ok bool) {
	switch is := id.(type) {
	case string:
		return "s" + is, true
	case int64:
		return "n" + strconv.FormatInt(is, 10), true
	case float64:
		return "n" + strconv.FormatFloat(is, 'f', -1, 64), true
	}
	return "", false
}

// completions are the addresses that users have been sent to, by the names that
// the server has for them.
type completions struct {
	mu   sync.Mutex
	open map[string]*completion
}

// completion is an address that a server may say is done.
type completion struct {
	done  chan struct{}
	users int
}

// expect returns a channel that is closed when the server says that what is to be
// done is done, and a function that must be called at the end.
func (s *completions) expect(id string) (done <-chan struct{}, forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[string]*completion)
	}
	is := s.open[id]
	if is == nil {
		is = &completion{done: make(chan struct{})}
		s.open[id] = is
	}
	is.users++
	return is.done, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if is.users--; is.users == 0 && s.open[id] == is {
			delete(s.open, id)
		}
	}
}

// complete handles notifications/elicitation/complete. Unknown ids are ignored.
func (s *completions) complete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is := s.open[id]; is != nil {
		close(is.done)
		delete(s.open, id)
	}
}

// incoming is a request of the server.
type incoming struct {
	lines.Message
	stream *request // the request of ours in whose stream it came, or nil
}

// handleRequest handles a request of the server over HTTP. The library bounds the
// time to answer, which a question must not be.
func (c *Connection) handleRequest(ctx context.Context, message transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	id, _ := json.Marshal(message.ID)         // it was JSON
	params, _ := json.Marshal(message.Params) // as this was
	in := incoming{Message: lines.Message{ID: id, Method: message.Method, Params: params}}
	in.stream, _ = ctx.Value(requestKey{}).(*request)
	c.handle(in)
	return nil, nil // handle sends the answer
}

// requestKey is the key of a *request in the context of its messages.
type requestKey struct{}

// asked handles a request of the server that came by itself.
func (c *Connection) asked(m lines.Message) { c.handle(incoming{Message: m}) }

// handle answers a request of the server, in a goroutine where that may take
// long. It is called from a transport's reader, which it holds up only while the
// server reads no answers.
func (c *Connection) handle(in incoming) {
	var id any
	if json.Unmarshal(in.ID, &id) != nil {
		return
	}
	key, ok := keyOf(id)
	if !ok {
		return // there is no request to answer
	}
	switch in.Method {
	case string(mcp.MethodPing):
		c.reply(in.ID, json.RawMessage("{}"), nil)
	case string(mcp.MethodListRoots):
		if roots, declared := c.roots.result(); declared {
			c.reply(in.ID, roots, nil)
			return
		}
		c.refuse(in)
	case string(mcp.MethodElicitationCreate):
		c.question(key, in)
	case string(mcp.MethodSamplingCreateMessage):
		if c.capabilities.Sampling == nil {
			c.refuse(in)
			return
		}
		c.question(key, in)
	default:
		c.refuse(in)
	}
}

// refuse answers a request that ctxfs has not said that it answers.
func (c *Connection) refuse(in incoming) {
	method := clean.Cut(clean.Line(in.Method), progressLength)
	c.pending.wanted(c.requestOf(in), method)
	c.reply(in.ID, nil, &refusal{mcp.METHOD_NOT_FOUND, "no user can be asked here: " + method})
}

// question asks what the server asks.
func (c *Connection) question(key string, in incoming) {
	r, uncertain := c.requestOf(in), false
	q, err := parseQuestion(in.Method, in.Params)
	if err != nil {
		c.pending.wanted(r, in.Method+", which was refused: "+err.Error())
		c.reply(in.ID, nil, &refusal{mcp.INVALID_PARAMS, err.Error()})
		return
	}
	if r == nil {
		r, uncertain = c.pending.asker()
	}
	if !r.asks() {
		c.pending.wanted(r, in.Method)
		result, err := answerResult(form.Answer{Action: form.Cancel}, q.Kind)
		c.reply(in.ID, result, err)
		return
	}
	q.Uncertain = uncertain
	ctx, cancel := context.WithCancel(r.ctx)
	if !c.questions.begin(key, cancel) {
		cancel()
		r.wanted(in.Method+", while too many questions waited", uncertain)
		c.reply(in.ID, nil, &refusal{mcp.INVALID_REQUEST, fmt.Sprintf("more than %d questions wait, or one with this id", maxQuestions)})
		return
	}
	stop := context.AfterFunc(c.Context, cancel)
	go c.guard(func() {
		defer stop()
		result, err := c.put(ctx, r, q)
		// A server that is being stopped gets no answer: it would end its work as if the
		// user had decided.
		if c.questions.end(key) && c.Context.Err() == nil {
			c.reply(in.ID, result, err)
		}
	})
}

// requestOf returns the request of ours that a request of the server is known to
// belong to, or nil.
func (c *Connection) requestOf(in incoming) *request {
	var is struct {
		Meta struct {
			Task struct {
				ID string `json:"taskId"`
			} `json:"io.modelcontextprotocol/related-task"`
		} `json:"_meta"`
	}
	if json.Unmarshal(in.Params, &is) == nil {
		if r := c.pending.find(func(r *request) bool { return r.task != "" && r.task == is.Meta.Task.ID }); r != nil {
			return r
		}
	}
	return in.stream
}

// replying is the timeout of an answer to the server over HTTP.
const replying = 30 * time.Second

// reply sends the answer to a request of the server: the result, or an error.
func (c *Connection) reply(id, result json.RawMessage, err error) {
	message := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   any             `json:"error,omitempty"`
	}{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Result: result}
	if err != nil {
		is := &refusal{mcp.INTERNAL_ERROR, "the question could not be answered"}
		errors.As(err, &is)
		message.Result, message.Error = nil, map[string]any{"code": is.code, "message": is.text}
	}
	line, err := json.Marshal(message)
	if err != nil { // the answer is not JSON
		c.reply(id, nil, &refusal{mcp.INTERNAL_ERROR, "the question could not be answered"})
		return
	}
	if c.replies == nil {
		select {
		case c.posting <- struct{}{}:
			go c.guard(func() { c.post(line) })
		default: // it asks faster than it reads
		}
		return
	}
	c.unwritten.Add(1)
	select {
	case c.replies <- append(line, '\n'):
	case <-c.Lost:
		c.unwritten.Add(-1)
	case <-c.Context.Done():
		c.unwritten.Add(-1)
	}
}

// writeReplies writes answers to the standard input of the server, until the
// connection is closed.
func (c *Connection) writeReplies() {
	for {
		select {
		case line := <-c.replies:
			_, _ = c.input.Write(line) // an error has ended the connection
			c.unwritten.Add(-1)
		case <-c.Context.Done():
			return
		}
	}
}

// post sends an answer to a server over HTTP.
func (c *Connection) post(message []byte) {
	defer func() { <-c.posting }()
	ctx, stop := context.WithTimeout(c.Context, replying)
	defer stop()
	select {
	case <-c.shaken:
	case <-ctx.Done():
		return
	}
	address := c.address
	if sse, ok := c.transport.(*sseTransport); ok {
		address = sse.GetEndpoint().String()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(message))
	if err != nil {
		return
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(transport.HeaderKeyProtocolVersion, c.info.ProtocolVersion)
	if session := c.transport.GetSessionId(); session != "" {
		req.Header.Set(transport.HeaderKeySessionID, session)
	}
	res, err := c.http.client().Do(req)
	if err != nil {
		return // the server asks in vain; its own time limit ends the question
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, errorBodyKept))
	res.Body.Close()
}
