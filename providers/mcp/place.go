package mcp

import (
	"cmp"
	"fmt"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

// place is whose an instance of a server is. The zero value is that of the instance
// which all share that have none of their own.
type place struct {
	project string // the folder of the project; "" is none
	session string // the session of an agent; "" is all of them
}

// String names the place in a sentence.
func (at place) String() string {
	switch {
	case at.session == "":
		return at.project
	case at.project == "":
		return "session " + at.session
	}
	return at.project + ", session " + at.session
}

// chooseFor returns the server of a call. Its error is a [*calls.ArgumentsError],
// which says so if the caller's project configures a server of that name and was never
// trusted.
func (p *Provider) chooseFor(c *calls.Call) (*server, error) {
	s, err := p.chooseOne(c.Server)
	if err == nil {
		return s, nil
	}
	bad := &calls.ArgumentsError{What: err.Error()}
	at := c.Caller.Standpoint()
	if c.Project != "" {
		at = fs.Standpoint{Dir: c.Project, Folders: c.ProjectFolders}
	}
	if at.Dir == "" || p.IsServer(c.Server) {
		return nil, bad
	}
	if folder, err := p.opts.Projects.Named(at); err == nil {
		if file := p.finder.Configures(folder, c.Server); file != "" {
			bad.What = fmt.Sprintf("no server is called %q; %s configures one, but its project is not trusted", clean.Line(c.Server), clean.Line(file))
			bad.Hint = "if you trust the project, run: ctxfs trust " + wording.ShellWord(clean.Line(folder))
		}
	}
	return nil, bad
}

// locate finds out for which project the call is made, and which instance of the
// server may answer it. It puts the project into the call. Errors are
// [*calls.ArgumentsError] if the call names a project that there is not,
// [*policy.DeniedError] if the server may not be called from there, and
// [*calls.UseError] if it can only be called from within a project.
func (m *judgedCall) locate(c *calls.Call) error {
	s := m.server
	s.mu.Lock()
	def, file := s.def, s.file
	s.mu.Unlock()
	why := ""
	if c.Project != "" {
		root, err := s.p.opts.Projects.Named(fs.Standpoint{Dir: c.Project, Folders: c.ProjectFolders})
		if err != nil {
			return &calls.ArgumentsError{What: "the project cannot be used: " + clean.Line(err.Error()), Project: true}
		}
		c.Project, c.ProjectFolders = root, nil
	} else {
		c.Project, why = s.p.opts.Projects.Of(c.Caller.Standpoint())
	}
	owner, ok := def.Owner(c.Project)
	if !ok {
		return elsewhere(def, file, c, why)
	}
	switch def.Sharing.By {
	case config.ShareUser:
		return nil
	case config.ShareSession:
		m.at.session = c.Caller.Session
	}
	if m.at.project = owner; owner == def.Project && m.at.session == "" {
		m.at.project = "" // the shared instance is that of its own project
	}
	if c.Project != "" {
		return nil
	}
	if f := def.Fault; f != nil && f.WantsProject {
		return &calls.UseError{Server: file, State: f.State, What: f.What + "; " + clean.Line(cmp.Or(why, "the caller stands in no project: "+c.Caller.Dir)), Mend: f.Fix}
	}
	if def.InProject != nil && why != "" {
		m.note = clean.Line(why) + "; so the call was made in no project (ctxfs call --project DIR names one)"
	}
	return nil
}

// elsewhere returns the error of a call, from outside of the projects of its server.
func elsewhere(d *config.Server, file string, c *calls.Call, why string) error {
	of := "the project "
	if len(d.Projects) > 1 {
		of = "the projects "
	}
	from := cmp.Or(c.Project, why, c.Caller.Dir, "nowhere")
	return &policy.DeniedError{
		What: fmt.Sprintf("server %s belongs to %s, and is called only from there; this call is made from: %s",
			file, of+clean.Line(strings.Join(d.Projects, ", ")), clean.Line(from)),
		Mend: "call it there, or name the project: --project " + wording.ShellWord(clean.Line(d.Projects[0])),
	}
}
