package suggest

import (
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
)

// Bar is what a candidate must have to be told unasked, which is far more than what it
// takes to be found.
type Bar struct {
	// Score, Words and Named are the least that it may have, see [Candidate]; a name is
	// the surest sign, and a high score of few words is no sign: "yes, everything looks
	// good" has two words that say anything.
	Score float64
	Words int
	Named float64
	// Lead is the least that it may lead by.
	Lead float64
}

// Usual returns the bar by which agents are told of tools and skills. It was chosen on
// recorded trajectories: see BENCHMARKS.md.
func Usual() Bar { return Bar{Score: 0.3, Words: 3, Named: 0.5, Lead: 0} }

// said is the bar for past sessions. A text has no name; its words must be the user's
// own.
func said() Bar { return Bar{Score: 0.45, Words: 4} }

// Passes reports whether a candidate is sure enough.
func (b Bar) Passes(c Candidate) bool {
	return c.Score >= b.Score && c.Words >= b.Words && c.Named >= b.Named && c.Lead >= b.Lead
}

// What a message is answered with at most.
const (
	mostTools  = 3
	mostTokens = 150
	// aboutLength is the length of what a tool is for, in bytes.
	aboutLength = 80
	// freshly is for how long the words of a session count as just said, in the session
	// that asks or in one beside it.
	freshly = time.Hour
)

// Suggestion is a candidate that is told, and how.
type Suggestion struct {
	Candidate
	Text   string
	Tokens int
}

// Choose returns the lines for an agent on the best candidates that pass a bar: up to
// three tools, one skill, and one past session, of at most 150 tokens together. Skip leaves
// out what the session knows already.
func Choose(all []Candidate, bar Bar, at facts.Moment, skip func(facts.Match) bool) (chosen []Suggestion) {
	left := mostTokens
	room := map[string]int{"tool": mostTools, "skill": 1, "session": 1}
	for _, c := range all {
		if room[c.Kind] == 0 || !c.sure(bar, at.Time) || skip(c.Match) {
			continue
		}
		text := line(c.Match, at)
		n := tokens.Count(text + "\n")
		if n > left {
			continue
		}
		left -= n
		room[c.Kind]--
		chosen = append(chosen, Suggestion{c, text, n})
	}
	return chosen
}

// sure reports whether a candidate is worth telling of at a time.
func (c Candidate) sure(bar Bar, now time.Time) bool {
	if c.Kind == "session" {
		return c.Evidence.Own && now.Sub(c.Evidence.Time) > freshly && said().Passes(c)
	}
	return bar.Passes(c)
}

// line tells of a match. Foreign words in it, a name or what a server says of its tool,
// have been made safe; what a skill says of itself is left out, since a project may have
// written it.
func line(m facts.Match, at facts.Moment) string {
	switch m.Kind {
	case "skill":
		return "A skill may help: " + m.Whole + "; to read it: " + read(at, m.Path)
	case "session":
		return "You may have done this before: " + read(at, m.Whole+"/digest.md")
	}
	text := "A tool may help: " + m.Signature
	if about := clean.Cut(m.Why, aboutLength); about != "" {
		text += " — " + about
	}
	return text + " Call: " + m.Use
}

// read returns how an agent reads a file of the tree.
func read(at facts.Moment, file string) string {
	if at.Root == "" {
		return "`ctxfs cat " + strings.TrimPrefix(file, "/") + "`"
	}
	return at.Path(file)
}
