package questions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxfs/providers/internal/rawjson"
)

// valuesOf returns the texts and numbers of an answer's fields that match.
func valuesOf(content json.RawMessage, matches func(name string) bool) (values []string) {
	for name, value := range rawjson.Parts(content) {
		if !matches(name) {
			continue
		}
		value = bytes.TrimSpace(value)
		switch text := ""; {
		case json.Unmarshal(value, &text) == nil:
			values = append(values, text)
		case bytes.HasPrefix(value, []byte("[")), bytes.HasPrefix(value, []byte("{")):
			values = append(values, valuesOf(value, func(string) bool { return true })...)
		case len(value) > leastAnswer && !slices.Contains([]string{"true", "false", "null"}, string(value)):
			values = append(values, string(value))
		}
	}
	return values
}

// escaped returns a text as within a JSON string.
func escaped(text string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string and a buffer: cannot fail
	return string(out.Bytes()[1 : out.Len()-2])
}

// answered replaces an answer in a text.
const answered = "[answered]"

// shortAnswer is the length in bytes below which an answer is replaced only where it
// is a word of its own, and leastAnswer that below which it is not replaced: it
// could not be told from other text.
const (
	shortAnswer = 8
	leastAnswer = 3
)

// withoutAnswers replaces values in a text, all or the secrets among them, as they
// are and as in a JSON string.
func withoutAnswers(text string, values []value, secrets bool) string {
	for _, is := range values {
		v := is.text
		if len(v) < leastAnswer || secrets && !is.secret {
			continue
		}
		text = withoutAnswer(text, v)
		if escaped := escaped(v); escaped != v {
			text = withoutAnswer(text, escaped)
		}
	}
	return text
}

func withoutAnswer(text, value string) string {
	if len(value) >= shortAnswer {
		return strings.ReplaceAll(text, value, answered)
	}
	var out strings.Builder
	for rest := text; ; {
		i := strings.Index(rest, value)
		if i < 0 {
			if out.Len() == 0 {
				return text
			}
			out.WriteString(rest)
			return out.String()
		}
		begin := len(text) - len(rest) + i
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[begin+len(value):])
		out.WriteString(rest[:i])
		if isWord(before) || isWord(after) {
			out.WriteString(value)
		} else {
			out.WriteString(answered)
		}
		rest = rest[i+len(value):]
	}
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
