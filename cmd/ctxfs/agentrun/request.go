package agentrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/request"
)

const seeHelp = "see how it is used: ctxfs agent run --help"

// usage returns an error of the command line.
func usage(err error) error {
	return console.Exit(console.ExitUsage, &control.Fault{Message: err.Error(), Hint: seeHelp})
}

// maxRequest is the longest request that is read, in bytes.
const maxRequest = 16 << 20

// request returns the request: a prompt as arguments, or else the JSON object on
// standard input. What flags say goes before what the object says.
func (f *Flags) request(in io.Reader, args []string) (r request.Request, err error) {
	if len(args) > 1 {
		for _, arg := range args {
			if name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "="); strings.HasPrefix(arg, "--") && f.has(name) {
				return r, usage(fmt.Errorf("%s is behind --, where the prompt is; put it before that, or the prompt into quotes", arg))
			}
		}
	}
	prompt := strings.Join(args, " ")
	if len(args) == 0 || prompt == "-" {
		body, err := readInput(in)
		if err != nil {
			return r, err
		}
		if prompt == "-" {
			prompt = string(body)
		} else if r, err = request.Parse(body); err != nil {
			return r, usage(err)
		}
	}
	if prompt != "" {
		r.Prompt = prompt
	}
	if f.given("agent") {
		r.Agent = f.agent
	}
	if f.given("repo") || r.RepoDir == "" {
		r.RepoDir = f.repo
	}
	if f.given("timeout") {
		r.TimeoutMS = f.timeout.Milliseconds()
		if r.TimeoutMS <= 0 {
			return r, usage(fmt.Errorf("--timeout takes a time such as 90s or 10m, not %v", f.timeout))
		}
	}
	r.ReadOnly, r.Worktree = r.ReadOnly || f.readOnly, r.Worktree || f.worktree
	if f.schema != "" {
		if r.Schema, err = os.ReadFile(f.schema); err != nil {
			return r, usage(err)
		}
	}
	if r.RepoDir, err = filepath.Abs(r.RepoDir); err != nil {
		return r, err
	}
	switch info, err := os.Stat(r.RepoDir); {
	case err != nil:
		return r, usage(fmt.Errorf("the folder to work in cannot be used: %w", err))
	case !info.IsDir():
		return r, usage(fmt.Errorf("%s is not a folder", r.RepoDir))
	}
	if err := r.Check(); err != nil {
		return r, usage(err)
	}
	return r, nil
}

// readInput reads standard input, where a person would not know that it is waited for.
func readInput(in io.Reader) ([]byte, error) {
	if console.IsTerminal(in) {
		return nil, console.Exit(console.ExitUsage, &control.Fault{
			Message: "which prompt?",
			Hint:    "for example: ctxfs agent run --agent claude -- \"mend the failing test\"\n" + seeHelp,
		})
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	switch {
	case err != nil:
	case len(body) > maxRequest:
		err = errors.New("the request is too long")
	case len(bytes.TrimSpace(body)) == 0:
		err = usage(errors.New("there is no prompt, and nothing on standard input"))
	}
	return body, err
}
