// Package syntax is the common representation of configuration files, whatever
// syntax they are written in. Every value has its position, so that a fault can be
// reported with its line.
package syntax

import "fmt"

// Kind is the kind of a value, in words for a message.
type Kind string

// The kinds of values.
const (
	Object Kind = "an object"
	Array  Kind = "an array"
	Text   Kind = "a string"
	Number Kind = "a number"
	Bool   Kind = "true or false"
	Null   Kind = "null"
)

// Value is one value of a document.
type Value struct {
	Kind Kind
	// Text is the content of a string; a number, boolean or null as it is
	// written.
	Text string
	// Members are the members of an object, in their order; if several have one
	// name the last counts. Items are the elements of an array.
	Members []Member
	Items   []Value
	// Line and Column are where the value begins, both counted from one, the
	// column in bytes; Column is 0 if it is unknown.
	Line, Column int
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Get returns the member with a name, and whether it is present and not null.
func (v Value) Get(name string) (member Value, ok bool) {
	for _, m := range v.Members {
		if m.Name == name {
			member, ok = m.Value, m.Value.Kind != Null
		}
	}
	return member, ok
}

// At returns the value at a path of names.
func (v Value) At(path ...string) (at Value, ok bool) {
	at, ok = v, true
	for _, name := range path {
		if at, ok = at.Get(name); !ok {
			return Value{}, false
		}
	}
	return at, ok
}

// Errorf returns an error at the position of the value: "line 3, column 7:
// ...".
func (v Value) Errorf(format string, args ...any) error {
	place := fmt.Sprintf("line %d", v.Line)
	if v.Column > 0 {
		place += fmt.Sprintf(", column %d", v.Column)
	}
	return fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...))
}
