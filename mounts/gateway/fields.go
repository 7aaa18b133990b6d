package gateway

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// maxFields is the most bytes that are said of the fields of a form.
const maxFields = 600

// fieldsOf returns the fields of a form in short, from its schema:
// `owner: string, labels?: string[]`. Required ones come first, otherwise in the order
// of the schema. One that is required and has a default is optional, and the default
// is shown, since it is sent. Of a schema of another shape nothing is said.
func fieldsOf(schema json.RawMessage) string {
	var form struct {
		Properties members  `json:"properties"`
		Required   []string `json:"required"`
	}
	if json.Unmarshal(schema, &form) != nil {
		return ""
	}
	if len(form.Properties) == 0 {
		return "none"
	}
	var required, optional []string
	for _, p := range form.Properties {
		is := slices.Contains(form.Required, p.name)
		value := defaultOf(p.value)
		switch {
		case is && value == nil:
			required = append(required, p.name+": "+typeName(p.value, 0))
		case is && len(value) <= maxDefault:
			optional = append(optional, p.name+"?: "+typeName(p.value, 0)+" = "+string(value))
		default:
			optional = append(optional, p.name+"?: "+typeName(p.value, 0))
		}
	}
	const more = ", …"
	var b strings.Builder
	for i, arg := range append(required, optional...) {
		if i > 0 {
			arg = ", " + arg
		}
		if b.Len()+len(arg) > maxFields-len(more) {
			b.WriteString(more)
			break
		}
		b.WriteString(arg)
	}
	return b.String()
}

// maxDefault is the length in bytes of the longest default that is shown.
const maxDefault = 40

// defaultOf returns the default of a schema, or nil.
func defaultOf(schema json.RawMessage) json.RawMessage {
	var s struct {
		Default json.RawMessage `json:"default"`
	}
	var compact bytes.Buffer
	if json.Unmarshal(schema, &s) != nil || s.Default == nil || json.Compact(&compact, s.Default) != nil {
		return nil
	}
	return compact.Bytes()
}

// maxDepth is how many levels of nested arrays are written.
const maxDepth = 3

// typeName returns the type that a schema describes, in one word: "any" if that is
// not enough.
func typeName(schema json.RawMessage, depth int) string {
	var s struct {
		Type  json.RawMessage   `json:"type"`
		Enum  []json.RawMessage `json:"enum"`
		Items json.RawMessage   `json:"items"`
	}
	if json.Unmarshal(schema, &s) != nil || depth > maxDepth {
		return "any"
	}
	if words := enumeration(s.Enum); words != "" {
		return words
	}
	var one string
	var several []string
	switch {
	case json.Unmarshal(s.Type, &one) == nil:
	case json.Unmarshal(s.Type, &several) == nil && len(several) > 0:
		several = slices.DeleteFunc(several, func(t string) bool { return t == "null" })
		if len(several) != 1 {
			return "any"
		}
		one = several[0]
	}
	switch one {
	case "array":
		if s.Items == nil {
			return "any[]"
		}
		name := typeName(s.Items, depth+1)
		if strings.Contains(name, "|") {
			name = "(" + name + ")"
		}
		return name + "[]"
	case "string", "number", "integer", "boolean", "object", "null":
		return one
	}
	return "any"
}

// maxEnumeration is the length in bytes of the longest enumeration that is written
// out.
const maxEnumeration = 80

func enumeration(values []json.RawMessage) string {
	var words []string
	for _, v := range values {
		var compact bytes.Buffer
		if json.Compact(&compact, v) != nil {
			return ""
		}
		words = append(words, compact.String())
	}
	all := strings.Join(words, "|")
	if len(all) > maxEnumeration {
		return ""
	}
	return all
}

// members are the members of an object, in their order.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

func (m *members) UnmarshalJSON(body []byte) error {
	*m = nil
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return err // not an object: it has no members
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		text, _ := name.(string)
		*m = append(*m, member{text, value})
	}
	return nil
}
