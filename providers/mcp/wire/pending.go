package wire

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/clean"
)

// Progress is a tool's report of how far it is. Done and Total are in units of its
// own; Total is 0 if unknown.
type Progress struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"` // one line
}

// Pending is a request that waits for its answer. It is safe for concurrent use.
type Pending struct {
	// OnProgress is called from a transport's reader: it only posts. It may be nil.
	OnProgress func(Progress)
	// OnQuestion answers what the server asks back; it may take until ctx ends,
	// which happens when the server withdraws the question or the request ends.
	// Several calls may be under way at once. An error is reported to the server
	// as a failure. If it is nil, nobody can be asked.
	OnQuestion func(ctx context.Context, q Question) (Answer, error)
	// OnTask is called when the request has become a task, and each time that the
	// server has answered for it since, changed or not: a task that is asked about
	// is not silent. It only posts. It may be nil.
	OnTask func(Task)

	mu    sync.Mutex
	asked string // the method of the last request that the server made meanwhile
}

// pendingRequests are the requests of a connection that wait for answers. Ids are
// never reused.
type pendingRequests struct {
	mu   sync.Mutex
	last int64
	byID map[string]*Pending
}

// add returns the id for the next request. P may be nil.
func (f *pendingRequests) add(is *Pending) (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	id = requestPrefix + strconv.FormatInt(f.last, 10)
	if is != nil {
		if f.byID == nil {
			f.byID = make(map[string]*Pending)
		}
		f.byID[id] = is
	}
	return id
}

// remove drops a request.
func (f *pendingRequests) remove(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byID, id)
}

// progressLength is the length of the longest message of progress, in bytes.
const progressLength = 200

// progress delivers a notification of progress, whose token is the id of its
// request.
func (f *pendingRequests) progress(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	f.mu.Lock()
	to := f.byID[token]
	f.mu.Unlock()
	if to == nil {
		return // it has been answered
	}
	done, _ := fields["progress"].(float64)
	total, _ := fields["total"].(float64)
	message, _ := fields["message"].(string)
	if to.OnProgress == nil {
		return
	}
	to.OnProgress(Progress{Done: done, Total: total, Message: clean.Cut(clean.Line(message), progressLength)})
}

// all returns the pending requests.
func (f *pendingRequests) all() []*Pending {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.byID))
}

// pendingKey is the key of a *Pending in the context of its request.
type pendingKey struct{}

// handleRequest answers a request of the server: neither a person nor a model can
// be asked here. Over standard input and output it is unknown which of the pending
// requests it belongs to, so all of them record it.
func (c *Connection) handleRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if request.Method == string(mcp.MethodPing) {
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage("{}")), nil
	}
	method := clean.Cut(clean.Line(request.Method), progressLength)
	concerned := c.pending.all()
	if f, ok := ctx.Value(pendingKey{}).(*Pending); ok {
		concerned = []*Pending{f}
	}
	for _, f := range concerned {
		f.mu.Lock()
		f.asked = method
		f.mu.Unlock()
	}
	return transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND, "there is nobody here to ask: "+method, nil), nil
}

// Wanted returns the method of what the server has asked for, or "".
func (f *Pending) Wanted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}
