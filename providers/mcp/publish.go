package mcp

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
)

const indexName = "INDEX.md"

// published is what the root folder shows.
type published struct {
	mu      sync.Mutex // orders publications
	folders map[string]fs.Node
	text    []byte
	index   fs.Node // of text
	state   string
	since   time.Time // of state
	settled *time.Timer
}

// publishFolders updates the folders of all servers and the index, and notifies of
// the folders that were added, removed or replaced.
func (p *Provider) publishFolders() {
	folders := make(map[string]fs.Node)
	for _, s := range p.all() {
		folders[s.summary().file] = s.dir
	}
	p.shown.mu.Lock()
	before := p.shown.folders
	first := before == nil
	var changed []string
	for name, n := range folders {
		if before[name] != n {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if folders[name] == nil {
			changed = append(changed, name)
		}
	}
	p.shown.folders = folders
	if first || len(changed) > 0 {
		nodes := maps.Clone(folders)
		maps.Copy(nodes, p.callLog.Tables())
		t := p.env.Now()
		if first {
			t = p.factTime()
		}
		if p.shown.index != nil {
			nodes[indexName] = p.shown.index
		}
		p.root.Replace(t, nodes)
	}
	p.shown.mu.Unlock()
	if !first {
		slices.Sort(changed)
		for _, name := range changed {
			p.env.Changed(name)
		}
	}
	p.publishIndex()
}

// publishIndex updates the index if its text has changed.
func (p *Provider) publishIndex() {
	if p.publishIndexText() {
		p.env.Changed(indexName)
	}
}

// publishCalls notifies of a call that was logged, and shows what of the log is new.
func (p *Provider) publishCalls() {
	p.shown.mu.Lock()
	for name, table := range p.callLog.Tables() {
		if shown, _ := p.root.Lookup(context.Background(), name); shown != table {
			p.root.Set(p.env.Now(), name, table)
			p.env.Changed(name)
		}
	}
	p.shown.mu.Unlock()
	p.env.Changed(calls.TableName)
}

// settleUnlessStarting schedules Settled where no server is starting.
func (p *Provider) settleUnlessStarting() {
	p.shown.mu.Lock()
	defer p.shown.mu.Unlock()
	if p.shown.state != instance.StateStarting && p.shown.settled == nil {
		p.shown.settled = time.AfterFunc(p.timing.settled, p.opts.Settled)
	}
}

// settleAgain schedules Settled after the start of another instance.
func (p *Provider) settleAgain() {
	p.shown.mu.Lock()
	defer p.shown.mu.Unlock()
	if p.shown.settled != nil {
		p.shown.settled.Stop()
	}
	if p.shown.state != instance.StateStarting { // else it is scheduled when that is over
		p.shown.settled = time.AfterFunc(p.timing.settled, p.opts.Settled)
	}
}

func (p *Provider) publishIndexText() (changed bool) {
	p.shown.mu.Lock()
	defer p.shown.mu.Unlock()
	if p.shown.folders == nil {
		return false // New has not published the folders yet
	}
	servers, problems := p.summaries()
	first := p.shown.text == nil
	t := p.env.Now()
	if first {
		t = p.factTime()
	}
	if state := overall(servers, problems); state != p.shown.state {
		if p.shown.settled != nil {
			p.shown.settled.Stop()
		}
		if p.shown.state == instance.StateStarting {
			p.shown.settled = time.AfterFunc(p.timing.settled, p.opts.Settled)
		}
		p.shown.state, p.shown.since = state, t
	}
	text := indexText(servers, problems, p.searched)
	if bytes.Equal(text, p.shown.text) {
		return false
	}
	p.shown.text, p.shown.index = text, fs.NewText(t, text)
	p.root.Set(t, indexName, p.shown.index)
	return !first
}

// summaries returns the summaries of all servers, and the problems of
// configuration files and of ineffective rules of the policy.
func (p *Provider) summaries() ([]summary, []fs.Problem) {
	p.mu.Lock()
	servers, problems := p.servers, p.problems
	p.mu.Unlock()
	all := make([]summary, 0, len(servers))
	for _, s := range servers {
		all = append(all, s.summary())
	}
	return all, slices.Concat(problems, p.idleRules.find(p))
}

// factTime returns the time of the newest fact that is known at the start, so that
// what is shown then has the same time after a restart.
func (p *Provider) factTime() time.Time {
	var newest time.Time
	servers, _ := p.summaries()
	for _, b := range servers {
		for _, t := range []time.Time{b.condition.Since, b.catalogue} {
			if t.After(newest) {
				newest = t
			}
		}
	}
	return cmp.Or(newest, p.env.Now())
}

// places returns the files in which servers are looked for, ctxfs's own first,
// with "~" for the home folder.
func (p *Provider) places() []string {
	files := []string{cmp.Or(p.opts.SettingsPath, filepath.Join(p.opts.Home, ".config", "ctxfs", "config.toml"))}
	files = append(files, p.finder.UserFiles()...)
	for i, f := range files {
		files[i] = wording.Tilde(f, p.opts.Home)
	}
	return files
}

// ineffectiveRules caches the problems of rules of the policy that match nothing,
// until the policy, the servers or their tools change.
type ineffectiveRules struct {
	mu       sync.Mutex
	of       *policy.Policy
	seen     []ruleTarget
	problems []fs.Problem
}

// ruleTarget is the part of a server that decides which rules are effective.
type ruleTarget struct {
	server *server
	file   string
	off    bool                // it is disabled
	shown  *catalogue.Snapshot // nil where its tools are not known
}

// find returns the problems of ineffective rules. New ones are logged.
func (i *ineffectiveRules) find(p *Provider) []fs.Problem {
	policy := p.policy.Load()
	var seen []ruleTarget
	for _, s := range p.all() {
		s.mu.Lock()
		seen = append(seen, ruleTarget{s, s.file, s.def.Disabled, s.shown})
		s.mu.Unlock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == policy && slices.Equal(i.seen, seen) {
		return i.problems
	}
	before := i.problems
	i.of, i.seen, i.problems = policy, seen, policy.Ineffective(knownServers(seen))
	for _, problem := range i.problems {
		if !p.opts.Offline && !slices.Contains(before, problem) {
			p.env.Log.Warn("a rule of the policy has no effect", "problem", problem.What)
		}
	}
	return i.problems
}

func knownServers(all []ruleTarget) (known []policy.Server) {
	for _, s := range all {
		k := policy.Server{Names: s.server.names(), Disabled: s.off}
		if s.shown != nil {
			k.Tools = s.shown.ToolNames()
		}
		known = append(known, k)
	}
	return known
}
