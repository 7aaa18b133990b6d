package jsonscan

import (
	"bytes"
	"encoding/json"
)

// Line returns a value as a line of JSON, its end included. Unlike that of [json.Marshal], the
// text has no escapes that only HTML needs.
func Line(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}
