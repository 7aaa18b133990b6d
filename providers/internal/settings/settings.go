// Package settings reads ctxfs's own configuration, config.toml. Each provider
// decodes its own table, strictly: a key that nobody knows is an error, so
// that a slip of the pen is not a setting that silently does nothing.
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

	"ctxfs/providers/internal/nearest"
)

// File is a configuration file that has been read. It never changes.
type File struct {
	path   string
	text   []byte
	tables []string
}

// Load reads the file. One that does not exist is an empty one. Errors begin
// with "file:line: " where a line is to blame.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return nil, err
	}
	f := &File{path: path, text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	var top map[string]any
	if err := toml.Unmarshal(f.text, &top); err != nil {
		return nil, f.located(err)
	}
	f.tables = slices.Sorted(maps.Keys(top))
	return f, nil
}

// Path is where the file is, or would be.
func (f *File) Path() string { return f.path }

// Tables are the names of the top-level tables (and of top-level keys), sorted.
func (f *File) Tables() []string { return f.tables }

// Decode decodes one top-level table into what into points to; fields are
// found by their "toml" tags. A table that is not there leaves it unchanged.
// A key without a field is an error that names the nearest known one.
func (f *File) Decode(table string, into any) error {
	// Only a struct with exactly this table makes the decoder tell unknown
	// keys of the table from other tables.
	ptr := reflect.ValueOf(into)
	doc := reflect.New(reflect.StructOf([]reflect.StructField{{
		Name: "Table",
		Type: ptr.Type().Elem(),
		Tag:  reflect.StructTag(fmt.Sprintf("toml:%q", table)),
	}}))
	doc.Elem().Field(0).Set(ptr.Elem())
	err := toml.NewDecoder(bytes.NewReader(f.text)).DisallowUnknownFields().Decode(doc.Interface())
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) {
		err = nil
		for i := range missing.Errors {
			if key := missing.Errors[i].Key(); len(key) > 0 && key[0] == table {
				return f.unknown(&missing.Errors[i], doc.Elem().Type())
			}
		}
	}
	if err != nil {
		return f.located(err)
	}
	ptr.Elem().Set(doc.Elem().Field(0))
	return nil
}

// unknown is the error for a key that has no field in the document's type.
func (f *File) unknown(e *toml.DecodeError, doc reflect.Type) error {
	key := e.Key()
	line, _ := e.Position()
	bad, known := faultyKey(key, doc)
	msg := fmt.Sprintf("%s:%d: unknown key %q in [%s]", f.path, line, key[bad], strings.Join(key[:bad], "."))
	if near := nearest.Of(key[bad], known); near != "" {
		return fmt.Errorf("%s; did you mean %q?", msg, near)
	}
	return fmt.Errorf("%s; known are %s", msg, strings.Join(known, ", "))
}

// faultyKey finds the first element of a key that has no field, and the names
// of the fields that there are.
func faultyKey(key toml.Key, t reflect.Type) (index int, known []string) {
	for i, element := range key {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map:
			t = t.Elem()
			continue
		case reflect.Struct:
		default:
			return i, nil
		}
		known = nil
		var next reflect.Type
		for j := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(j).Tag.Get("toml"), ",")
			if name == "" || name == "-" {
				continue
			}
			known = append(known, name)
			if name == element {
				next = t.Field(j).Type
			}
		}
		if next == nil {
			return i, known
		}
		t = next
	}
	return len(key) - 1, known
}

// located puts file and line before a decoder's error.
func (f *File) located(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	line, _ := at.Position()
	text := strings.TrimPrefix(at.Error(), "toml: ")
	if key := at.Key(); len(key) > 0 {
		return fmt.Errorf("%s:%d: %s: %s", f.path, line, strings.Join(key, "."), text)
	}
	return fmt.Errorf("%s:%d: %s", f.path, line, text)
}
