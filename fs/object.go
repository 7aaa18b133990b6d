package fs

import (
	"encoding/json"
	"errors"
	"fmt"
)

// objectScanner finds the end of one JSON object in bytes that come piece by
// piece. It looks at every byte once and judges only the outline (white
// space, the opening brace, strings and nesting); what it finds is then given
// to [checkObject].
type objectScanner struct {
	depth   int
	begun   bool
	quoted  bool
	escaped bool
}

// scan takes the next bytes. End is the number of them that belong to the
// object, if it ends in them, else -1. It is not called again after the end.
func (s *objectScanner) scan(p []byte) (end int, err error) {
	for i, c := range p {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped = c == '\\'
			s.quoted = c != '"'
		case !s.begun:
			if isJSONSpace(c) {
				continue
			}
			if c != '{' {
				return -1, invalidBody("it begins with %q instead of {", rune(c))
			}
			s.begun, s.depth = true, 1
		case c == '"':
			s.quoted = true
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			if s.depth--; s.depth == 0 {
				return i + 1, nil
			}
		}
	}
	return -1, nil
}

// checkObject tells whether body, whose outline is that of one object, is
// JSON.
func checkObject(body []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if err == nil {
		return nil
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return invalidBody("%v at byte %d", syntax, syntax.Offset)
	}
	return invalidBody("%v", err)
}

func invalidBody(format string, args ...any) error {
	return fmt.Errorf("%w: not one JSON object: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// firstNonSpace gives the index of the first byte that is not JSON white space,
// or -1.
func firstNonSpace(p []byte) int {
	for i, c := range p {
		if !isJSONSpace(c) {
			return i
		}
	}
	return -1
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
