package call

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/mounts/control"
	known "ctxfs/providers/caller"
)

// Program is the program that calls, and what it finds around it.
type Program struct {
	console.Streams
	places.Places
	LookupEnv func(string) (string, bool)
	// Here is where it stands, and Abs returns an absolute path from there.
	Here func() fs.Standpoint
	Abs  func(string) (string, error)
}

// Run makes the call that a command line asks for and returns the exit code. Ctrl-C
// cancels the call.
func (p Program) Run(ctx context.Context, args []string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	code, err := p.run(ctx, args)
	switch {
	case err == nil:
		return code
	case ctx.Err() != nil:
		return console.ExitInterrupted
	case errors.Is(err, syscall.EPIPE): // the reader has seen enough
		return console.ExitFailed
	}
	console.Complain(p.Err, err)
	if control.FaultOf(err).Denied {
		return console.ExitDenied
	}
	return max(code, console.ExitFailed)
}

func (p Program) run(ctx context.Context, args []string) (int, error) {
	s := p.Streams
	words, err := ReadWords(args, s.In, p.Abs)
	if err != nil {
		return console.ExitUsage, err
	}
	caller := Caller{Standpoint: p.Here()}
	caller.Agent, caller.Session = known.Of(p.LookupEnv)
	request := Request{Words: words, Caller: caller, Project: namedProject(args, p.Abs), Piped: piped(s.In), Watched: console.IsTerminal(s.Err)}
	person := AtTerminal(s.In, s.Err)
	request.Asks = person != nil
	for {
		reply, err := ask(ctx, p.Places, request, s, person)
		if err != nil {
			return console.ExitFailed, err
		}
		if !reply.WantsInput {
			return reply.Code, printReply(s, reply)
		}
		text, err := readInput(s.In)
		if err != nil {
			return console.ExitUsage, err
		}
		request.Input, request.Piped = &text, false
	}
}

// ask sends the request, shows news, puts questions to the person if there is one,
// and prints the result. If the background process was just ending, it asks the next
// one, unless the tool may have been called.
func ask(ctx context.Context, p places.Places, request Request, s console.Streams, person *Person) (reply Reply, err error) {
	begun := false
	var line *progress
	if request.Watched {
		line = newProgress(s.Err)
		defer line.clear()
	}
	asking := newQuestioner(ctx, person, line, func(ctx context.Context, a form.Answer) error {
		_, err := OpAnswer.Ask(ctx, p.Process(), a)
		return err
	})
	defer asking.close()
	err = places.UntilServed(func() error {
		c, err := p.Start(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		reply, err = Op.Ask(ctx, c, request, func(news News) {
			begun = begun || news.Begun
			c.Limit = max(c.Limit, news.Limit) // the process itself ends the call in time
			switch {
			case news.Question != nil:
				asking.open(*news.Question)
			case news.Closed != "":
				asking.closed(news.Closed)
			default:
				line.update(news)
			}
		}, afterLine{s.Out, line, asking})
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
	return reply, err
}

// afterLine writes to standard output when all questions are answered and the line
// of progress has been cleared.
type afterLine struct {
	io.Writer
	line   *progress
	asking *questioner
}

func (w afterLine) Write(p []byte) (int, error) {
	w.asking.close()
	w.line.clear()
	return w.Writer.Write(p)
}

// printReply prints what goes to standard error.
func printReply(s console.Streams, reply Reply) error {
	if _, err := io.WriteString(s.Err, reply.Aside); err != nil {
		return err
	}
	if reply.Fault != nil {
		console.Complain(s.Err, reply.Fault)
	}
	return nil
}

// OwnHelp reports whether a command line asks for help on the command itself, and not
// on a tool.
func OwnHelp(args []string) bool {
	return len(args) == 0 || len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

// Early runs the command in the environment of this process and returns the exit
// code. It needs nothing but what this package imports.
func Early(args []string) int {
	s := console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	p, err := places.Find(os.LookupEnv)
	if err != nil {
		console.Complain(s.Err, err)
		return console.ExitFailed
	}
	p.Note = console.Notes(s.Err)
	return Program{s, p, os.LookupEnv, fs.Here, filepath.Abs}.Run(context.Background(), args)
}
