package fact

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// Same reports whether two memories say the same, in words that differ in letter case,
// punctuation and white space only.
func Same(a, b *Memory) bool { return a.claim.key == b.claim.key }

// Key returns a number that is equal for memories that say the same.
func (m *Memory) Key() uint64 { return m.claim.key }

// About returns the number that a memory has whose text is the description of this one.
func (m *Memory) About() uint64 { return m.claim.about }

// KeyOf returns the number that a memory with that text has.
func KeyOf(text string) uint64 { return keyOf(cleaned(text)) }

// overlap reports whether there is a place where both memories hold.
func overlap(a, b *Memory) bool { return a.Scope == b.Scope || a.Scope == User || b.Scope == User }

// Differ reports whether two memories seem to contradict each other: they describe the
// same and then say something else; the one says that something holds, the other that it
// does not; or they give something another value. It knows words and not their meaning,
// so it is a reason to show both, and not one to drop either.
func Differ(a, b *Memory) bool { return strength(a, b) > 0 }

// How strongly two memories seem to contradict each other.
const (
	otherWords = iota + 1 // another value
	otherChoice
	opposite
	otherText // of one description
)

// strength returns how strongly two memories seem to contradict each other, and 0 if they
// do not.
func strength(a, b *Memory) int {
	if !overlap(a, b) || a.claim.key == b.claim.key {
		return 0
	}
	x, y := &a.claim, &b.claim
	is := func(kind int, holds bool) int {
		if holds {
			return kind
		}
		return 0
	}
	if x.about == y.about {
		// The longer one may just say more.
		return is(otherText, len(x.words) > 1 && !strings.Contains(a.Text, b.Text) && !strings.Contains(b.Text, a.Text))
	}
	if apart(x, y) {
		return 0
	}
	common, onlyX, onlyY := split(x.words, y.words)
	switch {
	case common == 0:
		return 0
	case len(onlyX) == 0 && len(onlyY) == 0 && x.negated == y.negated:
		// "tabs over spaces", "tabs, not spaces"
		return is(opposite, (x.ordered || x.negated) && (y.ordered || y.negated) && !slices.Equal(x.words, y.words))
	case x.negated != y.negated:
		if numbered(onlyX) && numbered(onlyY) {
			return 0 // of two things
		}
		return is(opposite, len(onlyX)+len(onlyY) <= max(1, common-1) || len(onlyX)+len(onlyY) == 2 && common == 2 && min(len(onlyX), len(onlyY)) == 0)
	case len(onlyX) == 0 || len(onlyY) == 0:
		return 0
	case alternatives(onlyX, onlyY):
		return otherChoice
	}
	return is(otherWords, otherValue(x, y, onlyX, onlyY))
}

// apart reports whether two claims have so many different words that they are not about
// the same, by their masks alone.
func apart(x, y *claim) bool {
	const most = 4 // as alternatives and otherValue have it
	onlyX, onlyY := bits.OnesCount64(x.mask&^y.mask), bits.OnesCount64(y.mask&^x.mask)
	if x.negated != y.negated {
		return onlyX+onlyY > min(len(x.words), len(y.words))
	}
	return onlyX > most || onlyY > most
}

// split returns how many words two lists have in common, and those that only one has.
func split(x, y []string) (common int, onlyX, onlyY []string) {
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		} else {
			onlyX = append(onlyX, w)
		}
	}
	for _, w := range y {
		if !slices.Contains(x, w) {
			onlyY = append(onlyY, w)
		}
	}
	return common, onlyX, onlyY
}

// otherValue reports whether two claims begin alike and end with another value, after a
// word such as "is" or "on".
func otherValue(x, y *claim, onlyX, onlyY []string) bool {
	const most = 2
	n := 0
	for n < len(x.words) && n < len(y.words) && x.words[n] == y.words[n] {
		n++
	}
	if n == 0 || len(onlyX) > most || len(onlyX) != len(onlyY) || n == len(x.words) || n == len(y.words) {
		return false
	}
	if numbered(onlyX) && numbered(onlyY) {
		return len(onlyX) == 1 && slices.Equal(x.words[n+1:], y.words[n+1:]) && otherNumber(x, n) && otherNumber(y, n)
	}
	tail := len(x.words)-n == len(onlyX) && len(y.words)-n == len(onlyY)
	return n >= 2 && tail && is("link", x.before[n]) && is("link", y.before[n])
}

// otherNumber reports whether the word with a number at n is the value of what stands
// before it: as a rule a number names one of many things, such as a test or a ticket.
func otherNumber(c *claim, n int) bool {
	const unit, date = 1, 2 // words after a number, hyphens in a date
	if len(c.words)-n-1 > unit || strings.Count(c.words[n], "-") == date {
		return false
	}
	if isSlot(c.before[n]) {
		return true // "the port is 8080"
	}
	// "it runs on Node 22"
	return n >= 3 && n == len(c.words)-1 && isSlot(c.before[n-1]) && unicode.IsDigit(rune(c.words[n][0])) && !is("counted", c.words[n-1])
}

// numbered reports whether one of these words has a digit.
func numbered(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) })
}

// alternatives reports whether two claims choose differently where one thing is chosen,
// and at most one of them says of what it speaks.
func alternatives(onlyX, onlyY []string) bool {
	const most = 4
	if len(onlyX) > most || len(onlyY) > most || len(onlyX) > 1 && len(onlyY) > 1 {
		return false
	}
	for _, w := range onlyX {
		if c := choiceOf(w); c != 0 && slices.ContainsFunc(onlyY, func(v string) bool { return choiceOf(v) == c }) {
			return true
		}
	}
	return false
}

// choiceOf returns the choice that a word belongs to, as singular returns it: things that
// exclude each other. It is 0 for other words.
func choiceOf(word string) int { return lists()["choice"][word] }

const (
	// telling is how many of a claim's rarest words it is looked up by. Two claims that
	// differ in two words each have two of four in common.
	telling = 4
	// crowded is how many claims may share a word by which they are compared.
	crowded = 24
	// mostOthers is how many memories one is shown to contradict, and mostPairs how many
	// pairs are shown.
	mostOthers = 2
	mostPairs  = 100
)

// Comparer finds memories that seem to contradict each other. It remembers what it has
// compared, so that only what is new costs time. It is not safe for concurrent use.
type Comparer struct {
	byWord  map[string][]*Memory // all whose claims have the word
	byAbout map[uint64][]*Memory // all of that description
	found   map[*Memory][]*Memory
	known   map[*Memory]bool
}

// NewComparer returns a Comparer that knows no memory.
func NewComparer() *Comparer {
	return &Comparer{
		byWord: make(map[string][]*Memory), byAbout: make(map[uint64][]*Memory),
		found: make(map[*Memory][]*Memory), known: make(map[*Memory]bool),
	}
}

// Differences returns for each of these memories those among them that seem to contradict
// it most, the strongest first, and how many pairs there are besides. Of a pair each has
// the other.
func (c *Comparer) Differences(all []*Memory) (shown map[*Memory][]*Memory, more int) {
	var added []*Memory
	now := make(map[*Memory]bool, len(all))
	for _, m := range all {
		now[m] = true
		if !c.known[m] {
			added = append(added, m)
		}
	}
	if len(c.known)+len(added) > len(now) {
		for m := range c.known {
			if !now[m] {
				c.remove(m)
			}
		}
	}
	c.known = now
	for _, m := range added {
		c.byAbout[m.claim.about] = append(c.byAbout[m.claim.about], m)
		for i, w := range m.claim.words {
			if !slices.Contains(m.claim.words[:i], w) {
				c.byWord[w] = append(c.byWord[w], m)
			}
		}
	}
	for _, m := range added {
		c.compare(m)
	}
	return c.strongest()
}

// strongest returns those of the pairs found that are shown, and how many are not.
func (c *Comparer) strongest() (shown map[*Memory][]*Memory, more int) {
	type pair struct {
		newer, older *Memory
		strength     int
	}
	var pairs []pair
	for m, others := range c.found {
		for _, o := range others {
			if order(m, o) < 0 {
				pairs = append(pairs, pair{m, o, strength(m, o)})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), order(a.newer, b.newer), order(a.older, b.older))
	})
	shown = make(map[*Memory][]*Memory)
	left := mostPairs
	for _, p := range pairs {
		if left == 0 || len(shown[p.newer]) == mostOthers || len(shown[p.older]) == mostOthers {
			more++
			continue
		}
		left--
		shown[p.newer] = append(shown[p.newer], p.older)
		shown[p.older] = append(shown[p.older], p.newer)
	}
	return shown, more
}

// order puts the newer memory first.
func order(a, b *Memory) int {
	return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path), strings.Compare(a.Part, b.Part), strings.Compare(a.Text, b.Text))
}

// remove forgets a memory.
func (c *Comparer) remove(m *Memory) {
	is := func(o *Memory) bool { return o == m }
	for _, w := range m.claim.words {
		if c.byWord[w] = slices.DeleteFunc(c.byWord[w], is); len(c.byWord[w]) == 0 {
			delete(c.byWord, w)
		}
	}
	if c.byAbout[m.claim.about] = slices.DeleteFunc(c.byAbout[m.claim.about], is); len(c.byAbout[m.claim.about]) == 0 {
		delete(c.byAbout, m.claim.about)
	}
	for _, o := range c.found[m] {
		if c.found[o] = slices.DeleteFunc(c.found[o], is); len(c.found[o]) == 0 {
			delete(c.found, o)
		}
	}
	delete(c.found, m)
}

// compare compares a memory with those that share its rarest words, or its description.
func (c *Comparer) compare(m *Memory) {
	type bucket struct {
		word string
		in   []*Memory
	}
	var buckets []bucket
	for _, w := range m.claim.words {
		if in := c.byWord[w]; len(in) > 1 && len(in) <= crowded {
			buckets = append(buckets, bucket{w, in})
		}
	}
	slices.SortFunc(buckets, func(a, b bucket) int {
		return cmp.Or(cmp.Compare(len(a.in), len(b.in)), strings.Compare(a.word, b.word))
	})
	buckets = buckets[:min(len(buckets), telling)]
	if in := c.byAbout[m.claim.about]; len(in) > 1 && len(in) <= crowded {
		buckets = append(buckets, bucket{"", in})
	}
	for _, b := range buckets {
		for _, o := range b.in {
			if o != m && Differ(m, o) && !slices.Contains(c.found[m], o) {
				c.found[m] = append(c.found[m], o)
				c.found[o] = append(c.found[o], m)
			}
		}
	}
}
