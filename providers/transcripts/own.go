package transcripts

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
)

// Claim is what the environment of a program says of the session that it runs
// in.
type Claim = agents.Claim

// Claims finds what an environment says. There are several where an agent was
// started by another.
func Claims(lookupEnv func(string) (string, bool)) []Claim { return agents.Claims(lookupEnv) }

// ClaimNames are the names of the variables that Claims looks at.
func ClaimNames() []string { return agents.SessionVariables() }

// Wanted says which session is meant.
type Wanted struct {
	// Session names it: an id, the beginning of one, or an alias. Files are what
	// it is as a path on disk, with and without links, Tree what it is as one in
	// the provider's folder; none and "" where it cannot be one. Where nothing is
	// named the asker's own session is meant.
	Session string   `json:"session,omitempty"`
	Files   []string `json:"files,omitempty"`
	Tree    string   `json:"tree,omitempty"`
	// Claims are what the asker's environment says.
	Claims []Claim `json:"claims,omitempty"`
	// Folders are where the asker is: the folder that it is in, then those above
	// it that count. Each has all names that it is known by.
	Folders [][]string `json:"folders,omitempty"`
}

// How a session was found.
const (
	ByName        = "name"
	ByEnvironment = "environment"
	ByFolder      = "folder"
)

// UnclearError says that there is no such session, or more than one.
type UnclearError struct {
	What string
	// Mend is what can be done; it may have several lines.
	Mend string
}

func (e *UnclearError) Error() string { return e.What }

// Session finds the session that is meant. The error is an [*UnclearError], or
// that of ctx.
func (p *Provider) Session(ctx context.Context, w Wanted) (Known, error) {
	if err := p.known(ctx); err != nil {
		return Known{}, err
	}
	c := p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	var s *session
	var err error
	by, others := ByName, 0
	switch {
	case w.Session != "":
		s, err = c.named(w)
	case len(w.Claims) > 0:
		by = ByEnvironment
		s, err = c.claimed(w.Claims)
	default:
		by = ByFolder
		s, others, err = c.lastIn(w.Folders)
	}
	if err != nil {
		return Known{}, p.stillLooking(err)
	}
	k := p.tellOf(s)
	k.By, k.Others = by, others
	return k, nil
}

// stillLooking says that what is not found may be found yet.
func (p *Provider) stillLooking(err error) error {
	if e, ok := err.(*UnclearError); ok && p.opts.Watch && !p.isScanned() {
		return &UnclearError{What: e.What + " yet: ctxfs is still looking for sessions", Mend: "try again in a while; how far it is: ctxfs status"}
	}
	return err
}

// named finds the session that a user names. The caller holds the lock, as with
// all that follows.
func (c *catalogue) named(w Wanted) (*session, error) {
	for _, find := range []func() []*session{
		func() []*session { return c.exactly("", w.Session) },
		func() []*session { return c.inTree(w.Tree) },
		func() []*session { return c.inFile(w.Files...) },
		func() []*session { return c.beginning(w.Session) },
	} {
		switch all := find(); {
		case len(all) == 1:
			return all[0], nil
		case len(all) > 1:
			return nil, several(w.Session, all)
		}
	}
	return nil, &UnclearError{
		What: fmt.Sprintf("no session is %s", wording.ShellWord(w.Session)),
		Mend: "name it by its id, the beginning of that, or the path of its log; those there are: ctxfs history --all",
	}
}

// exactly finds the sessions with an id; where there are none, those that are
// known by it besides.
func (c *catalogue) exactly(agent, id string) []*session {
	var ids, aliases []*session
	for _, s := range c.byAlias[id] {
		switch {
		case agent != "" && s.agent != agent:
		case s.id == id:
			ids = append(ids, s)
		default:
			aliases = append(aliases, s)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	return aliases
}

// beginning finds the sessions whose id, or short id, begins with a text; those
// that are no subagents', where there are such.
func (c *catalogue) beginning(text string) []*session {
	var tops, subagents []*session
	for _, s := range c.byID {
		switch {
		case !strings.HasPrefix(s.id, text) && shortID(s.id) != text:
		case s.parent == nil:
			tops = append(tops, s)
		default:
			subagents = append(subagents, s)
		}
	}
	if len(tops) > 0 {
		return tops
	}
	return subagents
}

// inFile finds the sessions that lie in a file of an agent's.
func (c *catalogue) inFile(paths ...string) []*session {
	for _, path := range paths {
		if f := c.files[path]; f != nil {
			return f.sessions
		}
	}
	return nil
}

// inTree finds the session that a path in the provider's folder is in.
func (c *catalogue) inTree(path string) []*session {
	parts := strings.Split(path, "/")
	if len(parts) >= 2 && parts[0] == byIDName {
		found := c.exactly("", parts[1])
		if len(found) != 1 {
			return found
		}
		return found[0].below(parts[2:])
	}
	if len(parts) < 3 || c.agents[parts[0]] == nil || c.agents[parts[0]].projects[parts[1]] == nil {
		return nil
	}
	project := c.agents[parts[0]].projects[parts[1]]
	s := project.sessions[parts[2]]
	if s == nil {
		s = project.formerly(parts[2])
	}
	if s == nil {
		return nil
	}
	return s.below(parts[3:])
}

// below finds the session, s or one of its subagents, that a path in the folder
// of s is in.
func (s *session) below(rest []string) []*session {
	for ; len(rest) >= 2 && rest[0] == subagentsName; rest = rest[2:] {
		i := slices.IndexFunc(s.children, func(child *session) bool { return child.name == rest[1] })
		if i < 0 {
			return nil
		}
		s = s.children[i]
	}
	return []*session{s}
}

// Canonical implements fs.Canonical: the path at which a session is listed, for
// one by its id or by a former name, and also for a file of the session.
func (p *Provider) Canonical(ctx context.Context, path string) (string, error) {
	if path == byIDName {
		return "", nil // all sessions are in it
	}
	if err := p.known(ctx); err != nil {
		return "", err
	}
	p.list.mu.RLock()
	defer p.list.mu.RUnlock()
	if found := p.list.inTree(path); len(found) > 0 && found[0].path() != "" {
		return found[0].path(), nil
	}
	return path, nil
}

// claimed finds the session that an environment tells of. Of several it is the
// one that was written to last: an agent that another has started writes what it
// does next after the other has.
func (c *catalogue) claimed(all []Claim) (*session, error) {
	var found []*session
	for _, claim := range all {
		sessions := c.exactly(claim.Agent, claim.Session)
		if strings.ContainsRune(claim.Session, filepath.Separator) {
			if sessions = c.inFile(claim.Session); len(sessions) == 0 {
				name := filepath.Base(claim.Session)
				sessions = c.exactly(claim.Agent, strings.TrimSuffix(name, filepath.Ext(name)))
			}
		}
		found = append(found, sessions...)
	}
	if len(found) == 0 {
		first := all[0]
		return nil, &UnclearError{
			What: fmt.Sprintf("there is no log of the session of %s that %s names, %s", first.Agent, first.Variable, wording.ShellWord(first.Session)),
			Mend: "it may not be written yet, or the agent keeps none; those there are: ctxfs history --all",
		}
	}
	return slices.MaxFunc(found, byTime), nil
}

// lastIn finds the newest session of the first folder that has any, and how many
// others it has.
func (c *catalogue) lastIn(folders [][]string) (s *session, others int, err error) {
	for _, names := range folders {
		var found []*session
		for _, s := range c.byID {
			if s.parent == nil && slices.Contains(names, s.info.CWD) {
				found = append(found, s)
			}
		}
		if len(found) > 0 {
			return slices.MaxFunc(found, byTime), len(found) - 1, nil
		}
	}
	where := "this folder"
	if len(folders) > 0 {
		where = folders[0][0]
		if last := folders[len(folders)-1][0]; len(folders) > 1 {
			where += " or above it, up to " + last
		}
	}
	return nil, 0, &UnclearError{
		What: "no agent says which session this is, and none is known that began in " + where,
		Mend: "name one of those there are: ctxfs history --all\nan agent says it by one of " + strings.Join(ClaimNames(), ", "),
	}
}

// byTime orders by when the sessions were written to: the one that is going on
// comes last.
func byTime(a, b *session) int {
	return cmp.Or(a.modTime().Compare(b.modTime()), strings.Compare(a.agent, b.agent), strings.Compare(a.id, b.id))
}

// maxTold is how many sessions an error names.
const maxTold = 10

// several says that a name is that of more than one session.
func several(name string, all []*session) error {
	slices.SortFunc(all, func(a, b *session) int { return byTime(b, a) })
	e := &UnclearError{What: fmt.Sprintf("%d sessions are %s; name one of them by more of its id, or by its path", len(all), wording.ShellWord(name))}
	var lines []string
	for _, s := range all[:min(len(all), maxTold)] {
		lines = append(lines, fmt.Sprintf("%s  %s  transcripts/%s", clean.Line(s.id), wording.Time(s.lastTime()), s.path()))
	}
	if more := len(all) - maxTold; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: ctxfs history --all", more))
	}
	e.Mend = strings.Join(lines, "\n")
	return e
}
