package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/jsonscan"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/wait"
)

// subagents implements gateway.Agents. The runs are children of this process: what is part
// of a run of an agent starts others within that run.
type subagents struct {
	*backend
	settings request.Settings
}

// agentsFor returns what starts agents for the clients of a gateway; nil if the user does
// not allow it.
func agentsFor(b *backend) gateway.Agents {
	settings, _ := programs.ReadSettings(b.app.Config) // STATUS.md has its faults
	if !settings.Gateway {
		return nil
	}
	return &subagents{b, settings}
}

// Schema implements gateway.Agents.
func (s *subagents) Schema() json.RawMessage { return request.Schema(programs.Available(s.settings)) }

// RunAgent implements gateway.Agents.
func (s *subagents) RunAgent(_ context.Context, body json.RawMessage, root string) (string, error) {
	r, err := request.Parse(body)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return "", &gateway.Fault{What: "agent_run: " + err.Error(), Mend: "its definition says what it takes"}
	}
	root = cmp.Or(s.project, root)
	switch {
	case filepath.IsAbs(r.RepoDir):
	case root == "":
		return "", &gateway.Fault{What: "agent_run: the folder of this client is not known", Mend: "give repoDir, an absolute path"}
	default:
		r.RepoDir = filepath.Join(root, r.RepoDir)
	}
	if info, err := os.Stat(r.RepoDir); err != nil || !info.IsDir() {
		return "", &gateway.Fault{What: fmt.Sprintf("agent_run: there is no folder %s", r.RepoDir), Mend: "give repoDir, the absolute path of a folder"}
	}
	settings, _ := programs.ReadSettings(s.app.Config) // as they are now
	started, err := runner.Start(runner.Options{Store: job.In(s.app.State), Program: s.app.Program, Request: r, Settings: settings, Detach: true})
	if confined := (*fs.Confined)(nil); errors.As(err, &confined) {
		return "", confined
	}
	if err != nil {
		return "", &gateway.Fault{What: "agent_run: " + err.Error(), Mend: s.known(settings)}
	}
	id := started.Job.ID
	return fmt.Sprintf("%s is started.\nIts result: agent_wait {\"ids\":[%q]}. What it shows: read {\"path\":\"agents/%s/log.txt\",\"offset\":-20}.\n", id, id, id), nil
}

// known says which agents there are.
func (s *subagents) known(settings request.Settings) string {
	here := programs.Available(settings)
	if len(here) == 0 {
		return "no agent is installed here, and none is configured: ctxfs agent run --help"
	}
	return "agents here: " + strings.Join(here, ", ")
}

// find returns the run that a client names.
func (s *subagents) find(id string) (*job.Job, error) {
	j, err := job.In(s.app.State).Find(id)
	if missing := (*job.Missing)(nil); errors.As(err, &missing) {
		fault := &gateway.Fault{What: err.Error(), Mend: `those that there are: read {"path":"agents/INDEX.md"}`, Missing: true}
		if missing.Near != "" {
			fault.Mend = "did you mean: " + missing.Near
		}
		return nil, fault
	}
	return j, err
}

// WaitAgents implements gateway.Agents.
func (s *subagents) WaitAgents(ctx context.Context, q gateway.AgentWait, progress func(gateway.Progress)) (string, error) {
	if len(q.IDs) == 0 {
		return "", &gateway.Fault{What: "agent_wait: which runs? give their ids", Mend: `those that there are: read {"path":"agents/INDEX.md"}`}
	}
	late := errors.New("not in time")
	ctx, cancel := context.WithTimeoutCause(ctx, q.Timeout, late)
	defer cancel()
	w := s.app.Waiting("")
	defer w.Close()
	var ids []string
	var all []wait.Asked
	var mu sync.Mutex
	ended, over := 0, false // what was started may outlive Merge
	tellEnd := func(id string) {
		mu.Lock()
		defer mu.Unlock()
		if ended++; !over {
			progress(gateway.Progress{Done: float64(ended), Total: float64(len(q.IDs)), Message: id + " has ended"})
		}
	}
	for _, name := range q.IDs {
		j, err := s.find(name)
		if err != nil {
			return "", err
		}
		ids = append(ids, j.ID)
		all = append(all, func(ctx context.Context, tell func(await.Standing)) (await.Standing, error) {
			standing, err := w.For(ctx, await.Condition{Kind: "agent", Name: j.ID}, tell)
			if err == nil {
				tellEnd(j.ID)
			}
			return standing, err
		})
	}
	_, _, err := wait.Merge(ctx, q.Any, all)
	mu.Lock()
	over = true
	mu.Unlock()
	if err != nil && !errors.Is(context.Cause(ctx), late) {
		return "", err
	}
	var text strings.Builder
	open := 0
	for _, id := range ids {
		j, err := job.In(s.app.State).Load(id)
		switch {
		case err != nil:
			return "", err
		case j.Ended():
			text.WriteString(shownResult(j.Result, gateway.MaxText/len(ids)))
		default:
			open++
			fmt.Fprintf(&text, "%s: %s\n", id, j.Status.State)
		}
	}
	if open > 0 && !q.Any || open == len(ids) {
		fmt.Fprintf(&text, "Not within %v. Call agent_wait again to go on waiting.\n", q.Timeout)
	}
	return text.String(), nil
}

// AgentResult implements gateway.Agents.
func (s *subagents) AgentResult(_ context.Context, id string) (string, error) {
	j, err := s.find(id)
	if err != nil {
		return "", err
	}
	if !j.Ended() {
		return fmt.Sprintf("%s: %s\nIts result: agent_wait {\"ids\":[%q]}.\n", j.ID, j.Status.State, j.ID), nil
	}
	return shownResult(j.Result, gateway.MaxText), nil
}

// shownResult returns a result as a JSON object of at most some bytes, and says where the
// rest of it is.
func shownResult(r *request.Result, limit int) string {
	const rest = 512 // for the lines below it
	shown := *r
	body := encode(&shown)
	if len(body) <= limit-rest {
		return body
	}
	shown.Structured, shown.Changed = nil, nil
	for size := len(shown.Text); len(body) > limit-rest && size > 0; {
		size -= min(size, len(body)-(limit-rest))
		shown.Text = strings.ToValidUTF8(shown.Text[:size], "")
		body = encode(&shown)
	}
	return body + fmt.Sprintf("The whole answer: read {\"path\":\"agents/%s/result.md\"}; all of the result: read {\"path\":\"agents/%[1]s/result.json\"}.\n", r.ID)
}

func encode(r *request.Result) string {
	line, err := jsonscan.Line(r)
	if err != nil {
		return err.Error() + "\n" // it was read from JSON
	}
	return string(line)
}
