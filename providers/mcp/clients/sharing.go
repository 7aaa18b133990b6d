package clients

import (
	"maps"

	"ctxfs/providers/mcp/config"
)

// sharing returns which calls share a process of the server: what ctxfs's own
// configuration says; else one process for each project if the entry refers to the
// project; else what is known of its program; else what the transport allows.
func (e *Entry) sharing() config.Sharing {
	switch {
	case e.scope != "":
		return config.Sharing{By: e.scope, Why: e.scopeFrom + " says so"}
	case len(e.placed) > 0 && e.Project == "":
		return config.Sharing{By: config.ShareProject, Why: "its configuration names the folder of the workspace"}
	case e.ofHome:
		return config.Sharing{By: config.ShareUser, Why: "it is configured for the home folder, which is no project"}
	case e.Transport == "":
		return config.Sharing{By: config.ShareUser, Why: "it does not run as its entry is written"}
	case e.Transport != config.Stdio:
		return config.Sharing{By: config.ShareUser, Why: "it is reached over HTTP"}
	}
	if is, ok := e.known(); ok {
		return is
	}
	return config.Sharing{By: config.ShareProject, Why: "its process may keep state of the folder it runs in"}
}

// inProject returns the server as it is run for a project: expanded again with the
// folder of the project, and in it unless the entry names another. It reads no files
// but those that the entry names, and may be called concurrently.
func (e *Entry) inProject(project string) *config.Server {
	run := e.in(project)
	for _, o := range e.changedBy {
		run.overrideBy(o.in(project))
	}
	out := e.clone()
	out.InProject, out.Fault = nil, nil
	out.Command, out.Args, out.Env, out.Dir = run.Command, run.Args, maps.Clone(run.Env), run.Dir
	out.URL, out.Headers = run.URL, run.Headers
	out.base, out.invalid, out.unset, out.workspace = run.base, run.invalid, run.unset, project
	if !run.Login.Same(config.Login{}) {
		out.Login = run.Login
	}
	out.AddSecrets(run.Secrets...)
	if out.Dir == "" && out.Transport == config.Stdio {
		out.Dir = project
	}
	out.in = nil
	out.resolve()
	out.place(project)
	return &out.Server
}

// belong records the projects that the server belongs to, and that it runs in the
// folder of each.
func (e *Entry) belong() {
	if e.Project == "" {
		return
	}
	e.place(e.Project)
	if e.ofHome {
		return // it is the user's own
	}
	e.Projects = []string{e.Project}
	for _, twin := range e.twins {
		twin.place(twin.Project)
		e.Projects = append(e.Projects, twin.Project)
	}
	if len(e.twins) > 0 {
		e.InProject = func(project string) *config.Server {
			for _, twin := range e.twins {
				if twin.Project == project {
					return &twin.Server
				}
			}
			return &e.Server
		}
	}
}

// place gives a process the variable by which its client names the project that it is
// started for.
//
// Cursor's is in no document; its servers read it.
func (e *Entry) place(project string) {
	if project == "" || e.Transport != config.Stdio {
		return
	}
	name := ""
	switch e.Client {
	case "claude-code":
		name = claudeProject
	case "cursor":
		name = "WORKSPACE_FOLDER_PATHS"
	default:
		return
	}
	if _, given := e.Env[name]; !given {
		e.Env = maps.Clone(e.Env)
		put(&e.Env, name, project)
	}
}
