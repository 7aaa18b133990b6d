// Package settings reads ctxfs's own configuration, config.toml. Each provider
// decodes its own table, strictly: an unknown key is an error, so that a
// misspelt setting is not silently ignored.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ctxfs/providers/internal/nearest"
)

// File is a configuration file that has been read. It is immutable.
type File struct {
	path string
	text []byte
	top  map[string]any
}

// Load reads the file. A missing file is an empty one. Errors name the file,
// and begin with "file:line: " if they concern a line.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*File, error) {
	f := &File{path: path, text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	if err := toml.Unmarshal(f.text, &f.top); err != nil {
		return nil, f.misspelt(err)
	}
	return f, nil
}

// Path returns where the file is, or would be.
func (f *File) Path() string { return f.path }

// Tables returns the names of the top-level tables (and of top-level keys),
// sorted.
func (f *File) Tables() []string { return slices.Sorted(maps.Keys(f.top)) }

// Decode decodes the table at path ("mcp", "servers", "x" for [mcp.servers.x])
// into the struct that into points to; fields are found by their "toml" tags. A
// missing table leaves it unchanged. A key without a field is an error that
// names the nearest known one; the other keys are decoded all the same. A value
// of a wrong type is an error. Errors begin with "file:line: ". Faults in other
// tables do not matter.
func (f *File) Decode(into any, path ...string) error {
	value, ok := f.lookup(path)
	if !ok {
		return nil
	}
	// Decoded alone, as the decoder stops at the first fault of a document.
	const entry = "entry"
	text, err := toml.Marshal(map[string]any{entry: value})
	if err != nil {
		return fmt.Errorf("%s: [%s]: %w", f.path, strings.Join(path, "."), err)
	}
	ptr := reflect.ValueOf(into)
	doc := reflect.New(reflect.StructOf([]reflect.StructField{{
		Name: "Entry", Type: ptr.Type().Elem(), Tag: `toml:"` + entry + `"`,
	}}))
	doc.Elem().Field(0).Set(ptr.Elem())
	err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(doc.Interface())
	var unknown *toml.StrictMissingError
	var mistyped *toml.DecodeError
	switch {
	case err == nil:
		ptr.Elem().Set(doc.Elem().Field(0))
		return nil
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		ptr.Elem().Set(doc.Elem().Field(0))
		return f.unknown(path, unknown.Errors[0].Key()[1:], ptr.Type().Elem())
	case errors.As(err, &mistyped) && len(mistyped.Key()) > 0:
		return f.mistyped(path, mistyped.Key()[1:], ptr.Type().Elem())
	}
	return fmt.Errorf("%s: [%s]: %w", f.path, strings.Join(path, "."), err)
}

func (f *File) lookup(path []string) (value any, ok bool) {
	value, ok = f.top, true
	for _, name := range path {
		table, isTable := value.(map[string]any)
		if value, ok = table[name]; !isTable || !ok {
			return nil, false
		}
	}
	return value, true
}

// unknown returns the error for a key below path that has no field in type t.
func (f *File) unknown(path []string, key toml.Key, t reflect.Type) error {
	bad, known := faultyKey(key, t)
	table := slices.Concat(path, key[:bad])
	msg := fmt.Sprintf("%sunknown key %q in [%s]", f.place(append(table, key[bad])), key[bad], strings.Join(table, "."))
	if suggestion := nearest.Of(key[bad], known); suggestion != "" {
		return fmt.Errorf("%s; did you mean %q?", msg, suggestion)
	}
	return fmt.Errorf("%s; known keys are %s", msg, strings.Join(known, ", "))
}

// mistyped returns the error for a value that does not fit its field in type t.
func (f *File) mistyped(path []string, key toml.Key, t reflect.Type) error {
	whole := slices.Concat(path, key)
	for _, element := range key {
		t = within(t, element)
	}
	last := len(whole) - 1
	if last == 0 {
		return fmt.Errorf("%s%q is not %s", f.place(whole), whole[0], kindOf(t))
	}
	return fmt.Errorf("%s%q in [%s] is not %s", f.place(whole), whole[last], strings.Join(whole[:last], "."), kindOf(t))
}

// kindOf names what a field of type t accepts.
func kindOf(t reflect.Type) string {
	if t == nil {
		return "what it should be"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array, or something in it is not " + kindOf(t.Elem())
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return "a table"
		}
		return "a table, or something in it is not " + kindOf(t.Elem())
	case reflect.Struct:
		return "a table"
	}
	return "a number that it can be"
}

// within returns the type of an element of type t, or nil.
func within(t reflect.Type, element string) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice:
		return t.Elem()
	case reflect.Struct:
		for j := range t.NumField() {
			if fieldName(t.Field(j)) == element {
				return t.Field(j).Type
			}
		}
	}
	return nil
}

// faultyKey returns the first element of a key that has no field, and the names
// of the known fields.
func faultyKey(key toml.Key, t reflect.Type) (index int, known []string) {
	for i, element := range key {
		next := within(t, element)
		if next == nil {
			if t.Kind() == reflect.Struct {
				for j := range t.NumField() {
					known = append(known, fieldName(t.Field(j)))
				}
			}
			return i, known
		}
		t = next
	}
	return len(key) - 1, nil
}

// fieldName returns the key of a field. Every field has a tag.
func fieldName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
	return name
}

// misspelt returns the error for text that is not TOML.
func (f *File) misspelt(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	line, _ := at.Position()
	return fmt.Errorf("%s:%d: %s", f.path, line, strings.TrimPrefix(at.Error(), "toml: "))
}

// place returns "file:line: " for a key, the beginning of an error; "file: " if
// the line is unknown.
func (f *File) place(key []string) string {
	if line := f.line(key); line > 0 {
		return fmt.Sprintf("%s:%d: ", f.path, line)
	}
	return f.path + ": "
}

// Line returns the first line that names the table or key at path, or 0.
func (f *File) Line(path ...string) int { return f.line(path) }

// line returns the first line that names a key or something in it; within an inline
// table that of the innermost key around it; or 0.
func (f *File) line(key []string) int {
	var (
		p            unstable.Parser // the decoder gives no positions of valid keys
		table        []string
		offset, best = 0, 0
	)
	p.Reset(f.text)
	for p.NextExpression() {
		e := p.Expression()
		var at []string
		if e.Kind == unstable.KeyValue {
			at = slices.Clone(table)
		}
		begin := -1
		for k := e.Key(); k.Next(); {
			if begin < 0 {
				begin = int(k.Node().Raw.Offset)
			}
			at = append(at, string(k.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = at
		}
		if n := min(len(at), len(key)); n > best && slices.Equal(at[:n], key[:n]) {
			best, offset = n, begin
		}
	}
	if best == 0 {
		return 0
	}
	return 1 + bytes.Count(f.text[:offset], []byte("\n"))
}
