package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
)

// backend shows a gateway what the background process has. It starts that
// process when something is asked for, and keeps it from then on; one that has
// ended is started again by the next request.
type backend struct {
	app  *app
	life context.Context // that of the gateway
	// session is the agent's, as the gateway's environment tells it; "" where many
	// agents use it.
	session string

	mu   sync.Mutex
	held <-chan struct{} // closed when the process that is kept has ended; nil before the first
}

func newBackend(life context.Context, a *app) *backend { return &backend{app: a, life: life} }

// lookTime is how long the background process may take to show something.
const lookTime = 60 * time.Second

// hold sees to it that there is a background process, and that it stays.
func (b *backend) hold() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held != nil {
		select {
		case <-b.held:
		default:
			return nil
		}
	}
	c, err := b.app.Start(b.life)
	if err != nil {
		return err
	}
	holds, ended := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(holds) })
	var failed error // read when ended is closed
	go func() {
		defer close(ended)
		defer c.Close()
		failed = c.Stay(b.life, "hold", nil, first)
	}()
	select {
	case <-holds:
		b.held = ended
		return nil
	case <-ended:
		return failed
	}
}

// ask asks the background process, and the next one where that was just ending.
// Each takes the replies before the last, and once there was one, nothing is
// asked again; then takes the bytes that follow. Both may be nil.
func (b *backend) ask(ctx context.Context, op string, args, value any, each func(json.RawMessage), then func(io.Reader) error) error {
	begun := false
	var err error
	_ = places.UntilServed(func() error {
		err = b.askOnce(ctx, op, args, value, func(reply json.RawMessage) {
			begun = true
			if each != nil {
				each(reply)
			}
		}, then)
		if begun || ctx.Err() != nil {
			return nil // not again
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f := (*control.Fault)(nil); errors.As(err, &f) {
		return &gateway.Fault{What: f.Message, Mend: forUser(f.Hint)}
	}
	return err
}

func (b *backend) askOnce(ctx context.Context, op string, args, value any, each func(json.RawMessage), then func(io.Reader) error) error {
	if err := b.hold(); err != nil {
		return err
	}
	c, err := b.app.Process().Dial(ctx)
	if errors.Is(err, control.ErrNotRunning) {
		b.awaitEnd(ctx) // a moment ago it was there
		return control.ErrGone
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Call(ctx, op, args, value, each); err != nil || then == nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	return then(c.Rest())
}

// endTime is how long a process that takes no more requests may take to end.
const endTime = 10 * time.Second

// awaitEnd waits for a process that takes no more requests to end, which may
// take a while on a busy machine: only then hold starts the next.
func (b *backend) awaitEnd(ctx context.Context) {
	b.mu.Lock()
	held := b.held
	b.mu.Unlock()
	select {
	case <-held:
	case <-ctx.Done():
	case <-time.After(endTime):
	}
}

// look asks for something that changes nothing.
func (b *backend) look(ctx context.Context, op string, args, value any, then func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lookTime, errors.New("ctxfs did not answer in time"))
	defer cancel()
	return b.ask(ctx, op, args, value, nil, then)
}

// forUser is a hint for people, told to an agent without a shell.
func forUser(hint string) string {
	if hint == "" {
		return ""
	}
	return "what your user can do: " + hint
}

func (b *backend) Overview(ctx context.Context) (string, error) {
	var all []providerStatus
	if err := b.look(ctx, "providers", nil, &all, nil); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, p := range all {
		if len(p.Items) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", p.Name, itemLine(p.Status))
		}
	}
	return strings.TrimSpace(text.String()), nil
}

// itemLine names what a provider holds, the healthy without ado.
func itemLine(s fs.Status) string {
	if len(s.Items) == 0 {
		return "None yet."
	}
	var words []string
	for _, i := range s.Items {
		word := i.Name
		var more []string
		if i.State != "" && i.State != "ready" {
			more = append(more, i.State)
		}
		if i.Count >= 0 {
			more = append(more, wording.Count(i.Count, i.Unit))
		}
		if len(more) > 0 {
			word += " (" + strings.Join(more, ", ") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func (b *backend) List(ctx context.Context, path string) ([]gateway.Entry, error) {
	var listed []lsEntry
	if err := b.look(ctx, "list", pathArgs{path}, &listed, nil); err != nil {
		return nil, err
	}
	entries := make([]gateway.Entry, len(listed))
	for i, e := range listed {
		entries[i] = gateway.Entry{Name: e.Name, Dir: e.Type == "dir", Size: e.Size, Itself: e.Itself}
	}
	return entries, nil
}

func (b *backend) Read(ctx context.Context, path string, w io.Writer) error {
	var size int64
	return b.look(ctx, "read", pathArgs{path}, &size, func(rest io.Reader) error {
		n, err := io.Copy(w, io.LimitReader(rest, size))
		if err == nil && n < size {
			err = errors.New("the file broke off: ask again")
		}
		return err
	})
}
