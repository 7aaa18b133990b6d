package fact

import (
	"cmp"
	"strings"
	"unicode"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// Describe returns the first sentence of a text, without Markdown's marks: what describes
// a memory that has no description. A heading of a word or two says too little.
func Describe(text string) string {
	marks := strings.NewReplacer("**", "", "__", "", "`", "'")
	heading, paragraph := "", ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		isHeading := strings.HasPrefix(trimmed, "#")
		plain := strings.TrimSpace(marks.Replace(strings.TrimLeft(trimmed, "#>*-+ \t")))
		switch {
		case !strings.ContainsFunc(plain, isWord):
			if paragraph != "" {
				return clean.Sentence(paragraph, MaxDescription)
			}
		case isHeading && paragraph != "":
			return clean.Sentence(paragraph, MaxDescription)
		case isHeading:
			heading = cmp.Or(heading, plain)
			if len(strings.Fields(plain)) > 2 {
				return clean.Sentence(plain, MaxDescription)
			}
		case paragraph != "" && strings.ContainsAny(trimmed[:1], "-*+>|"):
			return clean.Sentence(paragraph, MaxDescription) // a list below it
		default:
			paragraph = strings.TrimSpace(paragraph + " " + plain)
			if len(paragraph) > 2*MaxDescription {
				return clean.Sentence(paragraph, MaxDescription)
			}
		}
	}
	return clean.Sentence(cmp.Or(paragraph, heading, strings.TrimSpace(text)), MaxDescription)
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
