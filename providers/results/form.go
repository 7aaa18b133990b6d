package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/internal/clean"
)

// The endings of text whose form was found from its content.
const (
	extJSON  = "json"
	extLines = "jsonl"
	extText  = "txt"
)

// form is how a text is stored.
type form struct {
	ext   string
	write func(io.Writer) error
}

// formOf returns how to store a text: one JSON value indented by two spaces,
// JSON Lines and other text as they are. Hidden characters are escaped in JSON,
// which leaves the values as they are, and removed from other text.
func formOf(text []byte) form {
	as := func(ext string, stored ...[]byte) form {
		return form{ext, func(w io.Writer) (err error) {
			for _, part := range stored {
				if _, err = w.Write(part); err != nil {
					break
				}
			}
			return err
		}}
	}
	switch {
	case json.Valid(text):
		value := clean.JSON(bytes.Trim(text, jsonSpace))
		if !indentable(value) {
			return as(extJSON, value, newline)
		}
		return form{extJSON, func(w io.Writer) error {
			buf := bufio.NewWriterSize(w, 1<<16)
			_ = indent(buf, value) // its error is reported by Flush
			_ = buf.WriteByte('\n')
			return buf.Flush()
		}}
	case isLines(text):
		return as(extLines, clean.JSON(text))
	case clean.Safe(text):
		return as(extText, text)
	}
	return as(extText, []byte(clean.Text(string(text))))
}

var newline = []byte{'\n'}

const jsonSpace = " \t\r\n"

// isLines reports whether a text has at least two lines and each is an object
// or an array.
func isLines(text []byte) bool {
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.Trim(line, jsonSpace)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid(line) {
			return false
		}
		n++
	}
	return n > 1
}

// maxGrowth is how many times longer JSON may become when indented. Deep nesting,
// which foreign text may have, would turn a megabyte into gigabytes.
const maxGrowth = 10

func indentable(value []byte) bool {
	room := countdown(maxGrowth*len(value) + 1000)
	return indent(&room, value) == nil
}

// countdown is a Writer that accepts a number of bytes and keeps none.
type countdown int

var errFull = errors.New("full")

func (c *countdown) Write(p []byte) (int, error) {
	if *c -= countdown(len(p)); *c < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// indent writes valid JSON as json.Indent does with two spaces, but in little
// memory.
func indent(w io.Writer, value []byte) (err error) {
	depth, opened := 0, false // opened: nothing has followed the last { or [
	put := func(token []byte) {
		if err == nil {
			_, err = w.Write(token)
		}
	}
	line := func() {
		put(newline)
		for n := 2 * depth; n > 0 && err == nil; n -= len(spaces) {
			put(spaces[:min(n, len(spaces))])
		}
	}
	for s := (jsonscan.Scanner{Text: value}); err == nil; {
		t := s.Next()
		if t.Kind == jsonscan.End || t.Kind == jsonscan.Open {
			break
		}
		closing := t.Kind == '}' || t.Kind == ']'
		if closing {
			depth--
		}
		if opened != closing {
			line()
		}
		opened = t.Kind == '{' || t.Kind == '['
		if put(value[t.Begin:t.End]); opened {
			depth++
		}
		switch t.Kind {
		case ',':
			line()
		case ':':
			put(spaces[:1])
		}
	}
	return err
}

var spaces = bytes.Repeat([]byte{' '}, 64)
