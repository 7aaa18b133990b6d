package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ctxfs/fs/await"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/wait"
)

// Wait implements gateway.Backend. Files are waited for in the client's folder only: the
// gateway may read more than its client does.
func (b *backend) Wait(ctx context.Context, q gateway.Wait) (string, error) {
	words, err := wait.Split(q.For)
	var conditions []await.Condition
	if err == nil {
		conditions, err = wait.Parse(words)
	}
	const forms = "terminal ID --for REGEX|--exit|--idle 2s; server NAME ready; session ID --idle|--asks; question; file PATH [--for REGEX]; port NUMBER; several: a comma as a word between them"
	switch {
	case err != nil:
		return "", &gateway.Fault{What: "wait: " + err.Error(), Mend: forms}
	case len(conditions) == 0:
		return "", &gateway.Fault{What: "wait for what?", Mend: forms}
	}
	root := cmp.Or(b.project, q.Root)
	if real, err := filepath.EvalSymlinks(root); err == nil && root != "" {
		root = real
	}
	w := b.app.Waiting(root)
	defer w.Close()
	late := errors.New("not in time")
	ctx, cancel := context.WithTimeoutCause(ctx, q.Timeout, late)
	defer cancel()
	var all []wait.Asked
	for _, c := range conditions {
		if c.Kind == "file" && root == "" {
			return "", &gateway.Fault{What: "wait: the folder of this client is not known, so it cannot wait for files", Mend: "start the gateway with: ctxfs serve --project DIR"}
		}
		all = append(all, func(ctx context.Context, tell func(await.Standing)) (await.Standing, error) {
			return w.For(ctx, c, tell)
		})
	}
	together, each, err := wait.Merge(ctx, q.Any, all)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), late):
	case err != nil:
		return "", err
	case together.State == await.NoSense, together.State == await.Unnamed, together.State == await.NeedsProcess:
		return "", &gateway.Fault{What: "wait: " + together.What, Mend: together.More}
	}
	var text strings.Builder
	for i, s := range each {
		state := string(s.State)
		if s.State == await.NotYet {
			state = "not yet"
		}
		fmt.Fprintf(&text, "%s: %s: %s\n", state, conditions[i], s.What)
		if s.Path != "" && s.State != await.NotYet {
			fmt.Fprintf(&text, "  more: read {\"path\":%q,\"offset\":-40}\n", s.Path)
		}
	}
	if together.State == await.NotYet {
		fmt.Fprintf(&text, "Not within %v. Call wait again to go on waiting.\n", q.Timeout)
	}
	return text.String(), nil
}
