package transcripts

import (
	"cmp"
	"context"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
)

// The names in the folders.
const (
	indexName      = "INDEX.tsv"
	ignoreName     = ".ignore"
	byIDName       = "by-id"
	statusName     = "STATUS.md"
	transcriptName = "transcript.md"
	messagesName   = "messages.jsonl"
	digestName     = "digest.md"
	filesName      = "files.tsv"
	metaName       = "meta.json"
	resultsName    = "results"
	subagentsName  = "subagents"
)

// ignoreText has search tools find a thing once: in the transcript. What is made
// of it again is left out.
const ignoreText = `*.jsonl
INDEX.*
digest.md
files.tsv
meta.json
`

func folderAttr(version uint64, changed time.Time) fs.Attr {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: changed, Version: version}
}

func dirEntry(name string) fs.Entry { return fs.Entry{Name: name, Type: iofs.ModeDir} }

// rootFolder is the provider's folder: agents, and what helps to find.
type rootFolder struct{ p *Provider }

func (d rootFolder) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	return folderAttr(c.version, cmp.Or(c.changed, d.p.opts.Env.Built)), nil
}

func (d rootFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	switch name {
	case indexName:
		return d.p.index(""), nil
	case ignoreName:
		return fs.NewText(d.p.opts.Env.Built, []byte(ignoreText)), nil
	case byIDName:
		return byIDFolder(d), nil
	}
	if err := d.p.known(ctx); err != nil {
		return nil, err
	}
	d.p.list.mu.RLock()
	defer d.p.list.mu.RUnlock()
	if a := d.p.list.agents[name]; a != nil {
		return agentDir{d.p, name}, nil
	}
	return nil, fs.ErrNotExist
}

func (d rootFolder) List(ctx context.Context) ([]fs.Entry, error) {
	if err := d.p.known(ctx); err != nil {
		return nil, err
	}
	c := d.p.list
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = []fs.Entry{{Name: ignoreName}, {Name: indexName}, dirEntry(byIDName)}
		for name := range c.agents {
			c.entries = append(c.entries, dirEntry(name))
		}
		sortEntries(c.entries)
	}
	return c.entries, nil
}

func sortEntries(entries []fs.Entry) {
	slices.SortFunc(entries, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
}

// agentDir is the folder of an agent: projects.
type agentDir struct {
	p    *Provider
	name string
}

func (d agentDir) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.agents[d.name]
	if a == nil {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(a.version, a.changed), nil
}

func (d agentDir) Lookup(_ context.Context, name string) (fs.Node, error) {
	if name == indexName {
		return d.p.index(d.name), nil
	}
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	if a := c.agents[d.name]; a != nil && a.projects[name] != nil {
		return projectDir{d.p, d.name, name}, nil
	}
	return nil, fs.ErrNotExist
}

func (d agentDir) List(context.Context) ([]fs.Entry, error) {
	c := d.p.list
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.agents[d.name]
	if a == nil {
		return nil, fs.ErrNotExist
	}
	if a.entries == nil {
		a.entries = []fs.Entry{{Name: indexName}}
		for name := range maps.Keys(a.projects) {
			a.entries = append(a.entries, dirEntry(name))
		}
		sortEntries(a.entries)
	}
	return a.entries, nil
}

// projectDir is the folder of a project: sessions. A session is also found under
// a name that it had before it got a better title: whoever has noted a path
// finds it again.
type projectDir struct {
	p           *Provider
	agent, name string
}

// folder returns the project. The caller holds the catalogue's lock.
func (d projectDir) folder() *project {
	if a := d.p.list.agents[d.agent]; a != nil {
		return a.projects[d.name]
	}
	return nil
}

func (d projectDir) Attr(context.Context) (fs.Attr, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	p := d.folder()
	if p == nil {
		return fs.Attr{}, fs.ErrNotExist
	}
	return folderAttr(p.version, p.changed), nil
}

func (d projectDir) Lookup(_ context.Context, name string) (fs.Node, error) {
	c := d.p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	p := d.folder()
	if p == nil {
		return nil, fs.ErrNotExist
	}
	if s := p.sessions[name]; s != nil {
		return sessionDir{d.p, s}, nil
	}
	if s := p.formerly(name); s != nil {
		return sessionDir{d.p, s}, nil
	}
	return nil, fs.ErrNotExist
}

// formerly finds the one session that a folder's former name, which ends in its
// short id, can only mean.
func (p *project) formerly(name string) (found *session) {
	i := strings.LastIndexByte(name, '_')
	if i < len(time.DateOnly) {
		return nil
	}
	date, id := name[:len(time.DateOnly)], name[i+1:]
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return nil
	}
	for _, s := range p.sessions {
		if shortID(s.id) == id {
			if found != nil {
				return nil
			}
			found = s
		}
	}
	return found
}

func (d projectDir) List(context.Context) ([]fs.Entry, error) {
	c := d.p.list
	c.mu.Lock()
	defer c.mu.Unlock()
	p := d.folder()
	if p == nil {
		return nil, fs.ErrNotExist
	}
	if p.entries == nil {
		p.entries = make([]fs.Entry, 0, len(p.sessions))
		for name := range p.sessions {
			p.entries = append(p.entries, dirEntry(name))
		}
		sortEntries(p.entries)
	}
	return p.entries, nil
}

// byIDFolder finds a session by its id, whatever its agent, project and title.
// It is a folder for lookup alone.
type byIDFolder struct{ p *Provider }

const byIDReadme = `# A session by its id

The name of a folder here is the id of a session, as the agent has it. Nothing
lists such folders, and all of them are there:

    ls by-id/$CLAUDE_CODE_SESSION_ID
    rg -n "error" by-id/$CODEX_THREAD_ID/transcript.md

The path of the session that you are in: ctxfs history
`

const readmeName = "README.md"

func (d byIDFolder) Attr(context.Context) (fs.Attr, error) {
	return folderAttr(1, d.p.opts.Env.Built), nil
}

func (d byIDFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name == readmeName {
		return fs.NewText(d.p.opts.Env.Built, []byte(byIDReadme)), nil
	}
	if err := d.p.known(ctx); err != nil {
		return nil, err
	}
	if all := d.p.list.find("", name); len(all) > 0 {
		return sessionDir{d.p, all[0]}, nil
	}
	return nil, fs.ErrNotExist
}

func (d byIDFolder) List(context.Context) ([]fs.Entry, error) {
	return []fs.Entry{{Name: readmeName}}, nil
}
