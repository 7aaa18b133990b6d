package fulltext

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

// Hit is a match: a block of a transcript, or a part of a long one.
type Hit struct {
	Text Text
	// Number is the number of the block; 0 for text before the first one.
	Number int
	// Offset is where the block begins in the transcript, and At where Line does. Only
	// hits in a [Section] have At; it is -1, and Line "", if only its name has the words.
	Offset, At int64
	// Time is when it was said; zero where the text does not have it.
	Time time.Time
	// Kind is the kind of the block: user, assistant, tool-call and so forth; Name
	// is the name of the tool, the origin of a user's text, or the name of a section.
	Kind, Name string
	// Line is the line that fits best. Further is one of the same section that has what
	// Line lacks, or "".
	Line, Further string
	// Score is for comparing the hits of one search.
	Score float64
	// Words says how well the block has each word of the query that it has, by the
	// word's stem, from 0 to 1: those outside of Line count elsewhere. Together is how many of them follow each other as in
	// the query, from 0 to 1.
	Words    map[string]float64
	Together float64

	body    uint64 // equal for equal texts
	section int64  // as Offset, in a [Section]
}

// lineLength is the longest Hit.Line, in bytes.
const lineLength = 160

// How much a piece gains beyond the score of its words.
const (
	coverPart  = 0.6 // of the score for having all words
	besideMore = 0.3 // for having all of them side by side
)

// kindWeight returns the weight of a kind of blocks: what people and models said
// matters more than what tools printed.
func kindWeight(kind string) float64 {
	switch kind {
	case "user", "assistant", "compaction":
		return 1.2
	case "tool-result", "system":
		return 0.9
	}
	return 1
}

// rank reads the text of candidates and returns them as hits. A candidate without
// any of the words, because its text has changed, is left out.
func (x *Index) rank(ctx context.Context, l *lexer, terms []queryTerm, candidates []candidate) (hits []Hit, err error) {
	seed := maphash.MakeSeed()
	var file File
	var open Text
	defer func() {
		if file != nil {
			_ = file.Close()
		}
	}()
	// By text, so that each is opened once.
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.text.Session, b.text.Session), cmp.Compare(a.start, b.start))
	})
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if file == nil || open.Session != c.text.Session {
			if file != nil {
				_ = file.Close()
			}
			if file, err = x.open(c.text); err != nil {
				file = nil
				continue // gone meanwhile
			}
			open = c.text
		}
		if x.sectioned != nil {
			hits = append(hits, x.sectionHits(l, file, terms, c, seed)...)
		} else if h, ok := l.hit(file, terms, c, seed, x.opts.Plain); ok {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), b.Text.Time.Compare(a.Text.Time),
			cmp.Compare(a.Text.Session, b.Text.Session), cmp.Compare(b.Number, a.Number))
	})
	return hits, nil
}

// longestHeading is how much of a block is searched for its heading, in bytes.
const longestHeading = 512

func (l *lexer) hit(f File, terms []queryTerm, c candidate, seed maphash.Seed, plain bool) (h Hit, ok bool) {
	text := make([]byte, c.end-c.start)
	if n, _ := f.ReadAt(text, c.start); n < len(text) {
		return h, false
	}
	head, body := []byte(nil), text
	if c.block == c.start {
		if _, rest, ok := cutHeading(text); ok {
			head, body = text[:len(text)-len(rest)], rest
		}
	} else {
		head = make([]byte, longestHeading)
		n, _ := f.ReadAt(head, c.block)
		head = head[:n]
	}
	about, _, headed := cutHeading(head)
	if !headed && c.block > 0 && !plain {
		return h, false // no block begins here any more
	}
	if !headed && about.name == "" {
		about.name = string(c.text.titleAt(c.start))
	}
	m := l.fitOf(terms, []byte(about.name), body)
	if m.covered == 0 {
		return h, false
	}
	best := m.best(terms, 0, 0, false)
	if best == nil {
		best = new(lineFit)
	}
	m.telling(terms, best.has)
	return Hit{
		Text: c.text, Number: about.number, Offset: c.block, Time: about.time, Kind: about.kind, Name: about.name,
		Line:  best.text(body),
		Score: c.score * (1 - coverPart + coverPart*m.covered) * (1 + besideMore*m.beside) * kindWeight(about.kind),
		Words: m.words, Together: m.beside,
		body: maphash.Bytes(seed, body),
	}, true
}

// fit is how well a piece matches a query.
type fit struct {
	covered float64            // share of the words that it has, by rarity
	beside  float64            // share of those that follow each other as in the query
	words   map[string]float64 // as in Hit
	inName  wordSet
	lines   []lineFit // those that have any of the words
}

// wordSet are words of a query, a bit for each.
type wordSet uint32

func (s wordSet) has(i int) bool { return s>>i&1 == 1 }

// lineFit is a line of a piece.
type lineFit struct {
	start int // in the piece
	at    int // where the first of the words is in it
	has   wordSet
}

// elsewhere is how much a word counts that is in a block, but not in the line that
// fits best.
const elsewhere = 0.6

// fitOf compares a piece with the words of a query, without stemming.
func (l *lexer) fitOf(terms []queryTerm, name, body []byte) (m fit) {
	var seen, beside wordSet
	last := -1
	match := func(texts []string) (has wordSet) {
		first, final := -1, -1
		for _, text := range texts {
			for i := range terms {
				if !terms[i].matches(text) {
					continue
				}
				has |= 1 << i
				if terms[i].joined {
					continue
				}
				if first < 0 {
					first = i
				} else if i == final+1 {
					beside |= 1 << i // parts of one identifier
				}
				final = i
			}
		}
		if first > 0 && last == first-1 || first > 1 && terms[first-1].joined && last == first-2 {
			beside |= 1 << first
		}
		last = final
		seen |= has
		return has
	}
	l.each(name, func(texts []string) { match(texts) })
	m.inName = seen
	last = -1
	for start := 0; start < len(body); {
		line, _, _ := bytes.Cut(body[start:], []byte("\n"))
		here := lineFit{start: start}
		l.eachAt(line, func(texts []string, at int) {
			has := match(texts)
			if here.has == 0 {
				here.at = at
			}
			here.has |= has
		})
		if here.has != 0 {
			m.lines = append(m.lines, here)
		}
		start += len(line) + 1
	}
	m.words = make(map[string]float64, len(terms))
	all, some, pairs, n := 0.0, 0.0, 0, 0
	for i, t := range terms {
		if t.joined {
			continue
		}
		// A word that is nowhere does not distinguish pieces.
		if t.pieces > 0 {
			all += t.rarity
		}
		if seen.has(i) {
			some += t.rarity
			m.words[words.Stem(t.word)] = t.weight * elsewhere
		}
		n++
		if beside.has(i) {
			pairs++
		}
	}
	if all > 0 {
		m.covered = min(1, some/all)
	}
	if n > 1 {
		m.beside = float64(pairs) / float64(n-1)
	}
	return m
}

// best returns the first of the lines that have most of the words, by rarity, or the
// last of them; or nil. The words of a set count less, as much as that says.
func (m *fit) best(terms []queryTerm, of wordSet, less float64, last bool) (line *lineFit) {
	best := 0.0
	for k := range m.lines {
		sum := 0.0
		for i, t := range terms {
			switch {
			case !m.lines[k].has.has(i):
			case of.has(i):
				sum += t.rarity * less
			default:
				sum += t.rarity
			}
		}
		if sum > best || last && sum == best && sum > 0 {
			best, line = sum, &m.lines[k]
		}
	}
	return line
}

// telling makes words count fully.
func (m *fit) telling(terms []queryTerm, has wordSet) {
	for i, t := range terms {
		if has.has(i) && !t.joined {
			m.words[words.Stem(t.word)] = t.weight
		}
	}
}

// text returns a line, or lineLength bytes of it around the first of the words. It is
// a line of the piece with that body.
func (l *lineFit) text(body []byte) string {
	line, _, _ := bytes.Cut(body[l.start:], []byte("\n"))
	const before = lineLength / 3
	cut := ""
	if l.at > before && len(line) > lineLength {
		start := min(l.at-before, len(line)-lineLength+len("…"))
		if i := bytes.IndexByte(line[start:l.at], ' '); i >= 0 {
			start += i + 1
		}
		line, cut = line[start:], "…"
	}
	text := strings.ToValidUTF8(string(line[:min(len(line), 4*lineLength)]), "")
	return cut + clean.Cut(clean.Line(text), lineLength-len(cut))
}

// chooseHits returns the best hits: no text twice, each block once, and only a few
// of one session.
func chooseHits(hits []Hit, limit int) (chosen []Hit) {
	most := max(2, limit/5)
	bySession := make(map[string]int)
	type block struct {
		session string
		number  int
		section int64 // where it begins
	}
	blocks := make(map[block]bool)
	texts := make(map[uint64]bool)
	var rest []Hit
	for _, h := range hits {
		b := block{h.Text.Session, h.Number, h.section}
		if blocks[b] || texts[h.body] {
			continue
		}
		blocks[b], texts[h.body] = true, true
		if bySession[h.Text.Session]++; bySession[h.Text.Session] > most {
			rest = append(rest, h)
			continue
		}
		if chosen = append(chosen, h); len(chosen) == limit {
			return chosen
		}
	}
	// Where there is room, more hits of a session are added.
	return append(chosen, rest[:min(len(rest), limit-len(chosen))]...)
}
