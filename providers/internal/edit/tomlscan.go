package edit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// statement is a key with its value, or the header of a table, in a TOML text.
type statement struct {
	// table is the header that holds for it, or its own; header and array say that it is
	// one, of a table or of an element of an array of tables.
	table         []string
	header, array bool
	// key is the key, relative to table, and value where its value is.
	key   []string
	value jsonc.Node
	// begin and end are where it is in the text, from its first byte to its last one.
	begin, end int
}

// path returns the whole key.
func (s statement) path() []string { return append(slices.Clone(s.table), s.key...) }

// scanTOML returns the statements of a text, which must be one that the parser accepts.
func scanTOML(text []byte) (all []statement) {
	s := scanner{text: text}
	var table []string
	for s.at = skipTOML(text, 0); s.at < len(text); s.at = skipTOML(text, s.at) {
		at := s.at
		if text[at] == '[' {
			brackets := 1
			if bytes.HasPrefix(text[at:], []byte("[[")) {
				brackets = 2
			}
			s.at += brackets
			table = s.key()
			s.at = min(s.at+brackets, len(text))
			all = append(all, statement{table: table, header: true, array: brackets == 2, begin: at, end: s.at})
			continue
		}
		key := s.key()
		s.at++ // =
		value := s.value()
		all = append(all, statement{table: table, key: key, value: value, begin: at, end: s.at})
		if s.at == at {
			return all // impossible in what the parser accepts
		}
	}
	return all
}

// skipTOML returns the offset of the first byte from at on that is neither white space nor
// of a comment.
func skipTOML(text []byte, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			n := bytes.IndexByte(text[at:], '\n')
			if n < 0 {
				return len(text)
			}
			at += n
		default:
			return at
		}
	}
	return len(text)
}

type scanner struct {
	text []byte
	at   int
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) blanks() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.at++
	}
}

// key reads a key, and the white space after it.
func (s *scanner) key() (names []string) {
	for {
		s.blanks()
		begin := s.at
		if c := s.peek(); c == '"' || c == '\'' {
			s.quoted()
		} else {
			for s.at < len(s.text) && !strings.ContainsRune(" \t.=]\r\n", rune(s.peek())) {
				s.at++
			}
		}
		names = append(names, unquoteTOML(string(s.text[begin:s.at])))
		s.blanks()
		if s.peek() != '.' {
			return names
		}
		s.at++
	}
}

// quoted skips a string of any kind.
func (s *scanner) quoted() {
	quote := s.text[s.at : s.at+1]
	if three := bytes.Repeat(quote, 3); bytes.HasPrefix(s.text[s.at:], three) {
		quote = three
	}
	s.at += len(quote)
	for s.at < len(s.text) && !bytes.HasPrefix(s.text[s.at:], quote) {
		if s.text[s.at] == '\\' && quote[0] == '"' {
			s.at++
		}
		s.at++
	}
	s.at = min(s.at+len(quote), len(s.text))
	for len(quote) == 3 && s.peek() == quote[0] { // up to two more belong to the string
		s.at++
	}
}

// value reads a value.
func (s *scanner) value() jsonc.Node {
	s.at = skipTOML(s.text, s.at)
	n := jsonc.Node{Begin: s.at, Kind: syntax.Number}
	switch c := s.peek(); c {
	case '"', '\'':
		n.Kind = syntax.Text
		s.quoted()
	case '[', '{':
		n.Kind = syntax.Array
		if c == '{' {
			n.Kind = syntax.Object
		}
		s.at++
		for s.at = skipTOML(s.text, s.at); s.at < len(s.text) && s.peek() != ']' && s.peek() != '}'; s.at = skipTOML(s.text, s.at) {
			item := jsonc.Item{Begin: s.at}
			if c == '{' {
				item.Name = strings.Join(s.key(), ".")
				s.at++ // =
			}
			item.Value = s.value()
			n.Items = append(n.Items, item)
			if s.at = skipTOML(s.text, s.at); s.peek() == ',' {
				s.at++
			} else if s.at == item.Begin {
				return n // impossible in what the parser accepts
			}
		}
		s.at = min(s.at+1, len(s.text))
	default:
		for s.at < len(s.text) && !strings.ContainsRune(",]}#\r\n", rune(s.peek())) {
			s.at++
		}
		s.at = n.Begin + len(bytes.TrimRight(s.text[n.Begin:s.at], " \t"))
	}
	n.End = s.at
	return n
}

// unquoteTOML returns the name that a key is written for.
func unquoteTOML(key string) string {
	if strings.HasPrefix(key, "'") {
		return strings.Trim(key, "'")
	}
	var name string
	if strings.HasPrefix(key, `"`) && json.Unmarshal([]byte(key), &name) == nil {
		return name
	}
	return key
}

// tomlKey returns a path as a dotted key.
func tomlKey(path []string) string {
	words := make([]string, len(path))
	for i, name := range path {
		words[i] = settings.Key(name)
	}
	return strings.Join(words, ".")
}

// tomlValue returns a value, which is compact JSON, as TOML on one line. Strings of JSON
// are strings of TOML.
func tomlValue(value json.RawMessage) string {
	root, err := jsonc.Locate(value)
	if err != nil {
		return string(value) // impossible: it was made by package json
	}
	var write func(n jsonc.Node) string
	write = func(n jsonc.Node) string {
		parts := make([]string, len(n.Items))
		for i, item := range n.Items {
			if parts[i] = write(item.Value); n.Kind == syntax.Object {
				parts[i] = settings.Key(item.Name) + " = " + parts[i]
			}
		}
		switch {
		case n.Kind == syntax.Array:
			return "[" + strings.Join(parts, ", ") + "]"
		case n.Kind == syntax.Object && len(parts) == 0:
			return "{}"
		case n.Kind == syntax.Object:
			return "{ " + strings.Join(parts, ", ") + " }"
		}
		return strings.ReplaceAll(string(value[n.Begin:n.End]), "\x7f", `\u007f`)
	}
	return write(root)
}
