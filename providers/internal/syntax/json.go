package syntax

import (
	"bytes"
	"encoding/json"
)

// JSON returns the value as compact JSON, with its members in their order. A number that
// JSON cannot write, such as 0x10 of YAML, becomes a string.
func (v Value) JSON() json.RawMessage {
	var out bytes.Buffer
	v.json(&out)
	return out.Bytes()
}

func (v Value) json(out *bytes.Buffer) {
	switch v.Kind {
	case Object:
		out.WriteByte('{')
		for i, m := range v.Members {
			if i > 0 {
				out.WriteByte(',')
			}
			text(m.Name, out)
			out.WriteByte(':')
			m.Value.json(out)
		}
		out.WriteByte('}')
	case Array:
		out.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.json(out)
		}
		out.WriteByte(']')
	case Text:
		text(v.Text, out)
	case Null:
		out.WriteString("null")
	default:
		if !json.Valid([]byte(v.Text)) {
			text(v.Text, out)
			return
		}
		out.WriteString(v.Text)
	}
}

func text(s string, out *bytes.Buffer) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // of a string to memory, which cannot fail
	out.Truncate(out.Len() - 1)
}
