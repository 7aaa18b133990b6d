package memory

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/store"
)

//go:embed inbox.md
var inboxReadme string

// newInbox returns the folder in which a file becomes a memory.
func (p *Provider) newInbox() *drop.Folder {
	return drop.New(drop.Options{
		Accept: p.accept, AgentOf: p.opts.AgentOf, Text: true, Quiet: p.opts.Quiet, Extension: fact.Extension, Now: p.opts.Env.Now, MaxBody: fact.MaxText,
		Static:  map[string]fs.Node{"README.md": fs.NewText(p.opts.Env.Built, []byte(inboxReadme))},
		Changed: func(name string) { p.opts.Env.Changed(inboxName + "/" + name) },
	})
}

// projectAt returns the folder of the project in which a program stands, or "".
func (p *Provider) projectAt(at fs.Standpoint) string {
	if at.Dir == "" {
		return ""
	}
	root := p.opts.Workspaces.Root(at)
	if w, ok := p.opts.Workspaces.Of(root); ok && root != "" {
		return w.Dir
	}
	return root
}

// accept takes a file that was created in the inbox.
func (p *Provider) accept(_ context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
	draft := store.Draft{Text: string(body), Name: strings.TrimSuffix(name, fact.Extension), Source: fact.Source(from.Agent, from.Session)}
	ours := p.ours()
	read, err := ours.Read(draft, cmp.Or(p.projectAt(from), fact.User))
	if err != nil {
		return nil, err
	}
	if !read.Scoped && read.Memory.Type == fact.Preference {
		read.Memory.Scope = fact.User
	}
	return func(ctx context.Context) drop.Outcome {
		added, err := p.add(ctx, ours, read)
		if err != nil {
			return drop.Outcome{Error: clean.Line(err.Error())}
		}
		o := drop.Outcome{OK: true, Text: fmt.Sprintf("remembered as %s: %s", added.Path, added.Description), File: added.Path}
		if added.Known {
			o.Text = "known already as " + added.Path
		}
		if !read.Scoped {
			o.Note = "It is kept for " + p.scopeWords(read.Memory.Scope) + "; a line scope: user, or scope: project, in its front matter says it otherwise."
		}
		if added.Masked {
			o.Note = strings.TrimSpace("A secret in it was hidden. " + o.Note)
		}
		return o
	}, nil
}

// scopeWords says whose memory it is.
func (p *Provider) scopeWords(scope string) string {
	if scope == fact.User {
		return "the user"
	}
	return "the project " + clean.Line(wording.Tilde(scope, p.opts.Home))
}
