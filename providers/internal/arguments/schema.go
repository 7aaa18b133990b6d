// Package arguments makes the arguments of a tool of a command line, and
// checks them against the tool's input schema.
//
// The schema is foreign: it may be missing, broken, endless or made to do
// harm. [Compile] therefore never fails. What cannot be read as a schema is not
// checked, and [Schema.Fault] says why; its names and types still serve as far
// as they can be made out. Nothing is ever fetched: a reference to another
// document is a fault. The work of compiling and of checking is limited, so that
// no schema makes a caller wait for long.
//
// The check errs on the side of the call: the server has the last word. Formats
// ("uri", "date-time") are not enforced, nor are patterns that Go cannot
// express. In one thing it is stricter than JSON Schema, which accepts every
// name that it does not know: a name that the schema does not list is an error
// unless the schema says that it takes others, since servers ignore such a name
// without a word, and it is nearly always a misspelt one.
//
// The format is JSON Schema (https://json-schema.org), drafts 4 to 2020-12 as
// "$schema" says, 2020-12 without it.
package arguments

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Schema is the input schema of a tool, compiled. It is safe for concurrent
// use: nothing of it changes after [Compile].
type Schema struct {
	raw    json.RawMessage
	root   place
	fields fields
	closed bool // nothing but the fields
	fault  string
	idle   sync.Pool // *checker, each used by one check at a time
}

// Compile reads a tool's input schema. It never fails: see [Schema.Fault]. It
// costs some 100 microseconds for a usual schema, and a second or two for one that is
// made to take long. raw is kept and must not be changed.
func Compile(raw json.RawMessage) *Schema {
	s := &Schema{raw: raw, fields: fields{loose: true}}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		s.fault = "the tool has no input schema"
		return s
	}
	node, err := decode(raw)
	if err != nil {
		s.fault = "the input schema is no JSON: " + err.Error()
		return s
	}
	s.root = place{node: node}
	switch node.(type) {
	case map[string]any, bool:
	default:
		s.fault = "the input schema is no JSON object"
		return s
	}
	top := s.shapeOf([]place{s.root})
	s.fields, s.closed = s.fieldsOf(top), top.closed
	c, err := newChecker(s.root.node, len(raw))
	if err != nil {
		s.fault = err.Error()
		return s
	}
	s.idle.Put(c)
	return s
}

// Fault says why arguments are not checked against the schema, as one sentence;
// "" where they are. It is for a tool's status, not for the caller of the tool,
// who can do nothing about it.
func (s *Schema) Fault() string { return s.fault }

// Empty reports whether the tool takes no arguments: its schema names none, and
// does not say that it takes others.
func (s *Schema) Empty() bool {
	m, ok := s.root.node.(map[string]any)
	if !ok || len(s.fields.list) > 0 {
		return false
	}
	return s.closed || !s.shapeOf([]place{s.root}).loose && m != nil
}
