package memory

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/store"
)

//go:embed inbox.md
var inboxReadme string

// inbox is the folder in which a file becomes a memory.
type inbox struct {
	*drop.Folder
	provider *Provider

	mu      sync.Mutex
	authors map[string]author // of files being written, by name
}

type author struct {
	agent, session string
	// project is the folder of the project in which the author stands, or "".
	project string
}

func newInbox(p *Provider) *inbox {
	b := &inbox{provider: p, authors: make(map[string]author)}
	b.Folder = drop.New(drop.Options{
		Accept: b.accept, Text: true, Quiet: p.opts.Quiet, Extension: fact.Extension, Now: p.opts.Env.Now, MaxBody: fact.MaxText, Log: p.opts.Env.Log,
		Static:  map[string]fs.Node{"README.md": fs.NewText(p.opts.Env.Built, []byte(inboxReadme))},
		Changed: func(name string) { p.opts.Env.Changed(inboxName + "/" + name) },
	})
	return b
}

// Create implements fs.Inbox. Who creates the file is asked now: when it is complete, its
// program may have ended.
func (b *inbox) Create(ctx context.Context, name string, from fs.Standpoint) (fs.Draft, error) {
	d, err := b.Folder.Create(ctx, name, from)
	if err != nil {
		return nil, err
	}
	by := b.provider.author(from)
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 1000
	if len(b.authors) > most {
		clear(b.authors) // of files that became no memories
	}
	b.authors[name] = by
	return d, nil
}

// author returns who a program is, by its environment and where it stands.
func (p *Provider) author(at fs.Standpoint) author {
	a := author{project: p.projectAt(at)}
	if at.PID != 0 && p.opts.Environ != nil {
		a.agent, a.session = agents.Of(p.opts.Environ(at.PID))
	}
	return a
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
func (b *inbox) accept(_ context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
	b.mu.Lock()
	by, ok := b.authors[name]
	delete(b.authors, name)
	b.mu.Unlock()
	if !ok {
		by = b.provider.author(from)
	}
	draft := store.Draft{Text: string(body), Name: strings.TrimSuffix(name, fact.Extension), Source: fact.Source(by.agent, by.session)}
	ours := b.provider.ours()
	read, err := ours.Read(draft, cmp.Or(by.project, fact.User))
	if err != nil {
		return nil, err
	}
	if !read.Scoped && read.Memory.Type == fact.Preference {
		read.Memory.Scope = fact.User
	}
	return func(ctx context.Context) drop.Outcome {
		added, err := b.provider.add(ctx, ours, read)
		if err != nil {
			return drop.Outcome{Error: clean.Line(err.Error())}
		}
		o := drop.Outcome{OK: true, Text: fmt.Sprintf("remembered as %s: %s", added.Path, added.Description), File: added.Path}
		if added.Known {
			o.Text = "known already as " + added.Path
		}
		if !read.Scoped {
			o.Note = "It is kept for " + b.provider.scopeWords(read.Memory.Scope) + "; a line scope: user, or scope: project, in its front matter says it otherwise."
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
