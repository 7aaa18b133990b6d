// Package statements finds in transcripts what may be worth remembering: sentences in
// which a person states a rule, a preference, a correction or a decision. It needs no
// model: words.txt has the words that such sentences begin with or have, and those of
// sentences that only look so.
//
// It prefers to miss some. Only a person's own words count (package spoken): what was
// pasted, quoted or said by a program is not, and neither is what agents say, nor what
// tools print.
package statements

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/spoken"
	"ctxfs/providers/internal/words"
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
)

// kinds are those of statements in the order in which they are looked for: what has the
// words of two is the first. What should be is a decision.
var kinds = []string{"correction", "rule", "preference", "decision", "should"}

// Read returns the statements in a transcript of a session that a person had. A
// subagent's transcript is not to be read: only another agent spoke in it.
func Read(transcript io.Reader) ([]facts.Statement, error) {
	var found []facts.Statement
	said := make(map[string]bool)
	err := render.Blocks(transcript, mostRead, func(b render.Block) {
		if b.Kind != event.User || b.Agent != "" || b.Name == event.Injected || b.Name == event.SDK || lists().have("program", plain(clean.Prefix(b.Body, 100))) {
			return
		}
		for _, line := range spoken.Own(b.Body) {
			if strings.HasPrefix(line, "/") { // a command of the agent's program
				continue
			}
			for _, sentence := range spoken.Sentences(line) {
				text, kind := lists().stated(sentence)
				if key := strings.ToLower(text); kind != "" && !said[key] {
					said[key] = true
					found = append(found, facts.Statement{Kind: kind, Text: text, Anchor: b.Anchor, Time: b.Time})
				}
			}
		}
	})
	return found[max(0, len(found)-mostStatements):], err
}

// stated returns a sentence on one line, without its marks and what leads to it, and what
// it states; "" if it asks something, hides something, or states nothing that may hold on.
func (l wordLists) stated(sentence string) (text, kind string) {
	if strings.ContainsAny(sentence, "?？") || len(sentence) > mostText {
		return "", ""
	}
	text = strings.Trim(clean.Line(spoken.Bare(sentence)), " -*•–—,;:")
	for {
		word, rest, more := strings.Cut(text, " ")
		if !more || !l.have("lead", plain(word)) {
			break
		}
		text = strings.TrimLeft(rest, " -–—,;:")
	}
	if len(text) < leastText || len(strings.Fields(text)) < leastWords && !strings.ContainsFunc(text, words.Spaceless) {
		return "", ""
	}
	said := plain(text)
	i := slices.IndexFunc(kinds, func(kind string) bool { return l.have(kind, said) && !l.have("not-"+kind, said) })
	if i < 0 || l.have("not", said) || mask.Text(text) != text || strings.Contains(text, "[REDACTED") {
		return "", ""
	}
	if kind = kinds[i]; kind == "should" {
		kind = "decision"
	}
	return text, kind
}

// plain returns the words of a text in small letters with a space before and after each,
// and a comma for each mark between them.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '’':
			return '\''
		case strings.ContainsRune("，、；：！,;:!", r):
			return ','
		case strings.ContainsRune("\"()[]{}`*", r):
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
	return " " + strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " , ")), " ") + " "
}

// wordLists are the phrases of words.txt by what they say of a sentence.
type wordLists map[string][]phrase

// phrase is words that a sentence begins with (^), has (~) or ends with ($).
type phrase struct {
	where string
	parts []string // in their order, with other words between them
}

//go:embed words.txt
var wordsText string

// lists reads words.txt, which says how it is written.
var lists = sync.OnceValue(func() wordLists {
	l := make(wordLists)
	for line := range strings.Lines(wordsText) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		for one := range strings.SplitSeq(fields[2], "|") {
			for _, text := range expand(one) {
				p := phrase{where: fields[1]}
				for i, part := range strings.Split(text, "…") {
					part = strings.Join(strings.Fields(part), " ")
					if !strings.ContainsFunc(part, words.Spaceless) {
						part = " " + part + " "
					} else if i == 0 && p.where == "^" {
						part = " " + part
					}
					p.parts = append(p.parts, part)
				}
				l[fields[0]] = append(l[fields[0]], p)
			}
		}
	}
	return l
})

// expand returns a text for each way to choose from its lists: "we {use,avoid}".
func expand(text string) (all []string) {
	before, rest, ok := strings.Cut(text, "{")
	if !ok {
		return []string{text}
	}
	list, rest, _ := strings.Cut(rest, "}")
	for choice := range strings.SplitSeq(list, ",") {
		for _, after := range expand(rest) {
			all = append(all, before+choice+after)
		}
	}
	return all
}

// have reports whether a sentence, as plain has it, has one of the phrases of a list.
func (l wordLists) have(list, said string) bool {
	return slices.ContainsFunc(l[list], func(p phrase) bool {
		rest := said
		for i, part := range p.parts {
			at := strings.Index(rest, part)
			if at < 0 || i == 0 && p.where == "^" && at > 0 {
				return false
			}
			rest = rest[at+len(part):]
		}
		return p.where != "$" || strings.HasSuffix(said, p.parts[len(p.parts)-1])
	})
}
