package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// fingerprint stands for the value of a JSON text: it is the same however the
// keys of objects are ordered and texts are escaped. Numbers count as they are
// written, and of members of one name each counts.
type fingerprint [sha256.Size]byte

// MarshalText implements encoding.TextMarshaler.
func (f fingerprint) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, f[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *fingerprint) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(f)) {
		return errors.New("not a fingerprint")
	}
	_, err := hex.Decode(f[:], text)
	return err
}

// orderedLimit is the size in bytes up to which a definition is taken apart.
// Of a larger one the order of its keys counts too: nothing of a server may
// cost memory out of proportion.
const orderedLimit = 256 << 10

// fingerprintOf is that of a valid JSON text without spaces.
func fingerprintOf(compact []byte) fingerprint {
	if len(compact) <= orderedLimit {
		compact = readValue(compact).canonical(make([]byte, 0, len(compact)))
	}
	return sha256.Sum256(compact)
}

// value is a JSON value. Its texts are as they were written.
type value struct {
	// text is that of a scalar; "{" or "[" where there are members.
	text    []byte
	members []keyed
}

// keyed is a member of an object or an array; the latter has no key.
type keyed struct {
	key []byte // with its quotes
	value
}

// readValue reads a valid JSON text without spaces.
func readValue(compact []byte) value {
	r := valueReader{compact}
	return r.value()
}

// valueReader reads the rest of a JSON text.
type valueReader struct{ rest []byte }

func (r *valueReader) value() value {
	switch r.rest[0] {
	case '{', '[':
		v := value{text: r.take(1)}
		for r.rest[0] != '}' && r.rest[0] != ']' {
			var m keyed
			if v.text[0] == '{' {
				m.key = r.take(stringEnd(r.rest, 0))
				r.take(1) // the colon
			}
			m.value = r.value()
			v.members = append(v.members, m)
			if r.rest[0] == ',' {
				r.take(1)
			}
		}
		r.take(1)
		return v
	case '"':
		return value{text: r.take(stringEnd(r.rest, 0))}
	}
	end := bytes.IndexAny(r.rest, ",]}")
	if end < 0 {
		end = len(r.rest)
	}
	return value{text: r.take(end)}
}

func (r *valueReader) take(n int) (taken []byte) {
	taken, r.rest = r.rest[:n:n], r.rest[n:]
	return taken
}

// canonical adds the one form of the value to out, with the keys sorted.
func (v value) canonical(out []byte) []byte {
	if len(v.members) == 0 {
		out = append(out, canonicalScalar(v.text)...)
	} else {
		out = append(out, v.text...)
	}
	members := v.members
	if v.text[0] == '{' {
		members = slices.Clone(members)
		slices.SortStableFunc(members, func(a, b keyed) int {
			return bytes.Compare(canonicalScalar(a.key), canonicalScalar(b.key))
		})
	}
	for _, m := range members {
		if m.key != nil {
			out = append(append(out, canonicalScalar(m.key)...), ':')
		}
		out = append(m.canonical(out), ',')
	}
	switch v.text[0] {
	case '{':
		out = append(out, '}')
	case '[':
		out = append(out, ']')
	}
	return out
}

// canonicalScalar is the one form of a scalar: of a string, escapes only where
// there must be some. A half of a surrogate pair, which is no character, stays
// as it is written.
func canonicalScalar(text []byte) []byte {
	if text[0] != '"' || bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	var s string
	if json.Unmarshal(text, &s) != nil || strings.ContainsRune(s, utf8.RuneError) {
		return text
	}
	out := append(make([]byte, 0, len(text)), '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\':
			out = append(out, '\\', c)
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// inOrderOf is the value with the keys of its objects in the order of another
// one. What the other one has not stays behind what it is behind.
func (v value) inOrderOf(o value) value {
	if v.text[0] != o.text[0] || len(v.members) == 0 {
		return v
	}
	v.members = slices.Clone(v.members)
	if v.text[0] == '[' {
		for i := range min(len(v.members), len(o.members)) {
			v.members[i].value = v.members[i].inOrderOf(o.members[i].value)
		}
		return v
	}
	place := make(map[string]int, len(o.members))
	for i, m := range o.members {
		place[string(canonicalScalar(m.key))] = i
	}
	type placed struct {
		keyed
		at int
	}
	all, at := make([]placed, len(v.members)), -1
	for i, m := range v.members {
		if j, ok := place[string(canonicalScalar(m.key))]; ok {
			at = j
			m.value = m.inOrderOf(o.members[j].value)
		}
		all[i] = placed{m, at}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.at - b.at })
	for i, p := range all {
		v.members[i] = p.keyed
	}
	return v
}

// append adds the value to out as it is written, without spaces.
func (v value) append(out []byte) []byte {
	out = append(out, v.text...)
	for i, m := range v.members {
		if i > 0 {
			out = append(out, ',')
		}
		if m.key != nil {
			out = append(append(out, m.key...), ':')
		}
		out = m.append(out)
	}
	switch v.text[0] {
	case '{':
		out = append(out, '}')
	case '[':
		out = append(out, ']')
	}
	return out
}
