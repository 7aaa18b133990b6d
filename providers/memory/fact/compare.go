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
func overlap(a, b *Memory) bool {
	return a.Scope == b.Scope || a.Scope == User || b.Scope == User
}

// Differ reports whether two memories seem to contradict each other: they describe the
// same and then say something else; the one says that something holds, the other that it
// does not; or they give something another value. It knows words and not their meaning,
// so it is a reason to show both, and not one to drop either.
func Differ(a, b *Memory) bool {
	if !overlap(a, b) || a.claim.key == b.claim.key {
		return false
	}
	x, y := &a.claim, &b.claim
	if x.about == y.about {
		// The longer one may just say more.
		return len(x.words) > 1 && !strings.Contains(a.Text, b.Text) && !strings.Contains(b.Text, a.Text)
	}
	if apart(x, y) {
		return false
	}
	common, onlyX, onlyY := split(x.words, y.words)
	switch {
	case common == 0:
		return false
	case len(onlyX) == 0 && len(onlyY) == 0 && x.negated == y.negated:
		// "tabs over spaces", "tabs, not spaces"
		return (x.ordered || x.negated) && (y.ordered || y.negated) && !slices.Equal(x.words, y.words)
	case x.negated != y.negated:
		return len(onlyX)+len(onlyY) <= max(1, common-1) || len(onlyX)+len(onlyY) == 2 && common == 2 && min(len(onlyX), len(onlyY)) == 0
	case len(onlyX) == 0 || len(onlyY) == 0:
		return false
	}
	return alternatives(onlyX, onlyY) || otherValue(x, y, onlyX, onlyY)
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

// otherValue reports whether two claims begin alike and end with another value: after a
// word such as "is" or "on", or where the values are numbers.
func otherValue(x, y *claim, onlyX, onlyY []string) bool {
	const most = 2
	n := 0
	for n < len(x.words) && n < len(y.words) && x.words[n] == y.words[n] {
		n++
	}
	if n == 0 || len(onlyX) > most || len(onlyX) != len(onlyY) || n == len(x.words) || n == len(y.words) {
		return false
	}
	if numbers(onlyX) && numbers(onlyY) {
		return 2*n >= len(x.words) && 2*n >= len(y.words) // it is no number that names what it is about
	}
	tail := len(x.words)-n == len(onlyX) && len(y.words)-n == len(onlyY)
	return n >= 2 && tail && isLink(x.before[n]) && isLink(y.before[n])
}

func numbers(words []string) bool {
	for _, w := range words {
		if !strings.ContainsFunc(w, unicode.IsDigit) {
			return false
		}
	}
	return true
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

// choiceOf returns which choice a word is one of, as singular returns it: things of which
// one is used. It is 0 for other words.
func choiceOf(word string) int {
	switch word {
	case "tab", "space", "tabulator", "leerzeichen", "espacio", "tabulacione", "espace", "tabulation":
		return 1
	case "npm", "pnpm", "yarn", "bun":
		return 2
	case "pip", "uv", "poetry", "conda", "pipenv":
		return 3
	case "pytest", "unittest", "nose":
		return 4
	case "jest", "vitest", "mocha", "ava":
		return 5
	case "merge", "rebase", "squash":
		return 6
	case "main", "master", "trunk", "develop":
		return 7
	case "single", "double":
		return 8
	case "camelcase", "snake_case", "kebab-case", "pascalcase":
		return 9
	case "postgre", "postgresql", "mysql", "mariadb", "sqlite", "mongodb":
		return 10
	case "docker", "podman":
		return 11
	case "vim", "emac", "nano", "neovim":
		return 12
	case "bash", "zsh", "fish":
		return 13
	case "light", "dark":
		return 14
	case "english", "german", "french", "spanish", "chinese", "japanese", "russian", "portuguese", "deutsch", "englisch":
		return 15
	case "cent", "float", "decimal":
		return 16
	case "utc", "local":
		return 17
	case "enabled", "disabled":
		return 18
	case "true", "false":
		return 19
	case "short", "long", "brief", "detailed":
		return 22
	case "synchronou", "asynchronou":
		return 23
	case "rest", "graphql", "grpc":
		return 24
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return 25
	}
	return 0
}

const (
	// telling is how many of a claim's rarest words it is looked up by. Two claims that
	// differ in two words each have two of four in common.
	telling = 4
	// crowded is how many claims may share a word by which they are compared.
	crowded = 24
	// mostDifferences bounds what is said beside one memory.
	mostDifferences = 5
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
// it, the newest first. The answer is not written to, and valid until the next call.
func (c *Comparer) Differences(all []*Memory) map[*Memory][]*Memory {
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
	return c.found
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
		if c.found[o] = slices.DeleteFunc(slices.Clone(c.found[o]), is); len(c.found[o]) == 0 {
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
				c.note(m, o)
				c.note(o, m)
			}
		}
	}
}

// note records that a memory differs from another one.
func (c *Comparer) note(m, from *Memory) {
	others := append(slices.Clone(c.found[m]), from)
	slices.SortFunc(others, func(a, b *Memory) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path), strings.Compare(a.Part, b.Part))
	})
	c.found[m] = others
}

// Shown returns those of the memories that contradict one that are named beside it.
func Shown(others []*Memory) []*Memory { return others[:min(len(others), mostDifferences)] }
