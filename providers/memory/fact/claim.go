package fact

import (
	"strings"
	"unicode"

	"ctxfs/fs"
)

// claim is what a memory says, for comparing it with others.
type claim struct {
	// key is equal for texts that differ in letter case, punctuation and white space
	// only; about is the same of the description.
	key, about uint64
	// words are the telling words of the description, in their order and each as often
	// as it occurs. Before[i] is the small word that stands before words[i], or "".
	words, before []string
	// mask has a bit for each word: two words may have the same one.
	mask    uint64
	negated bool
	// ordered reports whether it puts one thing over another.
	ordered bool
}

// maxWords bounds the words of a claim.
const maxWords = 24

func claimOf(m *Memory) claim {
	c := claim{key: keyOf(m.Text), about: keyOf(m.Description)}
	last := ""
	for word := range wordsOf(m.Description) {
		switch {
		case isNegation(word):
			c.negated = true
			last = ""
		case isComparison(word):
			c.ordered = true
			last = word
		case isSmall(word):
			if !isArticle(word) {
				last = word
			}
		case len(c.words) < maxWords:
			word = singular(word)
			c.words = append(c.words, word)
			c.mask |= 1 << (fs.BytesVersion([]byte(word)) % 64)
			c.before = append(c.before, last)
			last = ""
		}
	}
	return c
}

// singular returns a word without the "s" of an English plural or verb.
func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && word[0] < 0x80 {
		return word[:len(word)-1]
	}
	return word
}

// keyOf returns a sum of the words of a text.
func keyOf(text string) uint64 {
	var b strings.Builder
	for word := range wordsOf(text) {
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return fs.BytesVersion([]byte(b.String()))
}

// wordsOf yields the words of a text in small letters. A Chinese or Japanese character
// is a word; in a number, a version or a path "." and the like do not end it.
func wordsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
		start := -1
		flush := func(end int) bool {
			if start < 0 {
				return true
			}
			word := strings.TrimRight(text[start:end], ".'-_/:@")
			start = -1
			return word == "" || yield(word)
		}
		for i, r := range text {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				if !flush(i) || !yield(string(r)) {
					return
				}
			case isWord(r) || unicode.IsMark(r):
				if start < 0 {
					start = i
				}
			case start >= 0 && strings.ContainsRune(".'-_/:@", r):
			default:
				if !flush(i) {
					return
				}
			}
		}
		flush(len(text))
	}
}

// isNegation reports whether a word turns what is said into its opposite.
func isNegation(word string) bool {
	switch word {
	case "not", "never", "no", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot", "mustn't", "shouldn't", "avoid", "without", "stop",
		"nicht", "nie", "niemals", "kein", "keine", "keinen", "ohne", "nunca", "jamás", "sin", "jamais", "pas", "ne", "sans", "não", "sem", "non", "mai",
		"не", "никогда", "нет", "без", "不", "别", "勿", "没":
		return true
	}
	return false
}

// isComparison reports whether a word stands between what is preferred and what is not.
func isComparison(word string) bool {
	switch word {
	case "over", "than", "instead", "rather", "statt", "als", "lieber", "que", "plutôt", "вместо":
		return true
	}
	return false
}

// isArticle reports whether a word may stand between a verb and what it is about.
func isArticle(word string) bool {
	switch word {
	case "the", "a", "an", "der", "die", "das", "den", "dem", "ein", "eine", "el", "la", "los", "las", "le", "les", "un", "une", "o", "os", "as", "il", "lo", "my", "our", "mein", "unser":
		return true
	}
	return false
}

// isLink reports whether a word is one after which the value stands that something has.
func isLink(word string) bool {
	switch word {
	case "is", "are", "was", "be", "in", "on", "at", "with", "to", "by", "from", "for", "as", "under", "via", "called", "named", "ist", "sind", "heißt", "auf", "mit", "bei", "unter",
		"es", "está", "son", "en", "con", "est", "sont", "avec", "é", "são", "em", "com", "è", "sono", "в", "на", "с", "是", "在", "は":
		return true
	}
	return false
}

// isSlot reports whether a word is one after which a number is a value that something has
// one of.
func isSlot(word string) bool {
	switch word {
	case "to", "by", "from", "for", "as":
		return false
	}
	return isLink(word)
}

// isCounted reports whether a word is one of what has numbers for names.
func isCounted(word string) bool {
	switch word {
	case "number", "no", "nr", "issue", "ticket", "bug", "pr", "request", "commit", "task", "step", "item", "thing", "topic", "test", "case", "incident",
		"chapter", "section", "page", "line", "part", "phase", "sprint", "milestone", "release", "round", "batch", "room", "team", "session", "rule", "day", "week":
		return true
	}
	return false
}

// isSmall reports whether a word tells nothing by itself.
func isSmall(word string) bool {
	switch word {
	case "of", "and", "or", "it", "its", "this", "that", "these", "we", "i", "you", "they", "he", "she", "user", "always", "please", "must", "should", "shall", "will", "all", "every", "any", "everything", "everywhere",
		"und", "oder", "wir", "ich", "man", "immer", "bitte", "soll", "muss", "von", "zu", "für", "y", "nosotros", "siempre", "de", "para", "et", "nous", "toujours", "e", "sempre", "и", "мы", "всегда",
		"的", "了", "总", "我", "们", "要", "を", "に", "の", "で", "が":
		return true
	}
	return isArticle(word) || isLink(word)
}
