package mask

import (
	"bytes"
	"encoding/json"
)

// JSON returns a JSON text, or lines of JSON, with its secrets masked, and as
// valid as it was. It does not keep text, and returns it where there are none.
// Numbers that are secret become strings.
func JSON(text []byte) []byte {
	out := New().Mask(text)
	if len(out) == len(text) && bytes.Equal(out, text) || valid(out) || !valid(text) {
		return out
	}
	// A secret went beyond a string: each string by itself.
	out = make([]byte, 0, len(text))
	for {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			return append(out, text...)
		}
		end := quote + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		out = append(append(out, text[:quote]...), maskString(text[quote:end])...)
		text = text[end:]
	}
}

// valid reports whether all lines of a text, or the whole, are JSON.
func valid(text []byte) bool {
	if json.Valid(text) {
		return true
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

// maskString masks what a string of JSON says.
func maskString(literal []byte) []byte {
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return literal
	}
	hidden := Text(s)
	if hidden == s {
		return literal
	}
	out, err := json.Marshal(hidden)
	if err != nil {
		return literal
	}
	return out
}
