// Package arguments parses the arguments of a tool from a command line, and checks
// them against the tool's input schema.
//
// [Compile] reads a schema (schema.go, fields.go, shape.go). [Schema.Parse] makes a
// JSON object of a command line (words.go, pointer.go, convert.go), [Schema.Check]
// checks it (check.go, checker.go, reader.go) and words what is wrong (report.go,
// error.go), [Schema.Complete] fills in defaults (complete.go), and [Schema.Help]
// describes the flags (help.go, bounds.go), [SignatureOf] all of them in a line
// (signature.go).
//
// The schema is foreign: it may be missing, broken, endless or malicious. [Compile]
// therefore never fails. Where the schema cannot be read, arguments are not
// checked, and [Schema.Fault] says why; its names and types are used as far as they
// can be read. Nothing is ever fetched: a reference to another document is a fault.
// The work of compiling and checking is limited, so that no schema delays a caller
// for long.
//
// The check errs on the side of the call: the server has the last word. Formats
// ("uri", "date-time") are not enforced, nor are patterns that Go cannot express. In
// one respect it is stricter than JSON Schema, which accepts every unknown name: a
// name that the schema does not list is an error unless the schema explicitly allows
// others, since servers silently ignore it, and it is nearly always misspelt.
//
// The format is JSON Schema (https://json-schema.org), drafts 4 to 2020-12 as
// "$schema" says, 2020-12 without it.
//
// A required argument with a default may be left out, and the default is sent: clients
// of the SDKs omit it, but servers that check the schema as it is written refuse that.
package arguments

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Schema is the compiled input schema of a tool. It is immutable and safe for
// concurrent use.
type Schema struct {
	raw    json.RawMessage
	root   place
	fields fields
	closed bool // no names but the fields are allowed
	fills  bool // a required property may have a default
	fault  string
	idle   sync.Pool // *checker, each used by one check at a time
}

// Compile reads a tool's input schema. It never fails: see [Schema.Fault]. It takes
// some 100 microseconds for a usual schema, and a second or two for a malicious one.
// It retains raw, which must not be changed.
func Compile(raw json.RawMessage) *Schema {
	s, ok := outline(raw)
	if !ok {
		return s
	}
	c, err := newChecker(s.root.node, len(raw))
	if err != nil {
		s.fault = err.Error()
		return s
	}
	s.idle.Put(c)
	return s
}

// outline reads a schema without compiling it: it can say what there is, and not
// check anything. Ok is false if it cannot be read, which is its fault then.
func outline(raw json.RawMessage) (s *Schema, ok bool) {
	s = &Schema{raw: raw, fields: fields{loose: true}}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		s.fault = "the tool has no input schema"
		return s, false
	}
	node, err := decode(raw)
	if err != nil {
		s.fault = "the input schema is not JSON: " + err.Error()
		return s, false
	}
	s.root = place{node: node}
	switch node.(type) {
	case map[string]any, bool:
	default:
		s.fault = "the input schema is not a JSON object"
		return s, false
	}
	top := s.shapeOf([]place{s.root})
	s.fields, s.closed, s.fills = s.fieldsOf(top), top.closed, s.mayFill()
	return s, true
}

// Fault returns why arguments are not checked against the schema, as one sentence,
// or "" if they are. It is for a tool's status: the caller of the tool cannot fix
// it.
func (s *Schema) Fault() string { return s.fault }

// Empty reports whether the tool takes no arguments: its schema lists none and does
// not explicitly allow any.
func (s *Schema) Empty() bool {
	m, ok := s.root.node.(map[string]any)
	return ok && len(s.fields.list) == 0 && (s.closed || !s.shapeOf([]place{s.root}).loose && m != nil)
}
