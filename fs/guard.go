package fs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
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
		err := t.guard(n, func() (err error) {
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
	deadline := t.deadline
	if p, ok := n.(Patient); ok {
		deadline = p.Patience()
	}
	// The operation's context does not follow the caller's: this function watches
	// that, which saves a goroutine.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadline)
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		o.err = t.guard(n, func() (err error) {
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

// guard runs an operation of a node and logs its panic.
func (t *Tree) guard(n Node, f func() error) error {
	err := guard(f)
	if p := (*panicError)(nil); errors.As(err, &p) {
		t.panics.Add(1)
		t.log.Error("a provider panicked", "node", fmt.Sprintf("%T", n), "panic", p.value, "stack", string(p.stack))
	}
	return err
}

type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("%v: %v", ErrBroken, e.value) }
func (e *panicError) Unwrap() error { return ErrBroken }

// guard runs f. A panic becomes an error that is ErrBroken.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}
