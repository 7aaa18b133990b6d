package arguments

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/fs/form"
)

// Word is one word of a command line.
//
// Files are read by the program that has the command line, since paths are relative
// to its folder. `@path` as a word of its own is Text "" with the file's content as
// Body; `--flag=@path` is Text "--flag=" with it. A word without a Body is its Text:
// "@@x", which is how to write a text that begins with "@", arrives as Text "@x".
type Word = form.Word

// Parse makes one JSON object of a command line. The object is not checked yet (see
// [Schema.Check]): a text that cannot be converted to the type of the schema becomes
// a string. Errors are of type *[Error].
//
// It accepts:
//   - one JSON object, which is the whole; flags override its members
//   - --name value and --name=value, the name as the schema has it, in another
//     case (--issue-number for issueNumber), or in the singular for a list
//     (--label for labels)
//   - a list as a JSON array, or one item for each time the flag is given
//   - --draft, --draft=false and --no-draft for booleans
//   - objects as JSON, or member by member: --filter.state open
//
// A string is the text itself, never read as JSON. Numbers keep their digits. Where
// null is allowed, the word null is null. Where the schema has no type for a value,
// the value is the text read as JSON, or else the text.
//
// Parse takes time linear in the length, and less than twice its size in memory.
func (s *Schema) Parse(words []Word) (json.RawMessage, error) {
	p, err := s.read(words)
	if err != nil {
		return nil, err
	}
	return p.build()
}

// read reads a command line.
func (s *Schema) read(words []Word) (*parser, *Error) {
	p := &parser{schema: s, words: words}
	for len(p.words) > 0 {
		w := p.words[0]
		p.words = p.words[1:]
		var err *Error
		switch {
		case w.Text == "--" && w.Body == nil: // has no meaning, but is common
		case strings.HasPrefix(w.Text, "--"):
			err = p.flag(w)
		default:
			err = p.positional(w)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parser reads a command line.
type parser struct {
	schema *Schema
	words  []Word // still to be read
	whole  json.RawMessage
	given  []*given
}

// given is a property with the values that flags gave it.
type given struct {
	target
	values []value
}

// value is a flag's value.
type value struct {
	text string
	path string          // the file it was read from
	json json.RawMessage // the value itself, if it was not given as text
}

func (p *parser) flag(w Word) *Error {
	name, val, has := w.Text[2:], value{text: "", path: w.Path}, w.Body != nil
	if has {
		val.text = *w.Body
		name = strings.TrimSuffix(name, "=")
	} else if p.schema.fields.exact(name) == nil {
		name, val.text, has = strings.Cut(name, "=")
	}
	t, err := p.schema.target(name)
	if err != nil {
		return err
	}
	if t.negated {
		if has {
			return errorf("%s takes no value", flagName(name)).hint("write %s or %s=false", flagName(name), flagName(t.name())).part(p.schema.part(t.field))
		}
		return p.add(t, value{json: json.RawMessage("false")})
	}
	if !has {
		if val, err = p.next(t); err != nil {
			return err
		}
	}
	return p.add(t, val)
}

// next returns the value of a flag from the next word. A boolean needs none.
func (p *parser) next(t target) (value, *Error) {
	kinds := t.shape.kinds
	flagLike := len(p.words) > 0 && p.words[0].Body == nil && strings.HasPrefix(p.words[0].Text, "--")
	if kinds.has(boolean) {
		alone := len(p.words) == 0 || flagLike
		if !alone && kinds.only(boolean|null) {
			alone = p.words[0].Body != nil || !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(p.words[0].Text))
		}
		if alone {
			return value{json: json.RawMessage("true")}, nil
		}
	}
	missing := errorf("%s has no value", flagName(t.flag)).part(p.schema.part(t.field))
	if len(p.words) == 0 {
		return value{}, missing.hint("write %s %s", flagName(t.flag), t.shape.example())
	}
	w := p.words[0]
	if flagLike {
		name, _, _ := strings.Cut(w.Text[2:], "=")
		if _, err := p.schema.target(name); err == nil && name != "" { // it could be a value, but a flag is likelier
			return value{}, missing.hint("write %s %s, or %s=%s if %s is the value", flagName(t.flag), t.shape.example(),
				flagName(t.flag), shown(w.Text), quoted(w.Text))
		}
	}
	p.words = p.words[1:]
	if w.Body != nil {
		if w.Text != "" {
			return value{}, missing.hint("write %s @%s", flagName(t.flag), shown(w.Path))
		}
		return value{text: *w.Body, path: w.Path}, nil
	}
	return value{text: w.Text}, nil
}

func (p *parser) add(t target, v value) *Error {
	i := slices.IndexFunc(p.given, func(g *given) bool { return slices.Equal(g.names, t.names) })
	if i < 0 {
		p.given = append(p.given, &given{t, []value{v}})
		return nil
	}
	if !t.shape.kinds.has(array) {
		return errorf("%s is given twice", flagName(t.name())).part(p.schema.part(t.field))
	}
	p.given[i].values = append(p.given[i].values, v)
	return nil
}

// positional reads a word that is not a flag: the one JSON object.
func (p *parser) positional(w Word) *Error {
	content := w.Text
	if w.Body != nil {
		content = *w.Body
	}
	trimmed := strings.TrimSpace(content)
	switch {
	case w.Body == nil && !strings.HasPrefix(trimmed, "{"):
		return p.schema.stray(w.Text)
	case !strings.HasPrefix(trimmed, "{"):
		return errorf("%s holds no JSON object", fileName(w.Path)).hint("to give it as one argument, write --name @%s", shown(w.Path))
	case p.whole != nil:
		return errorf("there are two JSON objects").hint("the arguments are one JSON object, or flags, or both")
	}
	raw := json.RawMessage(trimmed)
	if _, err := members(raw); err != nil {
		from := "the JSON object"
		if w.Body != nil {
			from = fileName(w.Path)
		}
		return errorf("%s cannot be read: %s", from, err).hint("flags need no quoting of JSON: --name value")
	}
	p.whole = raw
	return nil
}

func fileName(path string) string {
	if path == "" || path == "-" {
		return "standard input"
	}
	return "the file " + quoted(path)
}

// stray returns the error for a word that is neither a flag nor a JSON object.
func (s *Schema) stray(word string) *Error {
	err := errorf("%s is neither a flag nor a JSON object", quoted(word))
	if s.Empty() {
		return err.hint("the tool takes no arguments")
	}
	if name, val, ok := strings.Cut(strings.TrimLeft(word, "-"), "="); ok {
		if t, fault := s.target(name); fault == nil {
			return err.hint("did you mean %s=%s?", flagName(t.name()), shown(val)).part(s.part(t.field))
		}
	}
	if strings.HasPrefix(word, "-") {
		if t, fault := s.target(word[1:]); fault == nil {
			return err.hint("did you mean %s?", flagName(t.name())).part(s.part(t.field))
		}
	}
	if only := s.soleField(); only != nil {
		return err.hint("did you mean %s %s?", flagName(only.name), quoted(word)).part(s.part(only))
	}
	return err.hint(`write --name value for each argument, or one JSON object: '{"name": "value"}'`)
}

// soleField returns the field that a single word is meant for: the only required
// string, or the only field.
func (s *Schema) soleField() *field {
	list := s.fields.list
	if len(list) == 1 {
		return &list[0]
	}
	var only *field
	for i := range list {
		if list[i].required && list[i].shape.kinds.has(str) {
			if only != nil {
				return nil
			}
			only = &list[i]
		}
	}
	return only
}
