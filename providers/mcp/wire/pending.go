package wire

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"ctxfs/fs/form"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/lines"
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
	// Several calls may be under way at once. An error is reported to the server as
	// a failure. If it is nil, questions cannot be asked.
	OnQuestion func(ctx context.Context, q Question) (form.Answer, error)
	// OnTask is called when the request has become a task, and each time that the
	// server has answered for it since, changed or not: a task that is asked about
	// is not silent. It only posts. It may be nil.
	OnTask func(Task)

	mu    sync.Mutex
	unmet Unmet
}

// Unmet is what a server has asked for although it could not be asked.
type Unmet struct {
	// What is the method, with the reason if it is known, or "".
	What string
	// Uncertain reports that other requests waited, and that the server may have asked
	// because of one of those.
	Uncertain bool
}

// Unmet returns what the server has asked for last although it could not be asked;
// what is certain takes precedence.
func (p *Pending) Unmet() Unmet {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unmet
}

// request is one use of [Connection.Send] or [Connection.AwaitTask]: one message
// to the server, or several where the server asks for more, or makes a task of it.
type request struct {
	*Pending                 // may be nil
	ctx      context.Context // ends with the request
	token    string          // of its progress
	task     string          // the id of its task, or ""
}

// asks reports whether questions can be asked. R may be nil.
func (r *request) asks() bool { return r != nil && r.Pending != nil && r.OnQuestion != nil }

// wanted records what the server has asked for although it could not be asked. R
// may be nil.
func (r *request) wanted(what string, uncertain bool) {
	if r == nil || r.Pending == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !uncertain || r.unmet.What == "" || r.unmet.Uncertain {
		r.unmet = Unmet{clean.Cut(clean.Line(what), progressLength), uncertain}
	}
}

// pendingRequests are the requests of a connection that wait for answers. Ids are
// never reused.
type pendingRequests struct {
	mu   sync.Mutex
	last int64
	all  []*request // as they began
}

func (f *pendingRequests) begin(ctx context.Context, p *Pending) *request {
	r := &request{Pending: p, ctx: ctx, token: f.id()}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, r)
	return r
}

// id returns the id of the next message, or the token of the next request.
func (f *pendingRequests) id() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	return lines.RequestPrefix + strconv.FormatInt(f.last, 10)
}

// end removes a request.
func (f *pendingRequests) end(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(is *request) bool { return is == r })
}

// becomes records the task that a request has become.
func (f *pendingRequests) becomes(r *request, task string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.task = task
}

// find returns a request, or nil.
func (f *pendingRequests) find(is func(*request) bool) *request {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.all, is); i >= 0 {
		return f.all[i]
	}
	return nil
}

// progressLength is the length of the longest message of progress, in bytes.
const progressLength = 200

// progress delivers a notification of progress.
func (f *pendingRequests) progress(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	to := f.find(func(r *request) bool { return r.token == token })
	if to == nil || to.Pending == nil || to.OnProgress == nil {
		return // it has been answered
	}
	done, _ := fields["progress"].(float64)
	total, _ := fields["total"].(float64)
	message, _ := fields["message"].(string)
	to.OnProgress(Progress{Done: done, Total: total, Message: clean.Cut(clean.Line(message), progressLength)})
}

// asker returns the request for which the server asks, where it does not say which
// one: the one that began last of those whose callers can be asked, or nil.
// Uncertain reports whether there are others.
func (f *pendingRequests) asker() (r *request, uncertain bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, is := range f.all {
		if is.asks() {
			r = is
			n++
		}
	}
	return r, n > 1
}

// wanted records what the server has asked for, in the request that it belongs to;
// where that is not known, it is nil, in all that it may belong to: those of tasks
// are named.
func (f *pendingRequests) wanted(by *request, what string) {
	if by != nil {
		by.wanted(what, false)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	may := slices.DeleteFunc(slices.Clone(f.all), func(is *request) bool { return is.task != "" })
	for _, is := range may {
		is.wanted(what, len(may) > 1)
	}
}
