package agents

import (
	"path"
	"path/filepath"
	"strings"
)

// aiderName is the file's name unless the user has chosen another.
const aiderName = ".aider.chat.history.md"

// aider is Aider. Its history lies in the repository that it works on, so it is
// only looked for below the folders that the user allows. One file holds all
// runs, as Markdown; it only grows.
func aider() Agent {
	return Agent{Name: "aider", Places: aiderPlaces}
}

func aiderPlaces(m Machine) []Place {
	name := aiderName
	var places []Place
	if file := m.Env("AIDER_CHAT_HISTORY_FILE", ""); filepath.IsAbs(file) {
		own := filepath.Base(file)
		places = append(places, Place{
			Dir: filepath.Dir(file),
			File: func(rel string) Format {
				if rel != own {
					return nil
				}
				return aiderStore()
			},
			Skip:   func(string) bool { return true },
			Closed: true,
		})
	} else if file != "" {
		name = filepath.Base(file)
	}
	for _, project := range m.Projects {
		places = append(places, Place{
			Dir: project,
			File: func(rel string) Format {
				if base := path.Base(rel); base != aiderName && base != name {
					return nil
				}
				return aiderStore()
			},
			Skip:   aiderSkips,
			Closed: true,
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

func aiderStore() Store { return Store{Sessions: aiderSessions, Read: aiderRead} }
