package arguments

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

func TestSignature(t *testing.T) {
	properties := func(p, required string) string {
		return `{"type":"object","properties":{` + p + `},"required":[` + required + `]}`
	}
	many := make([]string, 14)
	names := make([]string, len(many))
	for i := range many {
		many[i], names[i] = fmt.Sprintf(`"p%02d":{"type":"string"}`, i), fmt.Sprintf(`"p%02d"`, i)
	}
	for _, c := range []struct{ schema, parameters, flags string }{
		{properties(`"a":{"type":"string"},"b":{"type":"string"},"c":{}`, `"c","b"`), "b, c, a?", "--b … --c …"},
		{properties(`"n":{"type":"integer"},"x":{"type":["number","null"]},"on":{"type":"boolean"}`, `"n","on"`), "n:number, on:bool, x?:number", "--n N --on true"},
		{properties(`"state":{"type":"string","enum":["open","closed"]},"level":{"enum":[1,2]},"mood":{"enum":["`+strings.Repeat("x", 50)+`"]}`, `"state"`), "state=open|closed, level?=1|2, mood?", "--state …"},
		{properties(`"labels":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"integer"}},"rows":{"type":"array","items":{"type":"array","items":{}}}`, `"labels","ids","rows"`), "labels[], ids[]:number, rows[][]", "--labels … --ids N --rows '[[…]]'"},
		{properties(`"f":{"type":"object","properties":{"since":{"type":"string"},"n":{"type":"integer"}},"required":["n"]},"e":{"type":"array","items":{"type":"object","properties":{"name":{}},"required":["name"]}},"any":{"type":"object"}`, `"f","e"`),
			"f{n:number, since?}, e[]{name}, any?{}", "--f '{…}' --e '[{…}]'"},
		// Optional and nested as pydantic writes them.
		{`{"$defs":{"D":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}},"type":"object","properties":{"d":{"$ref":"#/$defs/D"},"o":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}},"required":["d","o"]}`, "d{k}, o?:number", "--d '{…}'"},
		{properties(strings.Join(many, ","), `"p00"`), "p00, p01?, p02?, p03?, p04?, p05?, p06?, p07?, p08?, p09?, p10?, p11?, …", "--p00 …"},
		{properties(strings.Join(many, ","), strings.Join(names, ",")), "p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, …", "'{…}'"},
		// Odd names: of a shell, of the notation, of a terminal.
		{properties(`"a b":{},"c=d":{},"e(f)":{},"$(rm -rf /)":{}`, `"a b","c=d","$(rm -rf /)"`), `"a b", "c=d", "$(rm -rf /)", "e(f)"?`, `'--a b' … '--c=d' … '--$(rm -rf /)' …`},
		{properties(`"\u001b[31mred\u202e":{},"":{}`, `"\u001b[31mred\u202e",""`), "", "'{…}'"},
		{`{"type":"object"}`, "", ""},
		{`{"type":"object","properties":{}}`, "", ""},
		{`{"type":"object","additionalProperties":true}`, "…", ""},
		{``, "…", ""}, {`5`, "…", ""}, {`{`, "…", ""},
	} {
		got := SignatureOf(json.RawMessage(c.schema))
		if c.flags == "'{…}'" && c.parameters == "" {
			got.Parameters = ""
		}
		if got.Parameters != c.parameters || got.Flags != c.flags {
			t.Errorf("%s: %q and %q, not %q and %q", c.schema, got.Parameters, got.Flags, c.parameters, c.flags)
		}
	}
}

// TestSignatureIsAccepted: the flags of a signature, filled in, are arguments that fit
// the schema.
func TestSignatureIsAccepted(t *testing.T) {
	for _, raw := range realSchemas(t) {
		is := SignatureOf(raw)
		s := Compile(raw)
		if strings.Contains(is.Flags, "'{…}'") || strings.Contains(is.Flags, "'[") || s.Fault() != "" {
			continue // JSON is up to who fills it in
		}
		var words []Word
		for i, f := range s.Flags() {
			if !f.Required || i == maxParameters {
				break
			}
			value := "text"
			switch {
			case len(f.Enum) > 0:
				value = f.Enum[0]
			case strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer"):
				value = "1"
			case f.Type == "boolean":
				value = "true"
			}
			flag := wording.ShellWord("--"+f.Name) + " "
			at := strings.Index(is.Flags, flag)
			if at < 0 {
				t.Errorf("%s has no %s", is.Flags, flag)
			}
			words = append(words, Word{Text: "--" + f.Name}, Word{Text: value})
		}
		args, err := s.Parse(words)
		if err == nil {
			err = s.Check(args, words...)
		}
		if err != nil && !strings.Contains(err.Error(), "at least") && !strings.Contains(err.Error(), "pattern") && !strings.Contains(err.Error(), "one of") {
			t.Errorf("%s: %v", is.Flags, err)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"enum":["x","y"]}}}}},"required":["a"]}`))
	f.Add([]byte(`{"properties":{"a":{"$ref":"#"}}}`))
	f.Add([]byte(`{"properties":[1,2],"required":5}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if len(schema) > 4<<10 {
			return
		}
		is := SignatureOf(schema)
		for _, text := range []string{is.Parameters, is.Flags} {
			if clean.Line(text) != text && text != "" {
				t.Errorf("%q", text)
			}
		}
		if most := (maxParameters + 1) * (2*maxNameInShort*4 + maxChoices + maxNested); len(is.Parameters) > most {
			t.Errorf("%d bytes: %s", len(is.Parameters), is.Parameters)
		}
	})
}
