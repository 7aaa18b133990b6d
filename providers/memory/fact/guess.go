package fact

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// Describe returns the first sentence of a text, without Markdown's marks: what describes
// a memory that has no description.
func Describe(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		heading := strings.HasPrefix(line, "#")
		line = strings.TrimLeft(line, "#>*-+ \t")
		line = strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "'").Replace(line))
		if !strings.ContainsFunc(line, isWord) || heading && isTitle(line) && strings.Count(text, "\n") > 0 {
			continue
		}
		return clean.Sentence(line, MaxDescription)
	}
	return clean.Sentence(strings.TrimLeft(text, "#>*-+ \t\n"), MaxDescription)
}

// isTitle reports whether a heading says nothing by itself.
func isTitle(heading string) bool {
	return slices.Contains([]string{"memory", "memories", "notes", "note", "summary", "index", "facts", "user", "project"}, strings.ToLower(heading))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// NameOf returns the name of a memory without one: the first words of its description.
func NameOf(description string) string {
	words := strings.FieldsFunc(clean.Prefix(clean.Line(description), 120), func(r rune) bool { return !isWord(r) && !unicode.IsMark(r) })
	return names.File(cmp.Or(strings.ToLower(strings.Join(words[:min(len(words), 6)], "-")), "memory"))
}

// signs begin or stand in sentences of a type, in small letters. What stands first is
// looked for first.
func signs() []struct {
	is    Type
	words []string
} {
	return []struct {
		is    Type
		words []string
	}{
		{Preference, []string{
			"prefer", "please ", "always ", "never ", "don't ", "do not ", "i like ", "i want ", "i hate ", "likes ", "wants ",
			"bevorzug", "immer ", "niemals ", "nie ", "bitte ", "siempre ", "nunca ", "prefier", "toujours ", "jamais ", "préfèr", "sempre ",
			"总是", "不要", "喜欢", "偏好", "いつも", "必ず", "してください", "всегда ", "никогда ",
		}},
		{Decision, []string{
			"we decided", "decided ", "decision", "we chose", "chosen ", "instead of ", "we use ", "agreed ", "entschieden", "decidimos", "décid", "决定", "決め", "решили",
		}},
		{Lesson, []string{
			"root cause", "turned out", "turns out", "lesson", "learned", "because ", "fails ", "fails if", "breaks ", "workaround", "gotcha", "beware", "must be run before", "ursache", "原因", "причина",
		}},
	}
}

// Guess returns the type that a sentence suggests; it is a fact if nothing does.
func Guess(sentence string) Type {
	s := strings.ToLower(sentence) + " "
	for _, sign := range signs() {
		for _, word := range sign.words {
			if i := strings.Index(s, word); i >= 0 && (i == 0 || word[0] >= 0x80 || !isWord(rune(s[i-1]))) {
				return sign.is
			}
		}
	}
	return Fact
}
