package fact

import (
	"cmp"
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
	crowded = 12
	// mostDifferences bounds what is said beside one memory.
	mostDifferences = 5
)

// Differences returns for each memory those that seem to contradict it, the newest first.
// The memories are those of all scopes.
func Differences(all []*Memory) map[*Memory][]*Memory {
	count := make(map[string]int, len(all))
	for _, m := range all {
		for _, w := range m.claim.words {
			count[w]++
		}
	}
	byWord := make(map[string][]int32, len(all))
	byAbout := make(map[uint64][]int32, len(all))
	var order []string
	for i, m := range all {
		order = append(order[:0], m.claim.words...)
		slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(count[a], count[b]), strings.Compare(a, b)) })
		order = slices.Compact(order)
		for _, w := range order[:min(len(order), telling)] {
			if count[w] > 1 {
				byWord[w] = append(byWord[w], int32(i))
			}
		}
		byAbout[m.claim.about] = append(byAbout[m.claim.about], int32(i))
	}
	found := make(map[*Memory][]*Memory)
	compare := func(bucket []int32) {
		if len(bucket) < 2 || len(bucket) > crowded {
			return
		}
		for i, a := range bucket {
			for _, b := range bucket[i+1:] {
				if x, y := all[a], all[b]; Differ(x, y) && !slices.Contains(found[x], y) {
					found[x], found[y] = append(found[x], y), append(found[y], x)
				}
			}
		}
	}
	for _, bucket := range byWord {
		compare(bucket)
	}
	for _, bucket := range byAbout {
		compare(bucket)
	}
	for _, others := range found {
		slices.SortFunc(others, func(a, b *Memory) int {
			return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path), strings.Compare(a.Part, b.Part))
		})
	}
	for m, others := range found {
		found[m] = others[:min(len(others), mostDifferences)]
	}
	return found
}
