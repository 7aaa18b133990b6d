package records

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Line is a line of a log of JSON objects: the part of it that matters, the
// time, and the line itself. Its fields are found in one pass, as most are looked
// for and many are long.
type Line struct {
	lazyjson.Value
	Source []byte
	Time   time.Time
	fields []field
}

// field is one of them; of several with one name the first counts.
type field struct {
	name  string
	value lazyjson.Value
}

// Part is the record with another part of it that matters.
func (r Line) Part(part lazyjson.Value) Line {
	r.Value, r.fields = part, make([]field, 0, 12)
	if part.IsObject() {
		part.ForEach(func(k, v lazyjson.Value) bool {
			r.fields = append(r.fields, field{k.Str, v})
			return true
		})
	}
	return r
}

// Get is a field, or what lies at a path in it. Names of fields are plain here.
func (r Line) Get(path string) lazyjson.Value {
	name, rest, deep := strings.Cut(path, ".")
	for i := range r.fields {
		if r.fields[i].name != name {
			continue
		}
		if deep {
			return r.fields[i].value.Get(rest)
		}
		return r.fields[i].value
	}
	return lazyjson.Value{}
}

// Text is a text in it, "" for anything else.
func (r Line) Text(key string) string { return r.Get(key).Str }

// Event begins an event with what every record tells.
func (r Line) Event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Time: r.Time, ID: r.Text("id")}
}

// EmitQuiet emits a record that nobody reads.
func (r Line) EmitQuiet(kind event.Kind, out event.Sink) {
	e := r.Event(kind)
	e.Quiet, e.Record = true, string(r.Source)
	out.Emit(e)
}

// EmitSystem emits what the program said.
func (r Line) EmitSystem(text string, out event.Sink) {
	e := r.Event(event.System)
	e.Text = text
	out.Emit(e)
}

// ParseLine parses a line of a log. One that is not JSON is emitted as unknown; an
// empty line is nothing.
func ParseLine(line []byte, out event.Sink) (v lazyjson.Value, ok bool) {
	if lazyjson.Valid(line) {
		return lazyjson.Parse(line), true
	}
	if len(bytes.TrimSpace(line)) > 0 {
		out.Emit(Garbled(line))
	}
	return v, false
}

// Garbled is the event of a record that is not JSON; it is kept as a string.
func Garbled(record []byte) event.Event {
	kept, _ := json.Marshal(string(record)) // no string fails
	return event.Event{Kind: event.Unknown, Text: "not JSON", Record: string(kept), Time: recordTime(string(record))}
}

// EmitUnknown emits a record that is not understood.
func EmitUnknown(out event.Sink, typ string, line []byte) {
	record := string(line)
	out.Emit(event.Event{Kind: event.Unknown, Text: typ, Record: record, Time: recordTime(record)})
}

// recordTime finds the time of a record that is not understood, even of one that
// is cut off.
func recordTime(record string) time.Time {
	for _, key := range []string{"timestamp", "created_at"} {
		if t := ParseTime(lazyjson.ParseString(record).Get(key).Str); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// ParseRow is a document of a row. What is no JSON is emitted as an unknown
// record and false is returned: the rest of the session stands.
func ParseRow(out event.Sink, e event.Event, text string) (lazyjson.Value, bool) {
	if lazyjson.Valid([]byte(text)) {
		return lazyjson.ParseString(text), true
	}
	broken := Garbled([]byte(text))
	broken.ID, broken.Time = e.ID, e.Time
	out.Emit(broken)
	return lazyjson.Value{}, false
}

// RecordOf is the source's record of an event, as JSON.
func RecordOf(v lazyjson.Value) string {
	if lazyjson.Valid([]byte(v.Raw)) {
		return v.Raw
	}
	return ""
}

// First is the first of the named values that is there.
func First(v lazyjson.Value, names ...string) lazyjson.Value {
	var found lazyjson.Value
	for _, name := range names {
		if found = v.Get(name); found.Exists() && found.Type != lazyjson.Null {
			return found
		}
	}
	return found
}
