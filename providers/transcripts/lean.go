package transcripts

import (
	"strings"
	"unique"

	"ctxfs/providers/transcripts/event"
)

// lean is what is known of a session with texts of its own: those that a reader
// gives are parts of whole records, which would stay in memory with them. What
// many sessions have in common is there once.
func lean(s event.Session) event.Session {
	for _, text := range []*string{&s.Agent, &s.Parent, &s.CWD, &s.Project, &s.Model, &s.Branch, &s.Program} {
		*text = unique.Make(*text).Value()
	}
	for _, text := range []*string{&s.ID, &s.ForkOf, &s.Title} {
		*text = strings.Clone(*text)
	}
	aliases := s.Aliases
	s.Aliases = nil
	for _, alias := range aliases {
		s.Aliases = append(s.Aliases, strings.Clone(alias))
	}
	return s
}
