package agentrunner

import (
	"context"
	"errors"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/request"
)

// The operations that are used here, with the parts of their answers that are needed. The
// packages that declare them, which the test names, would bring all that they are made of.
var (
	opStatus = fs.Op[fs.None, status]{Name: "status", Effect: fs.Reads}
	opList   = fs.Op[pathQuery, []struct{}]{Name: "list", Effect: fs.Reads}
	opSpent  = fs.Op[sessionQuery, spent]{Name: "session-spent", Slow: true, Effect: fs.Reads}
)

type status struct {
	Mounts []struct {
		Dir string `json:"dir"`
	} `json:"mounts"`
}

type pathQuery struct {
	Path string `json:"path"`
}

type sessionQuery struct {
	Session string `json:"session"`
}

type spent struct {
	Requests int          `json:"requests"`
	Tokens   facts.Tokens `json:"tokens"`
	Cost     float64      `json:"cost"`
}

// shown is what the background process shows, if there is one.
type shown struct{ places.Places }

// shownTime is how long the background process may take to tell what it shows: longer than
// it takes on a busy machine, since without an answer the agent lacks all context.
const shownTime = 10 * time.Second

// ask asks the background process, if it runs.
func ask[Q, A any](ctx context.Context, s shown, op fs.Op[Q, A], question Q) (answer A, err error) {
	ctx, cancel := context.WithTimeout(ctx, shownTime)
	defer cancel()
	err = places.UntilServed(func() (err error) {
		answer, err = op.Ask(ctx, s.Process(), question)
		return err
	})
	return answer, err
}

// Hint implements runner.Tree. Without a mount the agent is told the commands.
func (s shown) Hint(ctx context.Context) (line, mount string) {
	const what = "Context for this task (past sessions, tools, terminals, notes)"
	answer, _ := ask(ctx, s, opStatus, fs.None{})
	for _, view := range answer.Mounts {
		if mount == "" || view.Dir == s.DefaultMount() {
			mount = view.Dir
		}
	}
	if mount == "" {
		return what + ": ctxfs ls, ctxfs find WORDS.", ""
	}
	return what + " is in the folder " + mount + ": begin with AGENTS.md there.", mount
}

// Shows reports whether the background process shows something at a path of the tree; true
// if there is no such process.
func Shows(ctx context.Context, p places.Places, path string) bool {
	_, err := ask(ctx, shown{p}, opList, pathQuery{path})
	return err == nil || errors.Is(err, control.ErrNotRunning)
}

// Has implements runner.Tree.
func (s shown) Has(ctx context.Context, path string) bool {
	_, err := ask(ctx, s, opList, pathQuery{path})
	return err == nil
}

// Spent implements runner.Tree.
func (s shown) Spent(ctx context.Context, session string) *request.Usage {
	answer, err := ask(ctx, s, opSpent, sessionQuery{session})
	if err != nil || answer.Requests == 0 {
		return nil
	}
	t := answer.Tokens
	return &request.Usage{
		InputTokens: t.Input, CacheReadTokens: t.CacheRead, CacheWriteTokens: t.CacheWrite + t.CacheWriteLong,
		OutputTokens: t.Output + t.Reasoning, CostUSD: answer.Cost,
	}
}
