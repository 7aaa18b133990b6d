package learned

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/words"
)

const (
	// mostWants is how many wants are kept of one thing.
	mostWants = 16
	// mostOfSession is how many of them one session may give.
	mostOfSession = 3
	// halfLife is after how long a want counts half.
	halfLife = 120 * 24 * time.Hour
	// faded is the least weight of a want that is kept.
	faded = 0.05
	// saidWeight is how much the words of an agent count beside those of a person.
	saidWeight = 0.5
	// alike is from which share of words in common on two wants are one.
	alike = 0.7
)

// Topic is something that was used, and what had been wanted before.
type Topic struct {
	facts.Used
	// Uses is how many uses are known; Failed of these failed or were denied.
	Uses   int `json:"uses"`
	Failed int `json:"failed,omitempty"`
	// Last is the time of the last one.
	Last time.Time `json:"last,omitzero"`
	// Wants are the ones that count most, without similar ones.
	Wants []Want `json:"wants"`
}

// Want is a request that preceded a use.
type Want struct {
	Text string `json:"want"`
	// Weight is how much it counts, from -1 to 1: below 0 where what was used then
	// failed more often than not.
	Weight float64 `json:"weight"`
	// Sessions is in how many sessions or logs it was wanted. Session is the last of
	// them, which has a path in the tree, or "".
	Sessions int       `json:"sessions"`
	Session  string    `json:"session"`
	Path     string    `json:"path,omitempty"`
	Last     time.Time `json:"last,omitzero"`
}

// Topics returns what was learned, by name. What was used without a want is counted
// only.
func (b *Book) Topics(now time.Time) []Topic {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := make(map[facts.Used]*subject)
	var order []*subject
	for _, p := range b.Parts() {
		for _, u := range p.Facts {
			if slices.ContainsFunc(b.forgotten, func(f Forgotten) bool { return f.covers(u) }) {
				continue
			}
			k := u.Used
			s := of[k]
			if s == nil {
				s = &subject{Topic: Topic{Used: u.Used}}
				of[k] = s
				order = append(order, s)
			}
			s.add(&p, u)
		}
	}
	topics := make([]Topic, 0, len(order))
	skip := words.Set(words.Function, words.Courtesies)
	for _, s := range order {
		s.Wants = s.best(now, skip)
		topics = append(topics, s.Topic)
	}
	slices.SortFunc(topics, func(x, y Topic) int { return compareUsed(x.Used, y.Used) })
	return topics
}

func compareUsed(x, y facts.Used) int {
	return cmp.Or(strings.Compare(x.Kind, y.Kind), strings.Compare(x.Server, y.Server), strings.Compare(x.Name, y.Name))
}

// subject is a Topic that is being made.
type subject struct {
	Topic
	votes map[vote]*vote
}

// vote is what one part says about one want: once, however often it was said there.
type vote struct {
	part, text string

	weight        float64
	worked, ended int // uses, and all
	last          time.Time
	path          string
}

func (s *subject) add(p *facts.Part[facts.Use], u facts.Use) {
	s.Uses++
	if u.Outcome != facts.Worked {
		s.Failed++
	}
	s.Last = wording.Later(s.Last, u.Time)
	for _, said := range []vote{{text: u.Want, weight: 1}, {text: u.Said, weight: saidWeight}} {
		if said.text == "" {
			continue
		}
		k := vote{part: p.Name, text: said.text}
		v := s.votes[k]
		if v == nil {
			if s.votes == nil {
				s.votes = make(map[vote]*vote)
			}
			v = &vote{part: p.Name, text: said.text, weight: said.weight, path: p.Path}
			s.votes[k] = v
		}
		v.ended++
		if u.Outcome == facts.Worked {
			v.worked++
		}
		v.last = wording.Later(v.last, u.Time)
	}
}

// best returns the wants that count most. Those that are alike are one, which does
// not count more for being repeated: what counts is that words are in different wants.
// Skip are words that say nothing.
func (s *subject) best(now time.Time, skip map[string]bool) []Want {
	type candidate struct {
		Want
		stems map[string]bool
		net   float64 // votes for it, less those against
	}
	votes := slices.SortedFunc(maps.Values(s.votes), func(x, y *vote) int { // a person's first, then the newest
		return cmp.Or(cmp.Compare(y.weight, x.weight), y.last.Compare(x.last), strings.Compare(x.part, y.part), strings.Compare(x.text, y.text))
	})
	var kept []*candidate
	ofPart := make(map[string]int)
	for _, v := range votes {
		weight := v.weight * math.Exp2(-max(0, float64(now.Sub(v.last))/float64(halfLife)))
		if v.last.IsZero() {
			weight = v.weight / 2
		}
		stems := stemsOf(v.text, skip)
		if weight < faded || len(stems) == 0 {
			continue
		}
		net := float64(2*v.worked-v.ended) / float64(v.ended)
		if i := slices.IndexFunc(kept, func(c *candidate) bool { return overlap(c.stems, stems) >= alike }); i >= 0 {
			c := kept[i]
			if c.Session != v.part {
				c.Sessions++
			}
			c.net += net
			continue
		}
		if len(kept) == 4*mostWants || ofPart[v.part] == mostOfSession {
			continue
		}
		ofPart[v.part]++
		kept = append(kept, &candidate{Want: Want{Text: v.text, Weight: weight, Sessions: 1, Session: v.part, Path: v.path, Last: v.last}, stems: stems, net: net})
	}
	wants := make([]Want, 0, min(len(kept), mostWants))
	for _, c := range kept {
		c.Weight *= max(-1, min(1, c.net))
		if len(wants) < mostWants {
			wants = append(wants, c.Want)
		}
	}
	return wants
}

// stemsOf returns the words of a text, by their stems, except for some.
func stemsOf(text string, skip map[string]bool) map[string]bool {
	stems := make(map[string]bool)
	words.Split(text, func(w words.Word) {
		if !skip[w.Text] && w.Kind != words.Joined && w.Kind != words.Paired {
			stems[words.Stem(w.Text)] = true
		}
	})
	return stems
}

// overlap returns which share of the words of two texts is in both.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// keyOf returns a name by which all agents' names of a thing are equal: in lower case,
// and with "_" for everything else.
func keyOf(u facts.Used) facts.Used {
	if u.Server != "" {
		u.Name = u.Server + "_" + u.Name
	}
	return facts.Used{Kind: u.Kind, Name: Fold(u.Name)}
}

// Fold returns a name as agents may have to write it: in lower case, with "_" for
// every run of what is neither letter nor digit.
func Fold(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "_")
}

// same reports whether two names are of one thing.
func same(a, b facts.Used) bool { return keyOf(a) == keyOf(b) }
