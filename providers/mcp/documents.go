package mcp

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/catalogue"
)

// Documents implements fs.Documented: one document for each tool of the server
// with that folder; "" stands for every server.
func (p *Provider) Documents(folder string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range p.all() {
			b := s.summary()
			if folder != "" && b.file != folder {
				continue
			}
			for _, t := range b.tools {
				if !yield(document(b, t)) {
					return
				}
			}
		}
	}
}

// documentText is how much of a description is indexed, in bytes.
const documentText = 16 << 10

// document returns the document of a tool.
func document(b summary, t catalogue.Item) fs.Document {
	var tool struct {
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(t.Body, &tool) // a part of another type is left out
	names, details := parameters(tool.Arguments)
	return fs.Document{
		Path:  b.file + "/tools/" + t.File + ".json",
		Title: b.file + "/" + t.File,
		Fields: map[string]string{
			"name":        clean.Line(t.Name),
			"title":       clean.Line(clean.Prefix(tool.Title, documentText)),
			"description": clean.Text(clean.Prefix(tool.Description, documentText)),
			"server":      b.file,
			"about":       b.about,
			"parameters":  names,
			"details":     details,
		},
	}
}

// parameters returns the names and the descriptions of a schema's properties, one
// per line.
func parameters(schema json.RawMessage) (names, details string) {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &object)
	var name, detail strings.Builder
	for _, n := range slices.Sorted(maps.Keys(object.Properties)) {
		var property struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(object.Properties[n], &property) // a schema may also be true or false
		name.WriteString(clean.Line(n) + "\n")
		if d := clean.Line(clean.Prefix(property.Description, documentText)); d != "" {
			detail.WriteString(d + "\n")
		}
	}
	return name.String(), detail.String()
}
