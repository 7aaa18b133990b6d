package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (c Choice) shown() string {
	switch c.Title {
	case "", c.Value:
		return plain(c.Value)
	}
	return c.Title + " (" + plain(c.Value) + ")"
}

// plain returns a text of a server as one line without control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// heading describes a field in one line: "Name (required): Your full name".
func (f Field) heading() string {
	text := f.Title
	if text == "" {
		text = plain(f.Name)
	}
	var notes []string
	if f.Format != "" {
		notes = append(notes, f.Format)
	}
	if f.Required {
		notes = append(notes, "required")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	if f.Description != "" {
		text += ": " + f.Description
	}
	return text
}

// prompt returns what stands before the cursor. Standing is the value that the field
// keeps if none is typed, or nil.
func (f Field) prompt(standing json.RawMessage) string {
	how := ""
	switch {
	case len(f.Choices) > 0 && f.Several:
		how = ", numbers separated by commas"
	case len(f.Choices) > 0:
		how = fmt.Sprintf(", 1 to %d", len(f.Choices))
	case f.Several:
		how = ", separated by commas"
	case f.Type == "boolean":
		how = ", y or n"
	case f.Type == "integer":
		how = ", a whole number"
	case f.Type == "number":
		how = ", a number"
	case f.Type == "":
		how = ", JSON"
	}
	if f.Secret {
		how += ", not shown"
	}
	switch {
	case standing == nil:
	case f.Secret && !bytes.Equal(standing, f.Default):
		how += " [as before]"
	default:
		how += " [" + f.shown(standing) + "]"
	}
	return plain(f.Name) + how + ": "
}

// shown returns a value as it is typed.
func (f Field) shown(value json.RawMessage) string {
	var list []json.RawMessage
	if f.Several && json.Unmarshal(value, &list) == nil {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = f.shownOne(v)
		}
		return strings.Join(words, ",")
	}
	return f.shownOne(value)
}

func (f Field) shownOne(value json.RawMessage) string {
	text := string(bytes.TrimSpace(value))
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	}
	if i := slices.IndexFunc(f.Choices, func(c Choice) bool { return c.Value == text }); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	if f.Type == "boolean" {
		return map[string]string{"true": "y", "false": "n"}[text]
	}
	return plain(text)
}

// parse returns the value that was typed.
func (f Field) parse(text string) (json.RawMessage, error) {
	if !f.Several {
		return f.parseOne(text)
	}
	if list := []json.RawMessage(nil); strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return json.RawMessage(text), nil
	}
	values := []json.RawMessage{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		value, err := f.parseOne(word)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return json.Marshal(values)
}

func (f Field) parseOne(text string) (json.RawMessage, error) {
	if len(f.Choices) > 0 {
		value, err := f.choose(text)
		if err != nil {
			return nil, err
		}
		text = value
	}
	switch f.Type {
	case "string":
		return json.Marshal(text)
	case "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return json.RawMessage("true"), nil
		case "n", "no", "false":
			return json.RawMessage("false"), nil
		}
		return nil, errors.New("it must be y or n")
	case "integer", "number":
		var number json.Number
		if json.Unmarshal([]byte(text), &number) != nil || strings.HasPrefix(text, `"`) {
			return nil, errors.New("it must be a number")
		}
		if _, err := strconv.ParseInt(text, 10, 64); f.Type == "integer" && err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, errors.New("it must be a whole number")
		}
		return json.RawMessage(text), nil
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	return json.Marshal(text)
}

// choose returns the value of the choice that was typed: its number, its value or its
// title.
func (f Field) choose(text string) (string, error) {
	for _, c := range f.Choices {
		if c.Value == text {
			return text, nil
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return f.Choices[n-1].Value, nil
	}
	for _, c := range f.Choices {
		if strings.EqualFold(c.Value, text) || strings.EqualFold(c.Title, text) {
			return c.Value, nil
		}
	}
	return "", fmt.Errorf("it must be a number from 1 to %d, or one of these values", len(f.Choices))
}

// contentOf returns the values of fields as an object, in the order of the fields.
func contentOf(fields []Field, given map[string]json.RawMessage) (json.RawMessage, error) {
	out := []byte{'{'}
	for _, f := range fields {
		value, ok := given[f.Name]
		if !ok {
			continue
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// concerned returns the fields that a message names, or all if it names none.
func concerned(fields []Field, message string) []Field {
	var named []Field
	for _, f := range fields {
		if strings.Contains(message, "--"+f.Name+" ") || strings.Contains(message, `"`+f.Name+`"`) {
			named = append(named, f)
		}
	}
	if len(named) == 0 {
		return fields
	}
	return named
}
