package holder

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Key detaches a viewer: a control character, and then another key if there is
// one. The zero Key detaches nothing.
type Key struct {
	Prefix byte `json:"prefix,omitempty"`
	Then   byte `json:"then,omitempty"`
}

// DefaultKey returns Ctrl-\ followed by d.
func DefaultKey() Key { return Key{'\\' & 0x1f, 'd'} }

// keyTime is how long the first key waits for the second; after that it goes to the
// program. So Ctrl-\ still quits programs that do not exit otherwise.
const keyTime = 500 * time.Millisecond

// ParseKey parses a key: "ctrl-\ d", "ctrl-]", "ctrl-a ctrl-d", or "none" for
// the zero Key.
func ParseKey(text string) (k Key, err error) {
	words := strings.Fields(text)
	wrong := fmt.Errorf("%q is not a key such as %q", text, `ctrl-\ d`)
	if len(words) == 1 && words[0] == "none" {
		return Key{}, nil
	}
	if len(words) == 0 || len(words) > 2 {
		return Key{}, wrong
	}
	if k.Prefix = control(words[0]); k.Prefix == 0 {
		return Key{}, wrong
	}
	if len(words) == 2 {
		if k.Then = control(words[1]); k.Then == 0 && len(words[1]) == 1 && words[1][0] > ' ' && words[1][0] < 0x7f {
			k.Then = words[1][0]
		}
		if k.Then == 0 {
			return Key{}, wrong
		}
	}
	return k, nil
}

// control returns the character of "ctrl-x", 0 for any other word.
func control(word string) byte {
	rest, ok := strings.CutPrefix(strings.ToLower(word), "ctrl-")
	if !ok || len(rest) != 1 {
		return 0
	}
	switch c := rest[0]; {
	case c >= 'a' && c <= 'z':
		return c - 'a' + 1
	case strings.IndexByte(`[\]^_`, c) >= 0:
		return c & 0x1f
	}
	return 0
}

// keys passes on what is typed, and looks for the key in it.
type keys struct {
	key  Key
	held bool // the prefix was typed, and is not passed on yet
}

// pass returns the part of p to pass on, which it may modify, and reports whether
// the key was in it; what was typed after the key is dropped.
func (k *keys) pass(p []byte) (out []byte, detach bool) {
	if k.key.Prefix == 0 || !k.held && bytes.IndexByte(p, k.key.Prefix) < 0 {
		return p, false
	}
	for _, c := range p {
		switch {
		case k.held && c == k.key.Then:
			return out, true
		case k.held && c == k.key.Prefix: // typed twice, the prefix is itself
			k.held = false
			out = append(out, c)
		case k.held:
			k.held = false
			out = append(out, k.key.Prefix, c)
		case c == k.key.Prefix && k.key.Then == 0:
			return out, true
		case c == k.key.Prefix:
			k.held = true
		default:
			out = append(out, c)
		}
	}
	return out, false
}

// release returns what was held when no second key has come in time.
func (k *keys) release() (out []byte) {
	if k.held {
		k.held = false
		out = []byte{k.key.Prefix}
	}
	return out
}
