package find

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

// Answer is what was found for one want.
type Answer struct {
	Want    string
	Matches []facts.Match // the best first
}

// How much a list says of the matches that can be called or have a telling name: of
// the first ones that are about as good as the best all that it takes to use them, of
// more what they are for, of the rest their names. Whatever else was found has a line.
const (
	mostUsed   = 3
	usedFrom   = 0.8 // of the best score
	mostTold   = 5
	toldFrom   = 0.6
	usedLength = 160 // bytes of a sentence
	toldLength = 100
)

// List returns the list of what was found, as people and agents read it: the best
// first, in as few words as it takes to use what was found. With several wants each
// has a heading, and what one has already in full the next only names. Commands are
// the lines that call a tool; without them there are only signatures.
func List(answers []Answer, commands bool) string {
	l := list{commands: commands, told: make(map[string]bool)}
	for i, a := range answers {
		if len(answers) > 1 {
			if i > 0 {
				l.WriteByte('\n')
			}
			fmt.Fprintf(&l, "# %s\n", clean.Line(a.Want))
		}
		l.answer(a.Matches)
	}
	return l.String()
}

// list is a list that is being written.
type list struct {
	strings.Builder
	commands bool
	told     map[string]bool // by path: in full, for an earlier want
}

func (l *list) answer(matches []facts.Match) {
	if len(matches) == 0 {
		l.WriteString("nothing fits\n")
		return
	}
	best := matches[0].Score
	if best < GoodScore {
		l.WriteString("nothing good; nearest:\n")
	}
	var named, more []string
	used, told := 0, 0
	for _, m := range matches {
		if m.More > 0 {
			more = append(more, fmt.Sprintf("%d more in %s", m.More, m.In))
		}
		name := nameOf(m)
		switch {
		case name != "" && l.told[m.Path]:
			named = append(named, name)
		case name == "":
			fmt.Fprintf(l, "%s — %s\n", m.Path, m.Why)
		case used < mostUsed && m.Score >= usedFrom*best:
			used++
			l.told[m.Path] = true
			l.tell(m, name, usedLength)
			if l.commands && m.Use != "" {
				l.WriteString("  " + m.Use + "\n")
			}
		case used+told < mostTold && m.Score >= toldFrom*best:
			told++
			l.tell(m, name, toldLength)
		default:
			named = append(named, name)
		}
	}
	if rest := strings.Join(slices.Concat(named, more), ", "); rest != "" {
		fmt.Fprintf(l, "also: %s\n", rest)
	}
}

// tell writes a line of what something takes and what it is for.
func (l *list) tell(m facts.Match, name string, length int) {
	if m.Signature != "" {
		name = m.Signature
	}
	l.WriteString(name)
	if m.Why != "" {
		l.WriteString(" — " + clean.Cut(m.Why, length))
	}
	l.WriteByte('\n')
}

// nameOf returns the name of a match whose name tells what it is: a tool, a prompt, a
// resource, a skill; "" for others, which are described by the line that was found. A
// tool's is that of its signature, from which its path follows.
func nameOf(m facts.Match) string {
	switch {
	case m.Signature != "":
		name, _, _ := strings.Cut(m.Signature, "(")
		return name
	case m.Use != "" || m.Kind == "skill":
		return m.Path
	}
	return ""
}
