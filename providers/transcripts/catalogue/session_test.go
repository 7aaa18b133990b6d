package catalogue

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"ctxfs/providers/transcripts/event"
)

// TestCompact: no string of a compacted session is a part of the record that it was
// found in.
func TestCompact(t *testing.T) {
	record := strings.Repeat("a long record ", 1000)
	inRecord := func(s string) bool {
		from, at := uintptr(unsafe.Pointer(unsafe.StringData(record))), uintptr(unsafe.Pointer(unsafe.StringData(s)))
		return at >= from && at < from+uintptr(len(record))
	}
	var s event.Session
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		part := record[14*i : 14*i+6]
		switch field := v.Field(i); field.Interface().(type) {
		case string:
			field.SetString(part)
		case []string:
			field.Set(reflect.ValueOf([]string{part, part + "2"}))
		}
	}
	kept := compact(s)
	if !reflect.DeepEqual(kept, s) {
		t.Errorf("got  %+v\nwant %+v", kept, s)
	}
	v = reflect.ValueOf(kept)
	for i := range v.NumField() {
		var texts []string
		switch value := v.Field(i).Interface().(type) {
		case string:
			texts = []string{value}
		case []string:
			texts = value
		}
		for _, text := range texts {
			if inRecord(text) {
				t.Errorf("%s keeps the record", v.Type().Field(i).Name)
			}
		}
	}
}
