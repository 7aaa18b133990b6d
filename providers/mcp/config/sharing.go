package config

// Which calls share one process of a server.
const (
	ShareUser    = "user"    // all of them
	ShareProject = "project" // those from within one project
	ShareSession = "session" // those of one session of an agent
)

// Sharing says which calls share one process of a server, and why.
type Sharing struct {
	By  string // [ShareUser], [ShareProject] or [ShareSession]
	Why string // one sentence, for STATUS.md
}

// In returns the server as it is run for a project: in its folder, and with the
// variables of a workspace expanded as the program that configures it does. In
// returns s itself if the project is "" or makes no difference.
func (s *Server) In(project string) *Server {
	if project == "" || s.InProject == nil {
		return s
	}
	return s.InProject(project)
}
