// Package questions holds what servers ask back while they work on a call, until a
// person or an agent answers: values for a form, to open an address, or the answer
// of a language model.
//
// A call that may be asked has an [Asker]. [Asker.Ask] judges a question of its
// server (question.go, form.go, values.go), opens it in the [Store] (store.go), and
// waits: for [Store.Answer] (fill.go), for the end of the question's time, or for
// the end of the call. [Sampling] runs the command that answers in place of a
// language model (sampler.go).
//
// Questions and answers are in memory only. An answer reaches the server and
// nothing else: [Asker.Redact] takes it out of all that is written to files.
//
// Source of the forms: modelcontextprotocol.io/specification, client/elicitation
// and client/sampling, 2025-11-25.
package questions

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/arguments"
)

// Question is an open question of a server.
type Question struct{ form.Question }

// Line returns the question as one line: the question and its server, until when it
// waits, and the command that answers.
func (q *Question) Line() string {
	if q.Opened {
		return fmt.Sprintf("%s: %s/%s %s; until %s; %s", q.ID, q.Server, q.Tool, q.asks(), wording.Time(q.Until), q.Warning)
	}
	return fmt.Sprintf("%s: %s/%s %s; until %s; to answer: %s", q.ID, q.Server, q.Tool, q.asks(), wording.Time(q.Until), q.Answer)
}

// asks returns what the question asks for, as a predicate.
func (q *Question) asks() string {
	text := strings.TrimRight(shortened(q.Message), " .:;,")
	switch q.Kind {
	case form.AskURL:
		return fmt.Sprintf("asks to open an address of %s: %s (%s)", q.Host, text, q.URL)
	case form.AskSampling:
		return "asks a language model: " + text
	}
	return "asks: " + text
}

// Shown returns the question as it is presented: with the fields of its form.
func (q *Question) Shown() form.Question {
	is := q.Question
	is.Fields = q.FieldList()
	return is
}

// FieldList returns the fields of a form in the order of its schema.
func (q *Question) FieldList() []form.Field { return fieldsOf(q.Schema, q.Secrets) }

// Help describes the fields of a form as flags, or returns "".
func (q *Question) Help() string {
	if q.Kind != form.AskForm {
		return ""
	}
	return arguments.Compile(q.Schema).Help()
}

// reserved are names of flags of the command that answers.
var reserved = []string{"accept", "decline", "cancel", "json", "help"}

// answerCommand returns the command that answers a question, with a placeholder for
// each field that must be given.
func (q *Question) answerCommand() string {
	command := "ctxfs answer " + q.ID
	if q.Kind != form.AskForm {
		return command + " --accept"
	}
	var required []form.Field
	for _, f := range q.FieldList() {
		if f.Required {
			required = append(required, f)
		}
	}
	if len(required) == 0 {
		if required = q.FieldList(); len(required) == 0 {
			return command + " --accept"
		}
		required = required[:1]
	}
	asJSON := slices.ContainsFunc(required, func(f form.Field) bool { return slices.Contains(reserved, f.Name) || !flagName().MatchString(f.Name) })
	var words []string
	for _, f := range required {
		if asJSON {
			name, _ := json.Marshal(f.Name) // a string always encodes
			words = append(words, string(name)+": "+placeholder(f, true))
		} else {
			words = append(words, "--"+f.Name+" "+wording.ShellWord(placeholder(f, false)))
		}
	}
	if asJSON {
		return command + " " + wording.ShellWord("{"+strings.Join(words, ", ")+"}")
	}
	return command + " " + strings.Join(words, " ")
}

// The letters and digits of an ID, without those that look like others, and without
// vowels, which would make words.
const (
	idLetters = "23456789bcdfghjkmnpqrstvwxz"
	idLength  = 5
)

// NewID returns a random ID that begins with a letter and for which used reports
// false.
func NewID(first string, used func(id string) bool) string {
	for {
		raw := make([]byte, 2*idLength)
		_, _ = rand.Read(raw) // never fails
		id := []byte(first)
		for _, b := range raw {
			if int(b) < 256/len(idLetters)*len(idLetters) && len(id) < len(first)+idLength {
				id = append(id, idLetters[int(b)%len(idLetters)])
			}
		}
		if len(id) == len(first)+idLength && !used(string(id)) {
			return string(id)
		}
	}
}
