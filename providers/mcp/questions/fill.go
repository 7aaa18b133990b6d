package questions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
)

// fill returns the content of a form's answer: what was given, and the defaults of
// the fields that were not. The error is a [*Error] that names the field and says
// what it may be.
func (q *Question) fill(words []arguments.Word, content json.RawMessage) (json.RawMessage, error) {
	schema := arguments.Compile(q.Schema)
	var err error
	if len(words) > 0 {
		content, err = schema.Parse(words)
	}
	if err == nil {
		if len(bytes.TrimSpace(content)) == 0 {
			content = json.RawMessage("{}")
		}
		content = q.withDefaults(content)
		err = schema.Check(content, words...)
	}
	if err != nil {
		return nil, q.unfit(err)
	}
	return content, q.checkFormats(content)
}

// checkFields checks values of a form by themselves: what else the form requires does
// not matter. The error is as that of fill.
func (q *Question) checkFields(content json.RawMessage) error {
	given, err := rawjson.ParseObject(content)
	if err != nil {
		return err
	}
	whole, err := rawjson.ParseObject(q.Schema)
	if err != nil {
		return err
	}
	var properties rawjson.Object
	for name, schema := range rawjson.Parts(whole.Get("properties")) {
		if given.Get(name) != nil {
			properties = properties.With(name, schema)
		}
	}
	listed, err := properties.Append(nil)
	if err != nil {
		return err
	}
	part := rawjson.Object{{Name: "type", Value: json.RawMessage(`"object"`)}, {Name: "properties", Value: listed}}
	for _, name := range []string{"$schema", "$defs", "definitions"} {
		if value := whole.Get(name); value != nil {
			part = part.With(name, value)
		}
	}
	schema, err := part.Append(nil)
	if err != nil {
		return err
	}
	if err := arguments.Compile(schema).Check(content); err != nil {
		return q.unfit(err)
	}
	return q.checkFormats(content)
}

// unfit returns the error of an answer that the schema refuses.
func (q *Question) unfit(err error) error {
	if fault := (*arguments.Error)(nil); errors.As(err, &fault) {
		return q.wrong(fault.What, fault.Hint, fault.Part)
	}
	return err
}

// wrong returns the error of an answer that does not fit.
func (q *Question) wrong(what, hint string, part json.RawMessage) *Error {
	var mend []string
	if len(part) > 0 {
		mend = append(mend, strings.TrimSpace(string(part)))
	}
	if hint != "" {
		mend = append(mend, hint)
	}
	return &Error{What: what, Mend: strings.Join(append(mend, "see the fields: ctxfs answer "+q.ID+" --help"), "\n")}
}

// withDefaults adds the defaults of fields that are not given, as a form that is
// shown filled in would send them.
func (q *Question) withDefaults(content json.RawMessage) json.RawMessage {
	o, err := rawjson.ParseObject(content)
	if err != nil {
		return content // the check says so
	}
	for _, f := range q.FieldList() {
		if f.Default != nil && string(f.Default) != "null" && o.Get(f.Name) == nil {
			o = o.With(f.Name, f.Default)
		}
	}
	filled, err := o.Append(nil)
	if err != nil {
		return content
	}
	return filled
}

// checkFormats checks the formats that the specification of forms names.
func (q *Question) checkFormats(content json.RawMessage) error {
	o, err := rawjson.ParseObject(content)
	if err != nil {
		return err
	}
	for _, f := range q.FieldList() {
		var value string
		if f.Type != "string" || f.Several || json.Unmarshal(o.Get(f.Name), &value) != nil {
			continue
		}
		if want := misformatted(f.Format, value); want != "" {
			return q.wrong(fmt.Sprintf("--%s must be %s", clean.Cut(clean.Line(f.Name), 60), want), "", nil)
		}
	}
	return nil
}

// misformatted returns what a value of a format must be, or "" if it is that.
func misformatted(format, value string) string {
	switch format {
	case "email":
		if a, bad := mail.ParseAddress(value); bad != nil || a.Address != value {
			return "an email address, such as ann@example.com"
		}
	case "uri":
		if u, bad := url.Parse(value); bad != nil || !u.IsAbs() {
			return "a URI, such as https://example.com/x"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return "a date, such as 2026-01-31"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return "a date and time, such as 2026-01-31T08:00:00Z"
		}
	}
	return ""
}
