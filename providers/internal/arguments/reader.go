package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"ctxfs/fs/jsonscan"
)

// Limits of what is read, beyond any real use. Larger values would make exact
// arithmetic or recursion slow.
const (
	maxDepth    = 1000 // of nested values
	maxDigits   = 1000 // of a number
	maxExponent = 3    // digits of a number's exponent
)

// reader reads JSON more strictly than encoding/json: duplicate names and invalid
// UTF-8 are errors. It takes time linear in the length.
type reader struct {
	jsonscan.Scanner
	depth int
	count int  // of values so far
	build bool // build values; otherwise only validate
}

// decode returns the value of a JSON text: nil, bool, json.Number, string, []any or
// map[string]any. Numbers keep their digits.
func decode(b []byte) (any, error) {
	v, _, err := decodeCount(b)
	return v, err
}

// decodeCount also returns how many values there are in all.
func decodeCount(b []byte) (any, int, error) {
	r := reader{Scanner: jsonscan.Scanner{Text: b}, build: true}
	v, err := r.value(r.Next())
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, 0, err
	}
	return v, r.count, nil
}

// member is a member of a JSON object.
type member struct {
	name string
	raw  json.RawMessage // shares memory with the text
}

// members returns the members of a JSON object, in its order. The members are
// validated; duplicate names are found on the top level only.
func members(b []byte) ([]member, error) {
	r := reader{Scanner: jsonscan.Scanner{Text: b}}
	if t := r.Next(); t.Kind != '{' {
		return nil, r.fault(t.Begin, "it is not an object")
	}
	var list []member
	seen := map[string]bool{}
	err := r.object(func(name string, t jsonscan.Token) error {
		if seen[name] {
			return r.twice(t.Begin, name)
		}
		seen[name] = true
		if _, err := r.value(t); err != nil {
			return err
		}
		list = append(list, member{name, b[t.Begin:r.At]})
		return nil
	})
	if err == nil {
		err = r.end()
	}
	return list, err
}

// fault returns an error at an offset.
func (r *reader) fault(at int, format string, args ...any) error {
	return fmt.Errorf(format+" (at byte %d)", append(args, at+1)...)
}

func (r *reader) twice(at int, name string) error {
	return r.fault(at, "%s is in it twice", quoted(name))
}

// early is the error of a text that ends where something must follow.
func (r *reader) early() error { return r.fault(len(r.Text), "it ends too early") }

func (r *reader) end() error {
	if t := r.Next(); t.Kind != jsonscan.End {
		return r.fault(t.Begin, "something follows its end")
	}
	return nil
}

// value reads the value that begins with t, the last token read.
func (r *reader) value(t jsonscan.Token) (any, error) {
	r.count++
	switch t.Kind {
	case jsonscan.End:
		return nil, r.early()
	case '{', '[':
		if r.depth++; r.depth > maxDepth {
			return nil, r.fault(t.Begin, "it is nested more than %d levels deep", maxDepth)
		}
		defer func() { r.depth-- }()
		if t.Kind == '[' {
			return r.array()
		}
		return r.dict()
	case jsonscan.String, jsonscan.Open:
		return r.text(t, r.build)
	}
	switch r.Text[t.Begin] {
	case 't':
		return true, r.word(t, "true")
	case 'f':
		return false, r.word(t, "false")
	case 'n':
		return nil, r.word(t, "null")
	}
	return r.number(t)
}

// word reads a literal name (true, false, null). What follows it without a space is
// read next.
func (r *reader) word(t jsonscan.Token, name string) error {
	if !bytes.HasPrefix(r.Text[t.Begin:t.End], []byte(name)) {
		return r.fault(t.Begin, "unexpected %q", r.Text[t.Begin])
	}
	r.At = t.Begin + len(name)
	return nil
}

func (r *reader) dict() (any, error) {
	var m map[string]any
	if r.build {
		m = map[string]any{}
	}
	err := r.object(func(name string, t jsonscan.Token) error {
		if _, ok := m[name]; ok {
			return r.twice(t.Begin, name)
		}
		v, err := r.value(t)
		if err == nil && r.build {
			m[name] = v
		}
		return err
	})
	return m, err
}

// object reads the rest of an object; each is called with the first token of a
// member's value, and reads that value.
func (r *reader) object(each func(name string, t jsonscan.Token) error) error {
	for first := true; ; first = false {
		t := r.Next()
		switch t.Kind {
		case jsonscan.String, jsonscan.Open:
		case jsonscan.End:
			return r.early()
		case '}':
			if first {
				return nil
			}
			fallthrough
		default:
			return r.fault(t.Begin, "unexpected %q instead of a name in double quotes", r.Text[t.Begin])
		}
		name, err := r.text(t, r.build || r.depth == 0)
		if err != nil {
			return err
		}
		if colon := r.Next(); colon.Kind != ':' {
			return r.fault(colon.Begin, "no colon after the name %s", quoted(name))
		}
		if err := each(name, r.Next()); err != nil {
			return err
		}
		if more, err := r.more('}'); !more {
			return err
		}
	}
}

// array reads the rest of an array.
func (r *reader) array() (any, error) {
	list := []any{}
	t := r.Next()
	if t.Kind == ']' {
		return list, nil
	}
	for ; ; t = r.Next() {
		v, err := r.value(t)
		if err != nil {
			return nil, err
		}
		if r.build {
			list = append(list, v)
		}
		if more, err := r.more(']'); !more {
			return list, err
		}
	}
}

// more reads what separates two members: a comma, or the end.
func (r *reader) more(end jsonscan.Kind) (bool, error) {
	t := r.Next()
	switch t.Kind {
	case ',', end:
		return t.Kind == ',', nil
	case jsonscan.End:
		return false, r.early()
	}
	return false, r.fault(t.Begin, "unexpected %q instead of a comma or %q", r.Text[t.Begin], byte(end))
}

// text returns the content of a string. Those without escapes, which most are,
// are not decoded.
func (r *reader) text(t jsonscan.Token, build bool) (string, error) {
	if t.Kind == jsonscan.Open {
		return "", r.fault(t.End, "it ends within a string")
	}
	inner := r.Text[t.Begin+1 : t.End-1]
	for i, c := range inner {
		if c < ' ' {
			return "", r.fault(t.Begin+1+i, "a string holds a raw control character: write \\n for a line end")
		}
	}
	if !utf8.Valid(inner) {
		return "", r.fault(t.End, "a string is not valid UTF-8")
	}
	if bytes.IndexByte(inner, '\\') < 0 {
		if !build {
			return "", nil
		}
		return string(inner), nil
	}
	var s string
	var err error
	if build {
		err = json.Unmarshal(r.Text[t.Begin:t.End], &s)
	} else if !json.Valid(r.Text[t.Begin:t.End]) {
		err = errors.New("invalid")
	}
	if err != nil {
		return "", r.fault(t.End, "a string holds an escape that JSON does not have")
	}
	return s, nil
}

// number reads a number. What follows it without a space is read next.
func (r *reader) number(t jsonscan.Token) (any, error) {
	b := r.Text[:t.End]
	i := t.Begin
	digits := func() int {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i - from
	}
	at := func(set string) bool { return i < len(b) && bytes.IndexByte([]byte(set), b[i]) >= 0 }
	if at("-") {
		i++
	}
	if at("0") {
		i++
	} else if digits() == 0 {
		return nil, r.fault(t.Begin, "unexpected %q", b[t.Begin])
	}
	if at(".") {
		i++
		if digits() == 0 {
			return nil, r.fault(i, "a number has no digits after its point")
		}
	}
	long := i-t.Begin > maxDigits
	if at("eE") {
		i++
		if at("+-") {
			i++
		}
		n := digits()
		if n == 0 {
			return nil, r.fault(i, "a number has no digits in its exponent")
		}
		long = long || n > maxExponent
	}
	if long {
		return nil, r.fault(i, "a number has too many digits")
	}
	r.At = i
	if !r.build {
		return nil, nil
	}
	return json.Number(b[t.Begin:i]), nil
}
