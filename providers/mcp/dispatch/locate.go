package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
)

// locate finds out for which project the call is made, and which instance of the
// server may answer it. It puts the project into the call. Errors are
// [*calls.ArgumentsError] if the call names a project that there is not,
// [*policy.DeniedError] if the server may not be called from there, and
// [*calls.UseError] if it can only be called from within a project.
func (m *judgedCall) locate(c *calls.Call) error {
	s := m.server
	def, file := s.Definition(), s.Folder()
	why := ""
	if c.Project != "" {
		root, err := m.d.o.Projects.Named(fs.Standpoint{Dir: c.Project, Folders: c.ProjectFolders})
		if err != nil {
			return &calls.ArgumentsError{What: "the project cannot be used: " + clean.Line(err.Error()), Project: true}
		}
		c.Project, c.ProjectFolders = root, nil
	} else {
		c.Project, why = m.d.o.Projects.Of(c.Caller.Standpoint())
	}
	owner, ok := def.Owner(c.Project)
	if !ok {
		return elsewhere(def, file, c, why)
	}
	switch def.Sharing.By {
	case config.ShareUser:
		return nil
	case config.ShareSession:
		m.at.Session = c.Caller.Session
	}
	if m.at.Project = owner; owner == def.Project && m.at.Session == "" {
		m.at.Project = "" // the shared instance is that of its own project
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

// use uses the instance that answers the call, and starts it if necessary.
func (m *judgedCall) use(ctx context.Context, w instance.Waiting) (session *instance.Session, err error) {
	session, m.placed, err = m.d.o.Fleet.Use(ctx, m.server, m.at, w)
	return session, err
}

// settle judges a call by the definition that the tool has in the instance which is
// about to answer: that may be another one than the call was judged by before the
// instance was running.
func (m *judgedCall) settle(c *calls.Call) error {
	before := m.tool
	if now, err := m.server.Tool(c.Tool); err != nil || now != before {
		if err := m.resolve(c); err != nil {
			return err
		}
	}
	if before != nil && before.Sum != m.tool.Sum {
		m.remark("the server has just changed the definition of the tool: see tools/" + m.tool.File + ".json")
	}
	if m.placed == nil {
		return nil
	}
	t, err := m.placed.Tool(m.tool)
	if err != nil || t == m.tool {
		return err
	}
	m.remark(fmt.Sprintf("for %s the tool is defined otherwise than tools/%s.json says: see STATUS.md", clean.Line(m.at.String()), m.tool.File))
	m.tool = t
	m.args, err = t.Prepare(c, m.server.Names(), m.d.o.Fleet.Policy())
	return err
}

// remark adds a clause to what the caller is told.
func (m *judgedCall) remark(what string) {
	if m.note != "" {
		m.note += "; "
	}
	m.note += what
}
