package mcp

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// Documents implements fs.Provider: one document for each tool.
func (p *Provider) Documents() iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range p.all() {
			b := s.brief()
			for _, t := range b.tools {
				if !yield(document(b.file, t)) {
					return
				}
			}
		}
	}
}

func document(server string, t item) fs.Document {
	var tool struct {
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(t.body, &tool) // a part of another type is left out
	return fs.Document{
		Path:  server + "/tools/" + t.file + ".json",
		Title: server + "/" + t.file,
		Fields: map[string]string{
			"name":        clean.Line(t.name),
			"description": clean.Text(tool.Description),
			"server":      server,
			"parameters":  parameters(tool.Arguments),
		},
	}
}

// parameters are the names and descriptions of a schema's properties, a line
// each.
func parameters(schema json.RawMessage) string {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &object)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		var property struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(object.Properties[name], &property) // a schema may also be true or false
		out.WriteString(strings.TrimSpace(clean.Line(name) + " " + clean.Line(property.Description)))
		out.WriteByte('\n')
	}
	return out.String()
}
