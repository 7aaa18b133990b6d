package call

import (
	"encoding/json"
	"time"

	"ctxfs/fs"
)

// OpAnswer answers a question of a server, once. The answer to it is the question as
// it is then.
var OpAnswer = fs.Op[Answer, Question]{Name: "answer"}

// Question is what a server asks back while it works on a call, for a person. All
// texts but the names and values of fields are clean.
type Question struct {
	ID     string `json:"id"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Task is the ID of the task that the call has become, or "".
	Task string `json:"task,omitempty"`
	// Kind is [AskForm], [AskURL] or [AskSampling].
	Kind    string `json:"kind"`
	Message string `json:"message"` // of AskSampling: the prompt
	// Warning is a sentence, or "".
	Warning string `json:"warning,omitempty"`
	Host    string `json:"host,omitempty"` // of URL
	URL     string `json:"url,omitempty"`
	// Opened says that somebody has agreed to open the address: what is awaited is
	// that the server says it is done.
	Opened bool `json:"opened,omitempty"`
	// Again says that it may be accepted once more when Opened: that says that it is
	// done, where the server does not.
	Again  bool      `json:"again,omitempty"`
	Fields []Field   `json:"fields,omitempty"` // of AskForm
	Until  time.Time `json:"until"`            // when it is given up
	Answer string    `json:"answer"`           // the command that answers it
}

// The kinds of a [Question].
const (
	AskForm     = "form"     // values for the fields of a form
	AskURL      = "url"      // to open an address
	AskSampling = "sampling" // to let a command answer a prompt
)

// Field is a field of a form.
type Field struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Type is "string", "number", "integer" or "boolean"; of a field with Several,
	// that of each value; "" is any JSON.
	Type   string `json:"type,omitempty"`
	Format string `json:"format,omitempty"` // such as "email"
	// Choices are the values that the field may have; none means any.
	Choices  []Choice        `json:"choices,omitempty"`
	Several  bool            `json:"several,omitempty"`  // it is a list of such values
	Required bool            `json:"required,omitempty"` // and has no default
	Default  json.RawMessage `json:"default,omitempty"`
	Secret   bool            `json:"secret,omitempty"` // it is not shown while it is typed
}

// Choice is a value that a field may have.
type Choice struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"` // how it is shown; "" is Value
}

// Answer is an answer to a question.
type Answer struct {
	ID string `json:"id"`
	// Action is [Accept], [Decline] or [Cancel].
	Action string `json:"action"`
	// Words are the fields of a form as a command line, or Content is one JSON
	// object of them. Both are of Accept alone.
	Words   []Word          `json:"words,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
	// Draft says that Content has some of the fields only: they are checked, and the
	// question stays open.
	Draft bool `json:"draft,omitempty"`
}

// The actions of an [Answer].
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)
