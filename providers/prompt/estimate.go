package prompt

import (
	"strings"
	"unicode/utf8"
)

// estimated is the most that a page of names can cost. What is always said of a
// folder was counted when it was written; everything else counts as most.
func estimated(p *plan, _ string) int {
	n := frameTokens
	for _, s := range p.sections {
		n += s.most()
	}
	return n
}

// frameTokens are the tokens of what begins and ends every page, at most.
const frameTokens = 89

// most is how many tokens the section has at most. Items are named, not told of.
func (s *section) most() int {
	fixed := s.tokens
	if fixed == 0 {
		fixed = most("\n## " + s.folder + "/: " + s.none + "\n\n" + s.lead)
	}
	if s.empty || s.silent {
		return fixed
	}
	var names strings.Builder
	s.line(&names)
	return fixed + most(names.String()) + most("none\n")
}

// most is how many tokens a text has at most: as many as bytes, but that of two
// lowercase letters side by side, of which most pairs are a token, at least one
// shares a token with a neighbour: merging ends only where no two that could be
// one stand side by side. What follows an apostrophe may be cut from its word.
func most(text string) int {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	n, run, cut := 0, 0, false // run letters so far
	for i := range len(text) {
		switch c := text[i]; {
		case c < 'a' || c > 'z':
			n += 1 + mostOf(run)
			run, cut = 0, c == '\''
		case cut:
			n++
		case run > 0 && strings.Contains(apart, text[i-1:i+1]+" "):
			n += mostOf(run)
			run = 1
		default:
			run++
		}
	}
	return n + mostOf(run)
}

// apart are the pairs of lowercase letters that are no token.
const apart = "bq gk gq jv jz kq kz lq nq qf qg qj qk qv qz rj tq wq wz xg xj xk xq xv xw yq zj zq zv "

// mostOf is how many tokens begin in so many letters at most: every other one
// has two.
func mostOf(letters int) int { return (2*letters + 2) / 3 }
