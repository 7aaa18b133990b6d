package questions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxfs/fs/form"
	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/regexps"
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
	line, _ := jsonscan.Line(text) // a string always encodes
	return string(line[1 : len(line)-2])
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

// secretWords are words of a question that asks for a secret.
var secretWords = regexps.Lazy(`(?i)\b(pass ?words?|pass ?phrases?|passwort|pass ?codes?|contraseña|mot de passe|secrets?|api[ _-]?keys?|access[ _-]?keys?|private[ _-]?keys?|secret[ _-]?keys?|(access|auth|bearer|refresh|api|personal|session|security|id|your|the|an?) tokens?|credentials?|pin (?:codes?|numbers?)|(?:your|my|card|sim|account|security|login) pin|(?-i:PIN)|otp|one[- ]time (code|password)|2fa code|verification code|recovery (code|phrase)|seed phrase|cvv|cvc|card number|social security number|ssn|iban)\b`)

// pinName are the names and titles of fields that ask for a PIN; in a sentence "pin"
// is mostly a verb.
var pinName = regexps.Lazy(`(?i)\bpin$`)

// refusals are parts of a text that ask for no secret, but to give none.
var refusals = regexps.Lazy(`(?i)\b(do not|don't|never|not?|without)\b[^.;)]*`)

func asksSecret(text string) bool {
	return secretWords().MatchString(refusals().ReplaceAllString(text, ""))
}

// namesSecret reports whether a name or title is that of a field for a secret.
func namesSecret(name string) bool { return pinName().MatchString(name) || asksSecret(name) }

// secretFields returns the names of the fields of a form that seem to ask for a
// secret, by their names, formats and texts. A field with choices asks for none. If
// the message asks for one and no field does, every field of free text may be it.
func secretFields(message string, fields []form.Field) (secrets []string) {
	var free []string
	for _, f := range fields {
		if f.Type == "boolean" || len(f.Choices) > 0 {
			continue
		}
		if f.Type == "string" {
			free = append(free, f.Name)
		}
		numeric := f.Type == "number" || f.Type == "integer"
		const random = "q7ZkP2mXw9Lr4TbV" // a value that looks like a token
		if f.Format == "password" || !numeric && mask.Field(f.Name, random) != random || namesSecret(spaced(f.Name)) || namesSecret(f.Title) || asksSecret(f.Description) {
			secrets = append(secrets, f.Name)
		}
	}
	if len(secrets) == 0 && asksSecret(message) {
		return free
	}
	return secrets
}

// spaced returns a name as words: "apiKey" and "api_key" are "api key".
func spaced(name string) string {
	var out strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			out.WriteByte(' ')
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}

// secretWarning returns the warning about fields that ask for secrets.
func secretWarning(secrets []string) string {
	if len(secrets) == 0 {
		return ""
	}
	shown := make([]string, len(secrets))
	for i, name := range secrets {
		shown[i] = clean.Cut(clean.Line(name), 60)
	}
	return "it seems to ask for a secret (" + wording.List(shown, 5) + "), which servers must not do by a form: what is answered reaches the server and whoever runs it; decline if in doubt"
}
