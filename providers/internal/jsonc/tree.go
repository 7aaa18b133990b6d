package jsonc

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// The syntax of a text, with all white space and comments, for those who change the text: see
// hujson. Its Pack returns the text.
type (
	Value   = hujson.Value
	Object  = hujson.Object
	Array   = hujson.Array
	Member  = hujson.ObjectMember
	Literal = hujson.Literal
	Extra   = hujson.Extra
)

// Tree is [Parse] for a text without a byte order mark that is to be changed.
func Tree(text []byte) (*Value, error) {
	if _, err := Parse(text); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return &root, nil
}

// IsBlank reports whether a text has only white space and comments.
func IsBlank(text []byte) bool {
	for at := 0; at < len(text); {
		rest := text[at:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			at++
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
			at += 1 + commentLen(rest)
		default:
			return false
		}
	}
	return true
}
