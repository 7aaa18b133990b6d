package wire

import "encoding/json"

// The kinds of a [Question].
const (
	AskForm     = "form"     // values for the fields of a schema
	AskURL      = "url"      // to do something at an address, such as logging in
	AskSampling = "sampling" // the answer of a language model
)

// Question is what a server asks back while it works on a request.
type Question struct {
	Kind    string
	Message string          // what it asks for, as the server wrote it
	Schema  json.RawMessage // of AskForm: the JSON Schema of the answer, an object
	URL     string          // of AskURL
	ID      string          // of AskURL: how the server names it when it is done, "" if it does not
	Request json.RawMessage // of AskSampling: the parameters of sampling/createMessage

	// Done is closed when the server says that what AskURL asked for is done at
	// its address. It is nil if the server cannot say so.
	Done <-chan struct{}
	// Again says that the request has failed for want of what AskURL asks for: the
	// answer [Accept] sends it again. So it is best given when Done is closed, or
	// when the user says so. Otherwise Accept only means that the user opens the
	// address, and the server waits by itself.
	Again bool
	// Uncertain says that several requests waited when the server asked, and that
	// it has not said which of them it needs the answer for: this one began last.
	Uncertain bool
}

// The actions of an [Answer].
const (
	Accept  = "accept"
	Decline = "decline" // the user does not want to
	Cancel  = "cancel"  // nobody has decided
)

// Answer is the answer to a [Question].
type Answer struct {
	Action string
	// Content is the answer's content if Action is Accept: an object with the
	// fields of AskForm, the result of AskSampling, nothing of AskURL.
	Content json.RawMessage
}
