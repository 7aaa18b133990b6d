// Package questions holds what servers ask back while they work on a call, until
// somebody answers: values for a form, to open an address, or the answer of a
// language model.
//
// A call that may be asked has an [Asker]. [Asker.Ask] judges a question of its
// server (question.go, form.go, secret.go), opens it in the [Store] (store.go), and
// waits: for [Store.Answer] (fill.go), for the end of the question's time, or for
// the end of the call. [Sampler] runs the command that answers for a language model
// (sampler.go).
//
// Questions and answers are in memory only. An answer reaches the server and
// nothing else: [Asker.Redact] takes it out of all that is written to files.
//
// Source of the forms: modelcontextprotocol.io/specification, client/elicitation
// and client/sampling, 2025-11-25.
package questions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/mcp/wire"
)

// Question is an open question of a server. Its texts are clean, and no secrets of
// the server's configuration are in them.
type Question struct {
	// ID is unique as long as the background process runs.
	ID     string `json:"id"`
	Server string `json:"server"` // the name of its folder
	Tool   string `json:"tool"`
	// Task is the ID of the task that the call has become; "" while its caller
	// waits for it.
	Task string `json:"task,omitempty"`
	// Kind is [wire.AskForm], [wire.AskURL] or [wire.AskSampling].
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Schema is the JSON Schema of the answer to a form, as the server sent it.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Host and URL say what is to be opened; ctxfs never opens it.
	Host string `json:"host,omitempty"`
	URL  string `json:"url,omitempty"`
	// Request has the parameters of sampling/createMessage: the prompt.
	Request json.RawMessage `json:"request,omitempty"`
	// Secrets are the fields that seem to ask for a secret, which servers must not
	// do by a form; Warning says so in a sentence.
	Secrets []string `json:"secrets,omitempty"`
	Warning string   `json:"warning,omitempty"`
	// Opened says that somebody has agreed to open the address. The question then
	// waits for the server to say that it is done; Warning says whether accepting it
	// once more says so instead.
	Opened bool `json:"opened,omitempty"`
	// Again says that it may be accepted once more when Opened: that says that what was
	// to be done at the address is done, where the server does not.
	Again bool      `json:"again,omitempty"`
	Since time.Time `json:"since"`
	// Until is when the question is given up, and cancelled at the server.
	Until time.Time `json:"until"`
	// Answer and Decline are the commands that do so, and Continue is the one that
	// fetches the result of Task.
	Answer   string `json:"answer"`
	Decline  string `json:"decline"`
	Continue string `json:"continue,omitempty"`
}

// Line returns the question as one line: what is asked by whom, until when, and the
// command that answers.
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
	case wire.AskURL:
		return fmt.Sprintf("asks to open an address of %s: %s (%s)", q.Host, text, q.URL)
	case wire.AskSampling:
		return "asks a language model: " + text
	}
	return "asks: " + text
}

// Fields returns the fields of a form in the order of its schema.
func (q *Question) Fields() []Field { return fieldsOf(q.Schema, q.Secrets) }

// Help describes the fields of a form as flags, or returns "".
func (q *Question) Help() string {
	if q.Kind != wire.AskForm {
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
	if q.Kind != wire.AskForm {
		return command + " --accept"
	}
	var required []Field
	for _, f := range q.Fields() {
		if f.Required {
			required = append(required, f)
		}
	}
	if len(required) == 0 {
		if required = q.Fields(); len(required) == 0 {
			return command + " --accept"
		}
		required = required[:1]
	}
	asJSON := slices.ContainsFunc(required, func(f Field) bool { return slices.Contains(reserved, f.Name) || !flagName.MatchString(f.Name) })
	var words []string
	for _, f := range required {
		if asJSON {
			name, _ := json.Marshal(f.Name) // a string always encodes
			words = append(words, string(name)+": "+f.placeholder(true))
		} else {
			words = append(words, "--"+f.Name+" "+wording.ShellWord(f.placeholder(false)))
		}
	}
	if asJSON {
		return command + " " + wording.ShellWord("{"+strings.Join(words, ", ")+"}")
	}
	return command + " " + strings.Join(words, " ")
}
