// Package lines reads and writes messages over the standard output and input of a
// process, a line each.
package lines

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/providers/internal/rawjson"
)

// RequestPrefix is the prefix of the ids of our requests; the library's ids are
// numbers.
const RequestPrefix = "raw-"

// Message is one message of a server. Its fields are parts of the text, not
// copies.
type Message struct {
	ID     json.RawMessage // or nil
	Method string          // "" of an answer
	Params json.RawMessage
	Result json.RawMessage
	Fault  json.RawMessage // the error, or nil
}

// Read reads a message in one pass; ok reports whether it is one object.
func Read(text []byte) (m Message, ok bool) {
	ok = rawjson.Visit(text, func(name string, value json.RawMessage) {
		switch name {
		case "method":
			if json.Unmarshal(value, &m.Method) != nil {
				m.Method = "?" // whatever it is, it is no answer
			}
		case "id":
			m.ID = value
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Fault = value
		}
	})
	return m, ok
}

// Ours returns the id of our request that the message is the answer to.
func (m Message) Ours() (id string, ok bool) {
	if m.Method != "" || !bytes.HasPrefix(m.ID, []byte(`"`)) {
		return "", false
	}
	ok = json.Unmarshal(m.ID, &id) == nil && len(id) > len(RequestPrefix) && strings.HasPrefix(id, RequestPrefix)
	return id, ok
}

// Asks reports whether the message is a request of the server.
func (m Message) Asks() bool { return m.Method != "" && m.ID != nil && string(m.ID) != "null" }
