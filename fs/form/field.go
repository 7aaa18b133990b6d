package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse returns the value that was typed: of a field with Several a JSON array, or values
// separated by commas; of one with Choices the number, the value or the title of one.
func (f Field) Parse(text string) (json.RawMessage, error) {
	if !f.Several {
		return f.parseOne(text)
	}
	if strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
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
		i := f.choice(text)
		if i < 0 {
			return nil, fmt.Errorf("it must be a number from 1 to %d, or one of these values", len(f.Choices))
		}
		text = f.Choices[i].Value
	}
	value := json.RawMessage(text)
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
		switch {
		case !json.Valid(value) || !strings.ContainsAny(text[:1], "-0123456789"):
			return nil, errors.New("it must be a number")
		case f.Type == "integer" && strings.ContainsAny(text, ".eE"):
			return nil, errors.New("it must be a whole number")
		}
		return value, nil
	}
	if json.Valid(value) {
		return value, nil
	}
	return json.Marshal(text)
}

// choice returns the index of the choice that was typed: by its value, else by its number,
// counted from 1, else by its value or title in any case; -1 if none matches.
func (f Field) choice(text string) int {
	if i := slices.IndexFunc(f.Choices, func(c Choice) bool { return c.Value == text }); i >= 0 {
		return i
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return n - 1
	}
	return slices.IndexFunc(f.Choices, func(c Choice) bool { return strings.EqualFold(c.Value, text) || strings.EqualFold(c.Title, text) })
}

// Typed returns a value as [Field.Parse] reads it.
func (f Field) Typed(value json.RawMessage) string {
	var list []json.RawMessage
	if !f.Several || json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	words := make([]string, len(list))
	for i, v := range list {
		text := string(bytes.TrimSpace(v))
		_ = json.Unmarshal(v, &text) // what is no string stays as it is
		if c := slices.IndexFunc(f.Choices, func(c Choice) bool { return c.Value == text }); c >= 0 {
			text = strconv.Itoa(c + 1)
		} else if f.Type == "boolean" {
			text = map[string]string{"true": "y", "false": "n"}[text]
		}
		words[i] = text
	}
	return strings.Join(words, ",")
}

// Content returns the values of fields as an object, in the order of the fields.
func Content(fields []Field, values map[string]json.RawMessage) json.RawMessage {
	var members []string
	for _, f := range fields {
		if value, ok := values[f.Name]; ok {
			name, _ := json.Marshal(f.Name) // a string always encodes
			members = append(members, string(name)+":"+string(value))
		}
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// Named returns the fields that a message about an answer names, or all if it names none.
func Named(fields []Field, message string) (named []Field) {
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
