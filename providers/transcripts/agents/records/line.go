package records

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Line is a line of a log of JSON objects: its time, the line itself and, as
// Value, the part of it that matters. The fields of that part are found in one
// pass, because most are looked up and many are long.
type Line struct {
	lazyjson.Value
	Source []byte
	Time   time.Time
	fields []field
}

// field is a field of a Line's part. If several fields have one name, the first is
// used.
type field struct {
	name  string
	value lazyjson.Value
}

// Part returns the line with another value as the part that matters.
func (r Line) Part(part lazyjson.Value) Line {
	r.Value, r.fields = part, make([]field, 0, 12)
	if part.IsObject() {
		for k, v := range lazyjson.All(part) {
			r.fields = append(r.fields, field{k.Str, v})
		}
	}
	return r
}

// Get returns a field, or the value at a path of fields separated by dots. Names
// of fields contain no special characters here.
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

// Text returns the string in a field, "" for any other type.
func (r Line) Text(key string) string { return r.Get(key).Str }

// Event returns an event with the line's time and the id in its part.
func (r Line) Event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Time: r.Time, ID: r.Text("id")}
}

// EmitQuiet emits the line as an event that is not shown in the transcript.
func (r Line) EmitQuiet(kind event.Kind, out event.Sink) {
	e := r.Event(kind)
	e.Quiet, e.Record = true, string(r.Source)
	out.Emit(e)
}

// EmitSystem emits a text of the agent's program.
func (r Line) EmitSystem(text string, out event.Sink) {
	e := r.Event(event.System)
	e.Text = text
	out.Emit(e)
}

// ParseLine parses a line of a log; ok is false where there is nothing to read. A
// line that is not JSON is emitted as unknown, an empty one is ignored.
func ParseLine(line []byte, out event.Sink) (v lazyjson.Value, ok bool) {
	if lazyjson.Valid(line) {
		return lazyjson.Parse(line), true
	}
	if len(bytes.TrimSpace(line)) > 0 {
		out.Emit(Garbled(line))
	}
	return v, false
}

// Garbled returns the event for a record that is not JSON, with the record as a
// JSON string.
func Garbled(record []byte) event.Event {
	kept, _ := json.Marshal(string(record)) // no string fails
	return event.Event{Kind: event.Unknown, Text: "not JSON", Record: string(kept), Time: recordTime(string(record))}
}

// EmitUnknown emits a record that is not understood; typ names its type.
func EmitUnknown(out event.Sink, typ string, line []byte) {
	record := string(line)
	out.Emit(event.Event{Kind: event.Unknown, Text: typ, Record: record, Time: recordTime(record)})
}

// recordTime returns the time of a record that is not understood, even of one that
// is cut off, or zero.
func recordTime(record string) time.Time {
	for _, key := range []string{"timestamp", "created_at"} {
		if t := ParseTime(lazyjson.ParseString(record).Get(key).Str); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// ParseRow parses a document in a row of a database. A text that is not JSON is
// emitted as unknown, with the id and the time of e, and ok is false: the rest of
// the session is still read.
func ParseRow(out event.Sink, e event.Event, text string) (lazyjson.Value, bool) {
	if lazyjson.Valid([]byte(text)) {
		return lazyjson.ParseString(text), true
	}
	broken := Garbled([]byte(text))
	broken.ID, broken.Time = e.ID, e.Time
	out.Emit(broken)
	return lazyjson.Value{}, false
}

// RecordOf returns the source's record of an event, "" where it is not valid
// JSON.
func RecordOf(v lazyjson.Value) string {
	if lazyjson.Valid([]byte(v.Raw)) {
		return v.Raw
	}
	return ""
}

// First returns the first of the named values that exists and is not null.
func First(v lazyjson.Value, names ...string) lazyjson.Value {
	var found lazyjson.Value
	for _, name := range names {
		if found = v.Get(name); found.Exists() && found.Type != lazyjson.Null {
			return found
		}
	}
	return found
}
