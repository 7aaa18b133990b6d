package transcripts

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/catalogue"
)

// Wanted names a session.
type Wanted struct {
	// Session is an id, the beginning of one, or an alias. Files are its readings
	// as a path on disk, with and without links, Tree its reading as a path in the
	// provider's folder; none and "" if it cannot be one. If Session is "", the
	// client's own session is meant.
	Session string   `json:"session,omitempty"`
	Files   []string `json:"files,omitempty"`
	Tree    string   `json:"tree,omitempty"`
	// Claims are what the client's environment says.
	Claims []agents.Claim `json:"claims,omitempty"`
	// Folders are the client's working folder and those above it that may be its
	// project's, each with all of its names.
	Folders [][]string `json:"folders,omitempty"`
}

// How a session was found.
const (
	ByName        = "name"
	ByEnvironment = "environment"
	ByFolder      = "folder"
)

// UnclearError reports that there is no such session, or more than one.
type UnclearError struct {
	What string
	// Mend is what can be done; it may have several lines.
	Mend string
}

func (e *UnclearError) Error() string { return e.What }

// Fix returns what can be done; it may have several lines.
func (e *UnclearError) Fix() string { return e.Mend }

// Known describes a session, as far as it is known without reading all of it.
type Known struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	// Path is the path of its folder in the provider's.
	Path  string    `json:"path"`
	Title string    `json:"title"`
	CWD   string    `json:"cwd"`
	Start time.Time `json:"start,omitzero"`
	// Last is when something last happened in it; if its messages were not read
	// yet, when its log was written to.
	Last time.Time `json:"last,omitzero"`
	// Events is nil until it was rendered.
	Events *int `json:"events"`
	// Log is the agent's own file or database.
	Log string `json:"log"`
	// Parent is the id of the session that started it as a subagent.
	Parent string `json:"parent,omitempty"`
	// Fault says why it cannot be read.
	Fault string `json:"fault,omitempty"`
	// By says how it was found: [ByName], [ByEnvironment] or [ByFolder]. Others
	// is how many more were found so.
	By     string `json:"by,omitempty"`
	Others int    `json:"others,omitempty"`
}

// Sessions lists the sessions that are not subagents', the newest first; below a
// folder if any of its names is given.
func (p *Provider) Sessions(ctx context.Context, below []string) ([]Known, error) {
	if err := p.scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	type listed struct {
		s       *catalogue.Session
		last    time.Time
		modTime time.Time
	}
	var found []listed
	p.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.Parent == nil && (len(below) == 0 || slices.ContainsFunc(below, func(dir string) bool { return fs.Within(filepath.Clean(v.Info.CWD), filepath.Clean(dir)) })) {
			found = append(found, listed{s, v.LastTime(), v.ModTime})
		}
	})
	slices.SortFunc(found, func(a, b listed) int {
		return -cmp.Or(a.last.Compare(b.last), a.modTime.Compare(b.modTime), strings.Compare(a.s.Agent, b.s.Agent), strings.Compare(a.s.ID, b.s.ID))
	})
	list := make([]Known, 0, len(found))
	for _, f := range found {
		list = append(list, describe(p.catalogue, f.s))
	}
	return list, nil
}

func describe(c *catalogue.Catalogue, s *catalogue.Session) Known {
	v, _ := c.View(s)
	k := Known{
		ID: s.ID, Agent: s.Agent, Path: c.Path(s), Title: clean.Line(v.Info.Title), CWD: clean.Line(v.Info.CWD),
		Start: v.Info.Start.UTC(), Last: v.LastTime().UTC(), Fault: v.Published.Fault,
	}
	if v.Parent != nil {
		k.Parent = v.Parent.ID
	}
	if v.Published.Generation > 0 {
		k.Events = &v.Published.Events
	}
	if v.Source != nil {
		k.Log = v.Source.Path
	}
	return k
}

// Session finds the session that a query means. The error is an [*UnclearError], or
// that of ctx.
func (p *Provider) Session(ctx context.Context, w Wanted) (Known, error) {
	if err := p.scanner.WaitBriefly(ctx); err != nil {
		return Known{}, err
	}
	var s *catalogue.Session
	var err error
	by, others := ByName, 0
	switch {
	case w.Session != "":
		s, err = named(p.catalogue, w)
	case len(w.Claims) > 0:
		by = ByEnvironment
		s, err = claimed(p.catalogue, w.Claims)
	default:
		by = ByFolder
		s, others, err = lastIn(p.catalogue, w.Folders)
	}
	if err != nil {
		return Known{}, p.stillLooking(err)
	}
	k := describe(p.catalogue, s)
	k.By, k.Others = by, others
	return k, nil
}

// HasSession reports whether a session is in the tree, by its id, or may be while sessions are
// still looked for.
func (p *Provider) HasSession(id string) bool {
	if !p.scanner.Done() {
		return true
	}
	_, err := named(p.catalogue, Wanted{Session: id})
	return err == nil
}

// stillLooking returns the error for a session that is not found: it may still be
// found, or may not exist.
func (p *Provider) stillLooking(err error) error {
	if e, ok := err.(*UnclearError); ok && p.opts.Watch && !p.scanner.Done() {
		return &UnclearError{What: e.What + " yet: ctxfs is still looking for sessions", Mend: "try again later; see the progress: ctxfs status"}
	}
	if e, ok := err.(*UnclearError); ok && p.catalogue.Empty() {
		mend := "no agent has left a session in the home folder yet; ctxfs lists them as soon as one has: ctxfs history --all"
		if _, variables, ok := strings.Cut(e.Mend, "\n"); ok {
			mend += "\n" + variables
		}
		return &UnclearError{What: e.What, Mend: mend}
	}
	return err
}

// named finds the session that a user names: by its id, a path in the tree, a file
// of its agent's, or the beginning of its id; the first of these with a match
// decides.
func named(c *catalogue.Catalogue, w Wanted) (*catalogue.Session, error) {
	for _, find := range []func() []*catalogue.Session{
		func() []*catalogue.Session { return c.Exactly("", w.Session) },
		func() []*catalogue.Session { return c.InTree(w.Tree) },
		func() []*catalogue.Session { return c.InFile(w.Files...) },
		func() []*catalogue.Session { return c.WithPrefix(w.Session) },
	} {
		switch all := find(); {
		case len(all) == 1:
			return all[0], nil
		case len(all) > 1:
			return nil, several(c, w.Session, all)
		}
	}
	return nil, &UnclearError{
		What: fmt.Sprintf("no session is %s", wording.ShellWord(w.Session)),
		Mend: "name it by its id, the beginning of that, or the path of its log; list them: ctxfs history --all",
	}
}

// claimed finds the session that an environment names. If there are several, it is
// the one that was written to last: an agent started by another one writes after
// the other has.
func claimed(c *catalogue.Catalogue, all []agents.Claim) (*catalogue.Session, error) {
	var found []*catalogue.Session
	for _, claim := range all {
		sessions := c.Exactly(claim.Agent, claim.Session)
		if strings.ContainsRune(claim.Session, filepath.Separator) {
			if sessions = c.InFile(claim.Session); len(sessions) == 0 {
				name := filepath.Base(claim.Session)
				sessions = c.Exactly(claim.Agent, strings.TrimSuffix(name, filepath.Ext(name)))
			}
		}
		found = append(found, sessions...)
	}
	if len(found) == 0 {
		first := all[0]
		return nil, &UnclearError{
			What: fmt.Sprintf("there is no log of the session of %s that %s names, %s", first.Agent, first.Variable, wording.ShellWord(first.Session)),
			Mend: "it may not be written yet, or the agent keeps none; list them: ctxfs history --all",
		}
	}
	c.SortNewestFirst(found)
	return found[0], nil
}

// lastIn finds the newest session of the first folder that has any, and how many
// others it has.
func lastIn(c *catalogue.Catalogue, folders [][]string) (s *catalogue.Session, others int, err error) {
	for _, folder := range folders {
		if found := c.StartedIn(folder); len(found) > 0 {
			return found[0], len(found) - 1, nil
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
		Mend: "name one; list them: ctxfs history --all\nan agent says it by one of " + strings.Join(agents.Variables(), ", "),
	}
}

// maxTold is how many sessions an error names.
const maxTold = 10

// several returns the error for a name that more than one session has.
func several(c *catalogue.Catalogue, name string, all []*catalogue.Session) error {
	all = slices.Clone(all)
	c.SortNewestFirst(all)
	e := &UnclearError{What: fmt.Sprintf("%d sessions are %s; name one of them by more of its id, or by its path", len(all), wording.ShellWord(name))}
	var lines []string
	for _, s := range all[:min(len(all), maxTold)] {
		v, _ := c.View(s)
		lines = append(lines, fmt.Sprintf("%s  %s  transcripts/%s", clean.Line(s.ID), wording.Time(v.LastTime()), c.Path(s)))
	}
	if more := len(all) - maxTold; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: ctxfs history --all", more))
	}
	e.Mend = strings.Join(lines, "\n")
	return e
}

// Canonical implements facts.Canonical: it returns the path that lists a session, for
// one by its id or by a former name, and also for a file of the session.
func (p *Provider) Canonical(ctx context.Context, path string) (string, error) {
	if path == catalogue.ByID {
		return "", nil // all sessions are in it
	}
	if err := p.scanner.WaitBriefly(ctx); err != nil {
		return "", err
	}
	if found := p.catalogue.InTree(path); len(found) > 0 {
		if listed := p.catalogue.Path(found[0]); listed != "" {
			return listed, nil
		}
	}
	return path, nil
}

// The operations of this provider.
var (
	// OpSession finds the session that is meant, see [Provider.Session].
	OpSession = fs.Op[Wanted, Known]{Name: "session", Effect: fs.Reads}
	// OpSessions lists the sessions, the newest first, see [Provider.Sessions].
	OpSessions = fs.Op[SessionsQuery, []Known]{Name: "sessions", Effect: fs.Reads}
	// OpSeen answers what a session last saw of files. It reads the session's log.
	OpSeen = fs.Op[SeenQuery, Seen]{Name: "seen", Slow: true, Effect: fs.Reads}
)

// SessionsQuery narrows a list of sessions.
type SessionsQuery struct {
	// Below limits the list to those that began at or below a folder, given by all
	// of its names; nil lists all.
	Below []string `json:"below,omitempty"`
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpSession.Handle(p.Session),
		OpSeen.Handle(p.seen),
		OpSpent.Handle(p.sessionSpent),
		OpSessions.Handle(func(ctx context.Context, q SessionsQuery) ([]Known, error) { return p.Sessions(ctx, q.Below) }),
	}
}
