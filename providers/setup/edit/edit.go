// Package edit changes files that belong to others, in their own form, so that the
// change can be taken back: comments, order, spacing, line ends, a byte order mark and a
// missing final newline stay as they are.
//
// An [Edit] is one change of a text: [Member] and [Element] of JSON with or without
// comments, a [Block] between markers or a [Line] in any text that has comments, and a whole
// [File]. A text that is not there is nil. JSON is changed in its syntax, so that nothing but
// the value changes; a text that cannot be parsed is an error.
//
// [Edit.Apply] returns the edit as it was done, with what it found; only that can be
// reverted, since a value that was there before is not ours. Edits are plain data, for
// a journal that outlives the program.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/internal/jsonc"
)

// Change is what is to be done to one file.
type Change struct {
	// Path is absolute. If it is a link, the file that it points to is changed.
	Path string
	// Edits are done in their order.
	Edits []Edit
	// Why says to people in one line what the change is for.
	Why string
	// Mode is that of a file that the change makes; 0 is 0644.
	Mode os.FileMode
}

// Edit is a change of a text. The functions of this package make it; its fields are
// exported for a journal.
type Edit struct {
	Kind kind `json:"kind"`
	// Path are the names on the way to a value.
	Path []string `json:"path,omitempty"`
	// Value is the value as JSON.
	Value json.RawMessage `json:"value,omitempty"`
	// Name and Comment are those of a block, Text is its text, or that of a file.
	Name    string `json:"name,omitempty"`
	Comment string `json:"comment,omitempty"`
	Text    string `json:"text,omitempty"`
	// Ours is set if whatever has the name is ours, Mark is a part of a string in values
	// that are.
	Ours bool   `json:"ours,omitempty"`
	Mark string `json:"mark,omitempty"`
	// Strict is set for JSON of a program that reads none of a file with comments or
	// trailing commas: such a text is an error.
	Strict bool `json:"strict,omitempty"`

	// Found reports that the value was there already.
	Found bool `json:"found,omitempty"`
	// Was is what stood there instead, as it was written.
	Was string `json:"was,omitempty"`
	// Made is how many objects or arrays around the value were made, the
	// innermost first; Created says that the text had nothing in it.
	Made    int  `json:"made,omitempty"`
	Created bool `json:"created,omitempty"`
	// Before and After are the separators put around a block.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Plain returns the edit as it was made, without what was found when it was done.
func (e Edit) Plain() Edit { return e.Noted(Edit{}) }

// Noted returns the edit with what was found when another one was done.
func (e Edit) Noted(done Edit) Edit {
	e.Found, e.Was, e.Made, e.Created, e.Before, e.After = done.Found, done.Was, done.Made, done.Created, done.Before, done.After
	return e
}

// Replaces reports whether nothing is left of another edit where this one is done after it:
// they are the same, or about what is ours by its name.
func (e Edit) Replaces(old Edit) bool {
	if e.Kind != old.Kind || !slices.Equal(e.Path, old.Path) || e.Name != old.Name || e.Comment != old.Comment {
		return false
	}
	switch {
	case e.Kind == block, e.Kind == line && e.Mark == old.Mark, e.Ours, e.Mark != "" && e.Mark == old.Mark:
		return true
	}
	return e.Text == old.Text && bytes.Equal(e.Value, old.Value)
}

type kind string

const (
	block       kind = "block"
	line        kind = "line"
	file        kind = "file"
	jsonMember  kind = "member"
	jsonElement kind = "element"
)

// Block is a text between the lines "ctxfs: begin NAME" and "ctxfs: end", as comments
// that begin with comment ("#", "//", or "<!--", which is closed by "-->"), at the end of
// a text. A block of that name that is there already is replaced where it is.
func Block(comment, name, body string) Edit {
	return Edit{Kind: block, Comment: comment, Name: name, Text: strings.TrimSuffix(body, "\n")}
}

// File is a file that is ours as a whole. One that is there already with another text is
// an error.
func File(body []byte) Edit { return Edit{Kind: file, Text: string(body)} }

// Member sets a member of a JSON object, which may have comments and trailing commas;
// objects on the way are made. Another value that stands there is a [Conflict], unless the
// edit is [Edit.Owned]. Members of a value that is a Go map are sorted, those of a struct
// or a [json.RawMessage] keep their order.
func Member(path []string, value any) Edit { return valued(jsonMember, path, value) }

// Element appends an element to a JSON array, unless an equal one is there; the array and
// objects on the way are made.
func Element(path []string, value any) Edit { return valued(jsonElement, path, value) }

// Owned returns the edit for a member whose name is ours, as that of an MCP server with
// the name of this program: another value there is replaced, and reverting puts it back;
// what others changed in ours goes with it.
func (e Edit) Owned() Edit {
	e.Ours = true
	return e
}

// Marked returns the edit for an element that is ours if a string in it contains mark: one
// that is there already is replaced, and reverting takes it out although others changed
// it.
func (e Edit) Marked(mark string) Edit {
	e.Mark = mark
	return e
}

func valued(k kind, path []string, value any) Edit {
	if len(path) == 0 {
		panic("edit: a value has no name")
	}
	return Edit{Kind: k, Path: slices.Clone(path), Value: encode(value)}
}

// encode returns a value as compact JSON. It panics if the value cannot be encoded: all
// are made in this program.
func encode(value any) json.RawMessage {
	var compact bytes.Buffer
	text, err := jsonscan.Line(value)
	if err == nil {
		err = json.Compact(&compact, text)
	}
	if err != nil {
		panic(fmt.Sprintf("edit: a value that is no JSON: %v", err))
	}
	return compact.Bytes()
}

// Conflict reports that an edit would change what is not ours.
type Conflict struct {
	// Line is where that is, counted from 1; 0 if it has no line.
	Line int
	// Reason says what it is.
	Reason string
}

func (c *Conflict) Error() string {
	if c.Line == 0 {
		return c.Reason
	}
	return fmt.Sprintf("line %d: %s", c.Line, c.Reason)
}

func conflict(text []byte, at int, format string, args ...any) error {
	return &Conflict{Line: 1 + bytes.Count(text[:at], []byte("\n")), Reason: fmt.Sprintf(format, args...)}
}

const bom = "\xef\xbb\xbf"

// Apply returns the text with the edit, and the edit as it was done, for [Edit.Revert].
// Where nothing is to be done the text is returned as it is.
func (e Edit) Apply(text []byte) (after []byte, done Edit, err error) {
	if !bytes.HasPrefix(text, []byte(bom)) {
		return e.apply(text)
	}
	after, done, err = e.apply(text[len(bom):])
	return append([]byte(bom), after...), done, err
}

func (e Edit) apply(text []byte) ([]byte, Edit, error) {
	switch e.Kind {
	case block:
		return e.putBlock(text)
	case line:
		return e.putLine(text)
	case file:
		switch {
		case text == nil:
			e.Created = true
		case string(text) == e.Text:
			e.Found = true
		default:
			return nil, e, &Conflict{Reason: "another file has that name"}
		}
		return []byte(e.Text), e, nil
	case jsonMember, jsonElement:
		after, done, err := e.putJSON(text)
		if fault := (*json.SyntaxError)(nil); err == nil && e.Strict && !jsonc.IsBlank(text) && errors.As(json.Unmarshal(text, new(any)), &fault) {
			return nil, e, conflict(text, int(fault.Offset)-1, "its program reads nothing of a file with comments or trailing commas: take them out")
		}
		return after, done, err
	}
	return nil, e, fmt.Errorf("an edit of an unknown kind, %q: another version of ctxfs made it", e.Kind)
}

// Revert returns the text without what the edit did, and without what it made for that, if
// nothing else is in it. What is not there any more, or is another value by now, stays as
// it is. An empty text that the edit had created is nil.
func (e Edit) Revert(text []byte) ([]byte, error) {
	if text == nil || e.Found {
		return text, nil
	}
	if !bytes.HasPrefix(text, []byte(bom)) {
		return e.revert(text)
	}
	after, err := e.revert(text[len(bom):])
	return append([]byte(bom), after...), err
}

func (e Edit) revert(text []byte) ([]byte, error) {
	switch e.Kind {
	case block:
		return e.takeBlock(text)
	case line:
		if text = e.takeLine(text); e.Created && len(text) == 0 {
			return nil, nil
		}
		return text, nil
	case file:
		if string(text) == e.Text {
			return nil, nil
		}
		return text, nil
	case jsonMember, jsonElement:
		return e.takeJSON(text)
	}
	return nil, fmt.Errorf("an edit of an unknown kind, %q: another version of ctxfs made it", e.Kind)
}

// Apply does the edits in their order. The second result is for [Revert].
func Apply(text []byte, edits []Edit) (after []byte, done []Edit, err error) {
	for _, e := range edits {
		var d Edit
		if text, d, err = e.Apply(text); err != nil {
			return nil, nil, err
		}
		done = append(done, d)
	}
	return text, done, nil
}

// Revert takes back what was done, the last first. It goes on where an edit cannot be
// taken back, and returns the text without all others.
func Revert(text []byte, done []Edit) ([]byte, error) {
	var failed []error
	for _, e := range slices.Backward(done) {
		rest, err := e.Revert(text)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		text = rest
	}
	return text, errors.Join(failed...)
}
