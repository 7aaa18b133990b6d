package agents

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// record is a line of a log of JSON objects: the part of it that matters, the
// time, and the line itself. Its fields are found in one pass, as most are looked
// for and many are long.
type record struct {
	lazyjson.Value
	line   []byte
	time   time.Time
	fields []recordField
}

// recordField is one of them; of several with one name the first counts.
type recordField struct {
	name  string
	value lazyjson.Value
}

// of is the record with another part of it that matters.
func (r record) of(part lazyjson.Value) record {
	r.Value, r.fields = part, make([]recordField, 0, 12)
	if part.IsObject() {
		part.ForEach(func(k, v lazyjson.Value) bool {
			r.fields = append(r.fields, recordField{k.Str, v})
			return true
		})
	}
	return r
}

// Get is a field, or what lies at a path in it. Names of fields are plain here.
func (r record) Get(path string) lazyjson.Value {
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

// str is a text in it, "" for anything else.
func (r record) str(key string) string { return r.Get(key).Str }

// event begins an event with what every record tells.
func (r record) event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Time: r.time, ID: r.str("id")}
}

// quiet emits a record that nobody reads.
func (r record) quiet(kind event.Kind, out event.Sink) {
	e := r.event(kind)
	e.Quiet, e.Record = true, string(r.line)
	out.Emit(e)
}

// system emits what the program said.
func (r record) system(text string, out event.Sink) {
	e := r.event(event.System)
	e.Text = text
	out.Emit(e)
}

// validRecord tells whether a line can be read. One that cannot is emitted as
// unknown; an empty one says nothing.
func validRecord(line []byte, out event.Sink) bool {
	if lazyjson.Valid(line) {
		return true
	}
	if len(bytes.TrimSpace(line)) > 0 {
		emitUnknown(out, "no JSON", line)
	}
	return false
}

// emitUnknown emits a record that is not understood.
func emitUnknown(out event.Sink, typ string, line []byte) {
	e := event.Event{Kind: event.Unknown, Text: typ, Record: string(line)}
	for _, key := range []string{"timestamp", "created_at"} {
		if e.Time.IsZero() {
			e.Time = parseTime(lazyjson.ParseString(e.Record).Get(key).Str)
		}
	}
	out.Emit(e)
}

// parseTime reads the usual form of a time, and gives zero for all else.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// millis is the time of that many milliseconds since 1970, zero for none.
func millis(n int64) time.Time {
	if n <= 0 || n > 1<<48 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// imageNote is the note for an image that is given by its address: data is
// counted, other addresses are named.
func imageNote(address string) string {
	head, data, ok := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		if address == "" {
			return "[image]"
		}
		return "[image " + address + "]"
	}
	if t, is64 := strings.CutSuffix(kind, ";base64"); is64 {
		return event.Blob(t, base64Size(data))
	}
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	return event.Blob(kind, len(data))
}

// base64Size is how many bytes a text in base64 stands for.
func base64Size(data string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
}

// titleOf makes a title of a prompt: its first line that says something.
func titleOf(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return cutRunes(line, 200)
		}
	}
	return ""
}

// cutRunes cuts a text to that many runes.
func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// maxDocument is the largest document that is read whole.
const maxDocument = 256 << 20

// readWhole reads a document.
func readWhole(path string) (lazyjson.Value, error) {
	body, err := readDocument(path)
	if err != nil {
		return lazyjson.Value{}, err
	}
	if !lazyjson.Valid(body) {
		return lazyjson.Value{}, fmt.Errorf("%s: no JSON, or half of it", path)
	}
	return lazyjson.Parse(body), nil
}

// readDocument reads a file that is not larger than documents of this sort get.
func readDocument(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() > maxDocument {
		return nil, fmt.Errorf("%s: %d MB are too many to be read at once (at most %d)", path, st.Size()>>20, maxDocument>>20)
	}
	return os.ReadFile(path)
}
