package fs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxfs/fs/cell"
)

type outcome[T any] struct {
	value T
	err   error
}

// interruptGrace is how long an operation may still take after its caller's context
// has ended. Signals without a meaning, such as those that Go programs use to
// preempt themselves, also interrupt a request to the kernel, and must not fail an
// operation that takes a microsecond.
const interruptGrace = 20 * time.Millisecond

// call runs one operation of a node. It returns when the operation does, or when
// the caller's context or the deadline ends, whichever is first; the operation
// then goes on by itself, and its outcome is dropped.
func call[T any](ctx context.Context, t *Tree, n Node, op func(context.Context) (T, error)) (T, error) {
	if isPrompt(n) {
		var value T
		err := t.guard(func() (err error) {
			value, err = op(ctx)
			return err
		})
		return value, err
	}
	return await(ctx, t, n, op)
}

// await is call for an operation that may be slow even on a prompt node.
func await[T any](ctx context.Context, t *Tree, n Node, op func(context.Context) (T, error)) (T, error) {
	var zero T
	if ctx.Err() != nil {
		return zero, ContextError(ctx)
	}
	deadline := t.opts.Deadline
	if p, ok := n.(Patient); ok {
		deadline = p.Patience()
	}
	// The operation's context does not follow the caller's: this function watches
	// that, which saves a goroutine.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadline)
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		o.err = t.guard(func() (err error) {
			o.value, err = op(own)
			return err
		})
		done <- o
	}()
	defer cancel()
	ended := own
	select {
	case o := <-done:
		return o.value, o.err
	case <-own.Done():
		if len(done) > 0 { // this process may just have stood still
			o := <-done
			return o.value, o.err
		}
	case <-ctx.Done():
		ended = ctx
		select {
		case o := <-done:
			return o.value, o.err
		case <-time.After(interruptGrace):
		}
	}
	err := ContextError(ended)
	if errors.Is(err, ErrTimeout) {
		t.timeouts.Add(1)
	}
	return zero, err
}

// guard runs an operation of a node, and counts its panic.
func (t *Tree) guard(f func() error) error {
	err := Guard(f)
	if fault := (*cell.Fault)(nil); errors.As(err, &fault) {
		t.panics.Add(1)
	}
	return err
}

// Guard runs f in a cell. A panic is an error that is ErrBroken.
func Guard(f func() error) (err error) {
	if fault := cell.Run(func() { err = f() }); fault != nil {
		return fmt.Errorf("%w: %w", ErrBroken, fault)
	}
	return err
}
