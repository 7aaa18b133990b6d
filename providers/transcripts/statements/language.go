package statements

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/internal/words"
)

// language is how people state things in one language: regular expressions, matched
// without regard to case.
type language struct {
	// lead matches what may stand before a statement: "ok, and please".
	lead string
	// patterns match whole sentences behind the lead.
	patterns map[fs.StatementKind][]string
	// agent has further patterns for what agents say: of a person's, lessons are theirs.
	agent map[fs.StatementKind][]string
	// hints are words in small letters of which each sentence has one that agent matches;
	// looking for them is quicker.
	hints []string
	// guesses match sentences of an agent that is not sure, or not done.
	guesses string
	// lasting matches what says that something holds on, moment what binds it to the
	// moment: a sentence with the second and without the first is no statement.
	lasting, moment string
	// vetoes match sentences that only look like statements.
	vetoes []string
}

// grammar is a language, compiled.
type grammar struct {
	lead, lasting, moment, veto, guess *regexp.Regexp
	person, agent                      []pattern
	hints                              []string
	// ascii reports whether sentences may be in ASCII alone.
	ascii bool
}

type pattern struct {
	kind fs.StatementKind
	is   *regexp.Regexp
}

// order is the kinds in the order in which they are looked for: what has the words of
// two is the first.
var order = []fs.StatementKind{fs.Correction, fs.Rule, fs.Preference, fs.Decision, fs.Lesson}

// grammars compiles all languages, once and only where sessions are read.
var grammars = sync.OnceValue(func() (all []grammar) {
	for i, l := range []*language{english(), german(), spanish(), french(), portuguese(), chinese(), japanese(), russian()} {
		g := grammar{ascii: i < 5, lead: compile(`^(?:` + l.lead + `)`), lasting: compile(l.lasting), moment: compile(l.moment), veto: compile(strings.Join(l.vetoes, "|"))}
		g.guess, g.hints = compile(l.guesses), l.hints
		for _, k := range order {
			g.person = appendPattern(g.person, k, l.patterns[k])
			if k == fs.Lesson || k == fs.Decision {
				agents := l.agent[k]
				if k == fs.Lesson {
					agents = append(agents, l.patterns[k]...)
				}
				g.agent = appendPattern(g.agent, k, agents)
			}
		}
		all = append(all, g)
	}
	return all
})

func appendPattern(all []pattern, k fs.StatementKind, texts []string) []pattern {
	if len(texts) == 0 {
		return all
	}
	return append(all, pattern{k, compile(`^(?:` + strings.Join(texts, "|") + `)$`)})
}

// compile compiles an expression; of an empty one it returns nil, which matches nothing.
func compile(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	return regexp.MustCompile(`(?i)` + text)
}

func matches(r *regexp.Regexp, text string) bool { return r != nil && r.MatchString(text) }

// kindOf returns what a person's sentence states, which is given without the marks that
// it ends with, and the statement without what leads to it; "" if it states nothing that
// may hold on.
func (g *grammar) kindOf(sentence string) (fs.StatementKind, string) {
	if matches(g.moment, sentence) && !matches(g.lasting, sentence) {
		return "", ""
	}
	return g.first(g.person, sentence)
}

// kindByAgent is kindOf for a sentence of an agent: a decision, a lesson, or "".
func (g *grammar) kindByAgent(sentence string) (fs.StatementKind, string) {
	if len(g.hints) > 0 && !hasAny(strings.ToLower(sentence), g.hints) || matches(g.guess, sentence) {
		return "", ""
	}
	return g.first(g.agent, sentence)
}

// first returns the kind of the first pattern that matches a sentence, without what leads
// to it or with that.
func (g *grammar) first(patterns []pattern, sentence string) (fs.StatementKind, string) {
	if !g.ascii && words.ASCII(sentence) {
		return "", ""
	}
	rest := sentence[len(g.lead.FindString(sentence)):]
	for _, p := range patterns {
		for i, text := range []string{rest, sentence} {
			if i > 0 && rest == sentence || !p.is.MatchString(text) {
				continue
			}
			if matches(g.veto, rest) || matches(g.veto, sentence) {
				return "", ""
			}
			return p.kind, text
		}
	}
	return "", ""
}

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
