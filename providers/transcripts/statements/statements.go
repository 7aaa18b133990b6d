// Package statements finds in transcripts what may be worth remembering: sentences in
// which a person states a rule, a preference or a correction, and decisions and lessons
// of a person or an agent. It needs no model: each language has a table of how such
// sentences begin (language.go, and a file for each family of languages).
//
// It prefers to miss some. An instruction for the moment, a question, a guess, and what
// a sentence says of something that only its neighbours name are no statements. Of a
// person only own words count (package spoken): what was pasted, quoted or said by a
// program is not, and neither are results of tools, whatever they say. From those one
// thing is taken: that a command was not to be had, and which one was (commands.go).
package statements

import (
	"io"
	"strings"
	"unicode"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/internal/spoken"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

const (
	// mostStatements is how many statements of one session are taken, the last ones.
	mostStatements = 60
	// leastText and mostText bound the length of a statement, in bytes, leastWords the
	// words of one in a script with spaces.
	leastText  = 12
	mostText   = 360
	leastWords = 3
	// mostRead is how much of a block is read, in bytes.
	mostRead = 8 << 10
	// mostBefore is the length of what the agent had said before a correction.
	mostBefore = 160
)

// Read returns the statements in a transcript of a session that a person had. One of a
// subagent is not to be read: nobody spoke in it but another agent.
func Read(transcript io.Reader) ([]fs.Statement, error) {
	r := &reader{said: make(map[string]bool), calls: make(map[string]call)}
	if err := render.Blocks(transcript, mostRead, r.block); err != nil {
		return nil, err
	}
	return r.found[max(0, len(r.found)-mostStatements):], nil
}

// reader reads the blocks of one transcript.
type reader struct {
	found  []fs.Statement
	said   map[string]bool // the texts of what was found
	last   string          // what the agent said last
	calls  map[string]call // of a shell, without a result, by their ids
	failed []failure       // that no command has done better since
}

func (r *reader) block(b render.Block) {
	switch {
	case b.Agent != "": // of a subagent
	case b.Kind == event.User:
		r.heard(b)
	case b.Kind == event.Assistant:
		r.told(b)
	case b.Kind == event.ToolCall:
		r.called(b)
	case b.Kind == event.ToolResult:
		r.ended(b)
	}
}

// programmed matches what a program begins with that speaks in a person's name.
var programmed = regexps.Lazy(`^\s*(?:You are (?:an?|the|now)\b|You['’]re going to\b|Your (?:task|job|role|goal) is\b|Implement the following plan\b|This session is being continued\b|Caveat: )`)

// heard takes what a person said.
func (r *reader) heard(b render.Block) {
	if b.Name == event.Injected || b.Name == event.SDK || programmed().MatchString(b.Body) {
		return
	}
	for _, line := range spoken.Own(b.Body) {
		if strings.HasPrefix(line, "/") { // a command of the agent's program
			continue
		}
		for _, sentence := range spoken.Sentences(line) {
			text, ok := statable(sentence)
			if !ok {
				continue
			}
			for _, g := range grammars() {
				kind, said := g.kindOf(text)
				if kind == "" {
					continue
				}
				one := fs.Statement{Kind: kind, Text: said, Anchor: b.Anchor, Time: b.Time}
				if kind == fs.Correction {
					one.Before = r.last
				}
				r.take(one)
				break
			}
		}
	}
}

// told takes what the agent said.
func (r *reader) told(b render.Block) {
	for _, line := range spoken.Lines(b.Body) {
		for _, sentence := range spoken.Sentences(strings.ReplaceAll(line, "**", "")) {
			text, ok := statable(sentence)
			if !ok {
				continue
			}
			for _, g := range grammars() {
				if kind, said := g.kindByAgent(text); kind != "" {
					r.take(fs.Statement{Kind: kind, Text: said, ByAgent: true, Anchor: b.Anchor, Time: b.Time})
					break
				}
			}
		}
	}
	if last := spoken.Last(b.Body); last != "" {
		r.last = clean.Cut(clean.Line(last), mostBefore)
	}
}

// take adds a statement, unless it was made already.
func (r *reader) take(s fs.Statement) {
	key := strings.ToLower(s.Text)
	if r.said[key] {
		return
	}
	r.said[key] = true
	r.found = append(r.found, s)
}

// statable returns a sentence on one line and without its marks, and reports whether it
// may state something: it asks nothing, hides nothing, and is no fragment.
func statable(sentence string) (string, bool) {
	if strings.ContainsAny(sentence, "?？") || len(sentence) > mostText {
		return "", false
	}
	text := strings.TrimLeft(clean.Line(spoken.Bare(sentence)), "-*•–— ")
	text = strings.TrimRight(text, " ,;:-")
	if len(text) < leastText || mask.Text(text) != text || strings.Contains(text, "[REDACTED") {
		return "", false
	}
	return text, len(strings.Fields(text)) >= leastWords || spaceless(text)
}

// spaceless reports whether a text is in a script that has no spaces between words.
func spaceless(text string) bool {
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return true
		}
	}
	return false
}
