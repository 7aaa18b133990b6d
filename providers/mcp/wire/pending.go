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

// Progress is how far a tool says it is. Done and Total are in its own units;
// Total is 0 where it does not know.
type Progress struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"` // one line
}

// Flight is a request that is under way, for who wants to know how it goes.
type Flight struct {
	// Progress is called from a transport's reader: it only posts.
	Progress func(Progress)

	mu    sync.Mutex
	asked string // what the server wanted of us meanwhile, as the method of its request
}

// flights are the requests of a connection that are under way. Their ids are
// never used again.
type flights struct {
	mu      sync.Mutex
	last    int64
	unended map[string]*Flight
}

// depart gives the next request its id. F may be nil.
func (f *flights) depart(is *Flight) (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	id = requestPrefix + strconv.FormatInt(f.last, 10)
	if is != nil {
		if f.unended == nil {
			f.unended = make(map[string]*Flight)
		}
		f.unended[id] = is
	}
	return id
}

// arrive says that nobody waits for a request any more.
func (f *flights) arrive(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.unended, id)
}

// progressLength is the longest message of progress, in bytes.
const progressLength = 200

// progress tells the flight of a notification, whose token is the id of its
// request.
func (f *flights) progress(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	f.mu.Lock()
	to := f.unended[token]
	f.mu.Unlock()
	if to == nil {
		return // it has its answer
	}
	done, _ := fields["progress"].(float64)
	total, _ := fields["total"].(float64)
	message, _ := fields["message"].(string)
	to.Progress(Progress{Done: done, Total: total, Message: clean.Cut(clean.Line(message), progressLength)})
}

// all are those under way.
func (f *flights) all() []*Flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.unended))
}

// flightKey is the key of a *flight in the context of its request.
type flightKey struct{}

// asked answers a request of the server. There is nobody to ask here, neither a
// person nor a model. Which call it is for is not known over standard input
// and output: it may be any of those under way.
func (c *Connection) asked(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if request.Method == string(mcp.MethodPing) {
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage("{}")), nil
	}
	method := clean.Cut(clean.Line(request.Method), progressLength)
	concerned := c.flights.all()
	if f, ok := ctx.Value(flightKey{}).(*Flight); ok {
		concerned = []*Flight{f}
	}
	for _, f := range concerned {
		f.mu.Lock()
		f.asked = method
		f.mu.Unlock()
	}
	return transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND, "there is nobody here to ask: "+method, nil), nil
}

// Wanted is what the server has asked for, or "".
func (f *Flight) Wanted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}
