package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"ctxfs/providers/internal/nearest"
)

// MaxTimeoutMS is the longest time that an agent may be given: 24 days.
const MaxTimeoutMS = math.MaxInt32

// Parse reads a request: one JSON object, see [Schema]. A key that is not one of a
// request's is an error that names it, like a value of a wrong type.
func Parse(body []byte) (r Request, err error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	var object map[string]json.RawMessage
	if err := dec.Decode(&object); err != nil {
		return r, fault(err)
	}
	if object == nil {
		return r, errors.New("a request is a JSON object, not null")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("something follows the JSON object of the request")
	}
	var timeout float64
	places := map[string]any{
		"agent": &r.Agent, "prompt": &r.Prompt, "repoDir": &r.RepoDir, "readOnly": &r.ReadOnly,
		"worktree": &r.Worktree, "timeoutMs": &timeout, "schema": &r.Schema,
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		place, ok := places[key]
		if !ok {
			return r, unknownKey(key, slices.Collect(maps.Keys(places)))
		}
		if err := json.Unmarshal(object[key], place); err != nil {
			return r, wrongType(key, err)
		}
	}
	if timeout != math.Trunc(timeout) || math.Abs(timeout) > MaxTimeoutMS {
		return r, fmt.Errorf("timeoutMs is %s, but must be a whole number of at most %d", object["timeoutMs"], MaxTimeoutMS)
	}
	r.TimeoutMS = int64(timeout)
	r.Schema, err = answerSchema(r.Schema)
	return r, err
}

// answerSchema returns the schema for an answer, which is an object, or a string with one.
func answerSchema(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case json.Unmarshal(raw, &text) == nil:
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		raw = json.RawMessage(text)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return nil, errors.New("schema must be a JSON Schema, which is an object")
	}
	return raw, nil
}

// Check reports what is missing in a request, or makes no sense.
func (r *Request) Check() error {
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return errors.New("the prompt is empty")
	case strings.Contains(r.Prompt, "\x00"):
		return errors.New("the prompt has a NUL byte, which no argument of a program can have")
	case r.TimeoutMS < 0 || r.TimeoutMS > MaxTimeoutMS:
		return fmt.Errorf("timeoutMs is %d, but must be at least 0 and at most %d", r.TimeoutMS, MaxTimeoutMS)
	}
	_, err := answerSchema(r.Schema)
	return err
}

func unknownKey(key string, known []string) error {
	if near := nearest.Of(key, known); near != "" {
		return fmt.Errorf("a request has no key %q; did you mean %q?", key, near)
	}
	slices.Sort(known)
	return fmt.Errorf("a request has no key %q; it has %s", key, strings.Join(known, ", "))
}

// fault words an error of package json.
func fault(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("a request is a JSON object, not %s", kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object of the request is not complete")
	}
	return fmt.Errorf("the request is not JSON: %w", err)
}

func wrongType(key string, err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return fmt.Errorf("%s: %w", key, err)
	}
	must := "a " + kind.Type.Kind().String()
	switch kind.Type.Kind() {
	case reflect.Bool:
		must = "true or false"
	case reflect.Float64:
		must = "a whole number"
	}
	return fmt.Errorf("%s is %s, but must be %s", key, kind.Value, must)
}
