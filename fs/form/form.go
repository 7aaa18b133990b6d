// Package form is the model of what the server of a tool asks a person in the course of a
// call: values for the fields of a form, to open an address, or to let a language model
// answer. Questions are kept, and answers checked, in ctxfs/providers/mcp/questions; the
// terminal (ctxfs/cmd/ctxfs/call) and the gateway (ctxfs/mounts/gateway) only present
// them.
//
// It imports the standard library only: calls start before the rest of the program.
package form

import (
	"encoding/json"
	"time"
)

// The kinds of a [Question], which are those of the protocol.
const (
	AskForm     = "form"     // values for the fields of a schema
	AskURL      = "url"      // to do something at an address, such as logging in
	AskSampling = "sampling" // the answer of a language model
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
	// Kind is [AskForm], [AskURL] or [AskSampling].
	Kind    string `json:"kind"`
	Message string `json:"message"` // of AskSampling: the prompt
	// Schema is the JSON Schema of the answer to a form, as the server sent it. Fields
	// are its fields; they are set only where the question is presented.
	Schema json.RawMessage `json:"schema,omitempty"`
	Fields []Field         `json:"fields,omitempty"`
	// Host and URL say what is to be opened; ctxfs never opens it.
	Host string `json:"host,omitempty"`
	URL  string `json:"url,omitempty"`
	// Request has the parameters of sampling/createMessage.
	Request json.RawMessage `json:"request,omitempty"`
	// Secrets are the fields that seem to ask for a secret, which servers must not
	// do by a form; Warning says so in a sentence.
	Secrets []string `json:"secrets,omitempty"`
	Warning string   `json:"warning,omitempty"`
	// Opened reports that the user has agreed to open the address. The question then
	// waits for the server to say that it is done; Warning says whether accepting it
	// once more says so instead.
	Opened bool `json:"opened,omitempty"`
	// Again reports that it may be accepted once more when Opened: that says that what was
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

// Field is a field of a form. Its texts are clean and of one line, except Name and the
// values of Choices, which are the server's.
type Field struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Type is "string", "number", "integer" or "boolean"; of a field with Several,
	// that of each value; "" is any JSON.
	Type string `json:"type,omitempty"`
	// Format is "email", "uri", "date", "date-time", or another of the server's.
	Format string `json:"format,omitempty"`
	// Choices are the values that the field may have; none means any.
	Choices []Choice `json:"choices,omitempty"`
	// Several reports that the field is a list of such values.
	Several  bool            `json:"several,omitempty"`
	Required bool            `json:"required,omitempty"` // and has no default
	Default  json.RawMessage `json:"default,omitempty"`
	// Secret reports that the field seems to ask for a secret, which is not shown while it
	// is typed.
	Secret bool `json:"secret,omitempty"`
}

// Choice is a value that a field may have.
type Choice struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"` // how it is shown; "" is Value
}

// The actions of an [Answer].
const (
	Accept  = "accept"
	Decline = "decline" // the user does not want to
	Cancel  = "cancel"  // not decided yet
)

// Answer is an answer to a [Question].
type Answer struct {
	ID string `json:"id,omitempty"` // of the question, where nothing else says it
	// Action is [Accept], [Decline] or [Cancel].
	Action string `json:"action"`
	// Words are the fields of a form as a command line, or Content is one JSON object of
	// them, or the answer of a language model. Both are of Accept alone.
	Words   []Word          `json:"words,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
	// Draft reports that Content has some of the fields of a form only, which are
	// checked, each for itself; the question stays open.
	Draft bool `json:"draft,omitempty"`
}

// Word is one word of a command line with values. A file that it names has been read.
type Word struct {
	Text string `json:"text"`
	// Path is the file that the word names as "@path", and Body its text, which
	// follows Text; Body is nil if the word names no file.
	Path string  `json:"path,omitempty"`
	Body *string `json:"body,omitempty"`
}
