package call

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
)

// Run makes the call that the words ask for and returns the exit code. Ctrl-C
// cancels it.
func Run(ctx context.Context, p places.Places, lookupEnv func(string) (string, bool), s console.Streams, args []string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	code, err := run(ctx, p, lookupEnv, s, args)
	switch {
	case err == nil:
		return code
	case ctx.Err() != nil:
		return console.ExitInterrupted
	case errors.Is(err, syscall.EPIPE): // whoever reads has seen enough
		return console.ExitFailed
	}
	console.Complain(s.Err, err)
	return max(code, console.ExitFailed)
}

func run(ctx context.Context, p places.Places, lookupEnv func(string) (string, bool), s console.Streams, args []string) (int, error) {
	words, err := readWords(args, s.In)
	if err != nil {
		return console.ExitUsage, err
	}
	request := Request{Words: words, Caller: NewCaller(lookupEnv), Piped: piped(s.In), Watched: console.IsTerminal(s.Err)}
	for {
		reply, rest, end, err := ask(ctx, p, request, s.Err)
		if err != nil {
			return console.ExitFailed, err
		}
		if !reply.WantsInput {
			err := printReply(ctx, s, reply, rest)
			end()
			return reply.Code, err
		}
		end()
		text, err := readInput(s.In)
		if err != nil {
			return console.ExitUsage, err
		}
		request.Input, request.Piped = &text, false
	}
}

// ask has one conversation. Where the process that it reached was just ending,
// it asks the next one, but not once the tool may have been called.
func ask(ctx context.Context, p places.Places, request Request, watched io.Writer) (reply Reply, rest io.Reader, end func(), err error) {
	begun := false
	var line *progress
	if request.Watched {
		line = newProgress(watched)
		defer line.clear()
	}
	err = places.UntilServed(func() error {
		c, err := p.Start(ctx)
		if err != nil {
			return err
		}
		err = c.Call(ctx, Op, request, &reply, func(raw json.RawMessage) {
			var news News
			if json.Unmarshal(raw, &news) == nil {
				begun = begun || news.Begun
				c.Limit = max(c.Limit, news.Limit) // the process keeps it, as long as it runs
				line.tell(news)
			}
		})
		if err == nil {
			rest, end = c.Rest(), func() { c.Close() }
			return nil
		}
		c.Close()
		if begun && errors.Is(err, control.ErrGone) {
			return &control.Fault{
				Message: "the background process ended during the call; whether the tool has done its work is not known",
				Hint:    "its log: " + p.Log(),
			}
		}
		if silent := (*control.Silent)(nil); begun && errors.As(err, &silent) {
			return &control.Fault{Message: silent.Error() + "; whether the tool has done its work is not known", Hint: silent.Fault.Hint}
		}
		return err
	})
	return reply, rest, end, err
}

// printReply prints a reply, and what follows it on the connection.
func printReply(ctx context.Context, s console.Streams, reply Reply, rest io.Reader) error {
	n, err := io.Copy(s.Out, io.LimitReader(rest, reply.Size))
	if err == nil && n < reply.Size {
		err = io.ErrUnexpectedEOF
		if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.Err, reply.Aside); err != nil {
		return err
	}
	if reply.Fault != nil {
		console.Complain(s.Err, reply.Fault)
	}
	return nil
}
