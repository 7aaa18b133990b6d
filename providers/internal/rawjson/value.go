package rawjson

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

	"ctxfs/fs/jsonscan"
)

// Fingerprint identifies the value of a JSON text: it does not depend on the order
// of keys or the escaping of strings. Numbers are compared as they are written, and
// all members with the same name count.
type Fingerprint [sha256.Size]byte

// MarshalText implements encoding.TextMarshaler.
func (f Fingerprint) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, f[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Fingerprint) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(f)) {
		return errors.New("not a fingerprint")
	}
	_, err := hex.Decode(f[:], text)
	return err
}

// orderedLimit is the size in bytes up to which a text is taken apart. In a
// larger one the order of keys counts too: no foreign text may cost memory out
// of proportion.
const orderedLimit = 256 << 10

// FingerprintOf returns the fingerprint of a valid JSON text without spaces.
func FingerprintOf(compact []byte) Fingerprint {
	if len(compact) <= orderedLimit {
		compact = readValue(compact).canonical(make([]byte, 0, len(compact)))
	}
	return sha256.Sum256(compact)
}

// InOrderOf returns a valid JSON text without spaces, with the keys of its
// objects in the order of those of the model; keys that the model does not have
// stay behind those that they follow. Texts over 256 KiB are returned unchanged.
func InOrderOf(compact, model []byte) []byte {
	if max(len(compact), len(model)) > orderedLimit {
		return compact
	}
	return readValue(compact).inOrderOf(readValue(model)).append(nil)
}

// value is a JSON value. Its strings are as they were written.
type value struct {
	// text is that of a scalar; "{" or "[" where there are members.
	text    []byte
	members []keyed
}

// keyed is a member of an object, or an element of an array, without key.
type keyed struct {
	key []byte // with its quotes
	value
}

// readValue reads a valid JSON text.
func readValue(text []byte) value {
	s := jsonscan.Scanner{Text: text}
	return restOf(&s, s.Next())
}

// restOf returns the value that begins with t, the last token read.
func restOf(s *jsonscan.Scanner, t jsonscan.Token) value {
	v := value{text: s.Text[t.Begin:t.End:t.End]}
	if t.Kind != '{' && t.Kind != '[' {
		return v
	}
	object := t.Kind == '{'
	for {
		switch t = s.Next(); t.Kind {
		case ',':
			continue
		case '}', ']', jsonscan.End, jsonscan.Open:
			return v
		}
		var m keyed
		if object {
			m.key = s.Text[t.Begin:t.End:t.End]
			s.Next() // the colon
			t = s.Next()
		}
		m.value = restOf(s, t)
		v.members = append(v.members, m)
	}
}

// canonical appends the canonical form of the value to out: keys sorted, escapes
// only where needed.
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

// canonicalScalar returns the canonical form of a scalar. Half of a surrogate
// pair, which is not a character, stays as it is written.
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

// inOrderOf returns v with the keys of its objects in the order of those of o;
// keys that o does not have stay behind those that they follow.
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

// append appends the value to out as it was written, without spaces.
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
