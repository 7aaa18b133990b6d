package agents

import (
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/transcripts/agents/history"
)

// aiderName is the file's name unless the user has chosen another.
const aiderName = ".aider.chat.history.md"

// aider is Aider. Its history lies in the repository that it works on, so it is
// only looked for below the folders that the user allows. One file holds all
// runs, as Markdown; it only grows.
func aider() history.Agent {
	return history.Agent{Name: "aider", Places: aiderPlaces}
}

func aiderPlaces(m history.Machine) []history.Place {
	name := aiderName
	var places []history.Place
	if file := m.Env("AIDER_CHAT_HISTORY_FILE", ""); filepath.IsAbs(file) {
		own := filepath.Base(file)
		places = append(places, history.Place{
			Dir: filepath.Dir(file),
			File: func(rel string) history.Format {
				if rel != own {
					return nil
				}
				return aiderStore()
			},
			Skip:    func(string) bool { return true },
			NoLinks: true,
		})
	} else if file != "" {
		name = filepath.Base(file)
	}
	for _, project := range m.Projects {
		places = append(places, history.Place{
			Dir: project,
			File: func(rel string) history.Format {
				if base := path.Base(rel); base != aiderName && base != name {
					return nil
				}
				return aiderStore()
			},
			Skip:    aiderSkips,
			NoLinks: true,
		})
	}
	return places
}

// aiderSkips leaves out folders of a project that are no repositories of their
// own.
func aiderSkips(rel string) bool {
	base := path.Base(rel)
	return base == "node_modules" || base != "." && strings.HasPrefix(base, ".")
}

func aiderStore() history.Store { return history.Store{Sessions: aiderSessions, Read: aiderRead} }
