package questions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/regexps"
)

// flagName are the names of fields that can be written as a flag without quoting.
var flagName = regexps.Lazy(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// placeholder returns what stands for a value in an example, as a word of a command
// line or as JSON.
func placeholder(f form.Field, asJSON bool) string {
	var values []string
	for _, c := range f.Choices {
		values = append(values, clean.Cut(clean.Line(c.Value), 40))
	}
	text := strings.Join(values[:min(len(values), 8)], "|")
	switch {
	case text != "":
	case f.Type == "boolean":
		text = "true|false"
	case f.Type == "integer", f.Type == "number":
		text = "NUMBER"
	case f.Format != "":
		text = strings.ToUpper(f.Format)
	default:
		text = "TEXT"
	}
	if !asJSON {
		return text
	}
	if f.Type == "string" || len(values) > 0 {
		quoted, _ := json.Marshal(text) // a string always encodes
		text = string(quoted)
	}
	if f.Several {
		text = "[" + text + "]"
	}
	return text
}

// The bounds of a form. The specification allows flat objects of simple values.
const (
	maxSchema = 128 << 10 // bytes
	maxFields = 100
	maxDepth  = 8 // of nested values in the schema
)

// checkForm returns why a form cannot be asked, or nil.
func checkForm(schema json.RawMessage) error {
	switch {
	case len(schema) > maxSchema:
		return fmt.Errorf("the schema of the form has %s; %s are allowed", wording.Size(int64(len(schema))), wording.Size(maxSchema))
	case !json.Valid(schema):
		return errors.New("the schema of the form is not valid JSON")
	case depth(schema) > maxDepth:
		return errors.New("the schema of the form is nested too deeply; a form has simple values")
	case refersBack(schema):
		return errors.New("the schema of the form refers to itself, or to another document; a form has simple values")
	}
	var is struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(schema, &is) != nil || is.Type != "object" {
		return errors.New(`the schema of the form is not one of an object: "type" is not "object"`)
	}
	fields := fieldsOf(schema, nil)
	if len(fields) > maxFields {
		return fmt.Errorf("the form has %s; %d are allowed", wording.Count(len(fields), "fields"), maxFields)
	}
	if fault := arguments.Compile(schema).Fault(); fault != "" {
		return errors.New("the schema of the form cannot be used: " + clean.Line(fault))
	}
	return nil
}

// depth returns how deeply a JSON value is nested.
func depth(value json.RawMessage) (deepest int) {
	dec, deep := json.NewDecoder(bytes.NewReader(value)), 0
	for {
		t, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			deep++
			deepest = max(deepest, deep)
		case json.Delim('}'), json.Delim(']'):
			deep--
		}
	}
}

// refersBack reports whether a schema refers to anything but its own definitions,
// or from one definition to another: so it may refer to itself.
func refersBack(schema json.RawMessage) bool {
	for name, value := range rawjson.Parts(schema) {
		if name == "$defs" || name == "definitions" {
			for _, def := range rawjson.Parts(value) {
				if refers(def, func(string) bool { return true }) {
					return true
				}
			}
		} else if refers(value, func(to string) bool { return definitionName(to) == "" }) {
			return true
		}
	}
	return false
}

// refers reports whether a value has a reference that matches.
func refers(value json.RawMessage, matches func(to string) bool) bool {
	for name, part := range rawjson.Parts(value) {
		var to string
		if strings.HasPrefix(name, "$") && strings.HasSuffix(name, "ef") && json.Unmarshal(part, &to) == nil && matches(to) || refers(part, matches) {
			return true
		}
	}
	return false
}

// definitionName returns the name of the definition that a reference leads to, or
// "".
func definitionName(ref string) string {
	for _, prefix := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
	}
	return ""
}

// property is the schema of a field.
type property struct {
	Type, Title, Description, Format string
	Enum                             []any
	EnumNames                        []string
	OneOf, AnyOf                     []struct {
		Const any
		Title string
	}
	Items   *property
	Ref     string `json:"$ref"`
	AllOf   []property
	Default json.RawMessage
}

// resolved returns the property with what it refers to: its own texts and default
// count before those of the definition.
func (p property) resolved(definitions map[string]property) property {
	if len(p.AllOf) == 1 && p.Ref == "" {
		p.Ref = p.AllOf[0].Ref
	}
	if p.Items != nil && p.Items.Ref != "" {
		items := p.Items.resolved(definitions)
		p.Items = &items
	}
	to, found := definitions[definitionName(p.Ref)]
	if !found {
		return p
	}
	to.Title, to.Description = cmp.Or(p.Title, to.Title), cmp.Or(p.Description, to.Description)
	if p.Default != nil {
		to.Default = p.Default
	}
	return to
}

// choices returns the values that the schema lists.
func (p *property) choices() (all []form.Choice) {
	for i, v := range p.Enum {
		c := form.Choice{Value: fmt.Sprint(v)}
		if i < len(p.EnumNames) {
			c.Title = clean.Line(p.EnumNames[i])
		}
		all = append(all, c)
	}
	for _, one := range slices.Concat(p.OneOf, p.AnyOf) {
		if one.Const != nil {
			all = append(all, form.Choice{Value: fmt.Sprint(one.Const), Title: clean.Line(one.Title)})
		}
	}
	return all
}

// fieldsOf returns the fields of a form, marking those that ask for secrets.
func fieldsOf(schema json.RawMessage, secrets []string) (all []form.Field) {
	var whole struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
		Defs       json.RawMessage `json:"$defs"`
		Older      json.RawMessage `json:"definitions"`
	}
	_ = json.Unmarshal(schema, &whole) // a field of a wrong type counts as missing
	definitions := make(map[string]property)
	for _, of := range []json.RawMessage{whole.Older, whole.Defs} {
		for name, raw := range rawjson.Parts(of) {
			var p property
			_ = json.Unmarshal(raw, &p) // as above
			definitions[name] = p
		}
	}
	for name, raw := range rawjson.Parts(whole.Properties) {
		var p property
		_ = json.Unmarshal(raw, &p) // as above
		p = p.resolved(definitions)
		f := form.Field{
			Name: name, Title: clean.Line(p.Title), Description: clean.Line(p.Description), Type: p.Type, Format: clean.Line(p.Format),
			Choices: p.choices(), Default: p.Default, Secret: slices.Contains(secrets, name),
			Required: slices.Contains(whole.Required, name) && p.Default == nil,
		}
		if p.Type == "array" {
			of := cmp.Or(p.Items, new(property))
			f.Several, f.Type, f.Choices = true, of.Type, of.choices()
		}
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, f.Type) {
			f.Type = ""
		}
		all = append(all, f)
	}
	return all
}
