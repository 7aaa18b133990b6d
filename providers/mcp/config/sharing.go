package config

import (
	"path/filepath"
	"strings"
)

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

// Owner returns the project of the server in whose folder a caller's project is, or
// that itself: the one for which the server is run. For a server that is the user's
// own, owner is the caller's project. Ok reports whether the server may be called
// from there; a server of projects may not be called from elsewhere.
func (s *Server) Owner(project string) (owner string, ok bool) {
	if len(s.Projects) == 0 {
		return project, true
	}
	for _, folder := range s.Projects {
		within := project == folder || strings.HasPrefix(project, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
		if within && len(folder) > len(owner) {
			owner = folder
		}
	}
	return owner, owner != ""
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
