package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of what is read, beyond any real use. Values above them would make exact
// arithmetic or recursion slow.
const (
	maxDepth    = 1000 // of nested values
	maxDigits   = 1000 // of a number
	maxExponent = 3    // digits of a number's exponent
)

// reader reads JSON more strictly than encoding/json: duplicate names and invalid
// UTF-8 are errors. It takes time linear in the length.
type reader struct {
	b     []byte
	i     int
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
	r := reader{b: b, build: true}
	v, err := r.value()
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
	r := reader{b: b}
	if r.space(); r.i >= len(b) || b[r.i] != '{' {
		return nil, r.fault("it is no object")
	}
	var list []member
	seen := map[string]bool{}
	err := r.object(func(name string) error {
		if seen[name] {
			return r.twice(name)
		}
		seen[name] = true
		start := r.i
		if _, err := r.value(); err != nil {
			return err
		}
		list = append(list, member{name, b[start:r.i]})
		return nil
	})
	if err == nil {
		err = r.end()
	}
	return list, err
}

func (r *reader) fault(format string, args ...any) error {
	return fmt.Errorf(format+" (at byte %d)", append(args, r.i+1)...)
}

func (r *reader) twice(name string) error { return r.fault("%s is in it twice", quoted(name)) }

func (r *reader) space() {
	for r.i < len(r.b) {
		switch r.b[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

func (r *reader) end() error {
	if r.space(); r.i < len(r.b) {
		return r.fault("something follows its end")
	}
	return nil
}

// value reads a value after any white space.
func (r *reader) value() (any, error) {
	r.count++
	if r.space(); r.i >= len(r.b) {
		return nil, r.fault("it ends too early")
	}
	switch c := r.b[r.i]; c {
	case '{', '[':
		if r.depth++; r.depth > maxDepth {
			return nil, r.fault("it is nested more than %d levels deep", maxDepth)
		}
		defer func() { r.depth-- }()
		if c == '[' {
			return r.array()
		}
		return r.dict()
	case '"':
		s, err := r.text(r.build)
		return s, err
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	}
	return r.number()
}

func (r *reader) word(w string) error {
	if !bytes.HasPrefix(r.b[r.i:], []byte(w)) {
		return r.fault("unexpected %q", r.b[r.i])
	}
	r.i += len(w)
	return nil
}

func (r *reader) dict() (any, error) {
	var m map[string]any
	if r.build {
		m = map[string]any{}
	}
	err := r.object(func(name string) error {
		if _, ok := m[name]; ok {
			return r.twice(name)
		}
		v, err := r.value()
		if err == nil && r.build {
			m[name] = v
		}
		return err
	})
	return m, err
}

// object reads an object. Each is called at the start of each member's value, and
// must read it.
func (r *reader) object(each func(name string) error) error {
	r.i++
	for first := true; ; first = false {
		if r.space(); r.i >= len(r.b) {
			return r.fault("it ends too early")
		}
		if r.b[r.i] == '}' && first {
			r.i++
			return nil
		}
		if r.b[r.i] != '"' {
			return r.fault("unexpected %q instead of a name in double quotes", r.b[r.i])
		}
		name, err := r.text(r.build || r.depth == 0)
		if err != nil {
			return err
		}
		if r.space(); r.i >= len(r.b) || r.b[r.i] != ':' {
			return r.fault("no colon after the name %s", quoted(name))
		}
		r.i++
		r.space()
		if err := each(name); err != nil {
			return err
		}
		if more, err := r.more('}'); !more {
			return err
		}
	}
}

func (r *reader) array() (any, error) {
	r.i++
	list := []any{}
	if r.space(); r.i < len(r.b) && r.b[r.i] == ']' {
		r.i++
		return list, nil
	}
	for {
		v, err := r.value()
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
func (r *reader) more(end byte) (bool, error) {
	if r.space(); r.i >= len(r.b) {
		return false, r.fault("it ends too early")
	}
	c := r.b[r.i]
	if c != ',' && c != end {
		return false, r.fault("unexpected %q instead of a comma or %q", c, end)
	}
	r.i++
	return c == ',', nil
}

// text reads a string. Those without escapes, which most are, are not decoded.
func (r *reader) text(build bool) (string, error) {
	start := r.i
	r.i++
	escaped := false
	for {
		n := bytes.IndexByte(r.b[r.i:], '"')
		if n < 0 {
			r.i = len(r.b)
			return "", r.fault("it ends within a string")
		}
		part := r.b[r.i : r.i+n]
		r.i += n + 1
		if bytes.IndexByte(part, '\\') < 0 {
			break
		}
		escaped = true
		backslashes := 0
		for i := len(part) - 1; i >= 0 && part[i] == '\\'; i-- {
			backslashes++
		}
		if backslashes%2 == 0 {
			break
		}
	}
	inner := r.b[start+1 : r.i-1]
	for i, c := range inner {
		if c < ' ' {
			r.i = start + 1 + i
			return "", r.fault("a string holds a raw control character: write \\n for a line end")
		}
	}
	if !utf8.Valid(inner) {
		return "", r.fault("a string is not valid UTF-8")
	}
	if !escaped {
		if !build {
			return "", nil
		}
		return string(inner), nil
	}
	var s string
	var err error
	if build {
		err = json.Unmarshal(r.b[start:r.i], &s)
	} else if !json.Valid(r.b[start:r.i]) {
		err = errors.New("invalid")
	}
	if err != nil {
		return "", r.fault("a string holds an escape that JSON does not have")
	}
	return s, nil
}

func (r *reader) number() (any, error) {
	start := r.i
	digits := func() int {
		from := r.i
		for r.i < len(r.b) && r.b[r.i] >= '0' && r.b[r.i] <= '9' {
			r.i++
		}
		return r.i - from
	}
	at := func(set string) bool { return r.i < len(r.b) && bytes.IndexByte([]byte(set), r.b[r.i]) >= 0 }
	if at("-") {
		r.i++
	}
	if at("0") {
		r.i++
	} else if digits() == 0 {
		r.i = start
		return nil, r.fault("unexpected %q", r.b[r.i])
	}
	if at(".") {
		r.i++
		if digits() == 0 {
			return nil, r.fault("a number has no digits after its point")
		}
	}
	long := r.i-start > maxDigits
	if at("eE") {
		r.i++
		if at("+-") {
			r.i++
		}
		n := digits()
		if n == 0 {
			return nil, r.fault("a number has no digits in its exponent")
		}
		long = long || n > maxExponent
	}
	if long {
		return nil, r.fault("a number has too many digits")
	}
	if !r.build {
		return nil, nil
	}
	return json.Number(r.b[start:r.i]), nil
}
