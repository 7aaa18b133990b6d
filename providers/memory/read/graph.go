package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// graphAgent is whose the memories of the MCP server are.
const graphAgent = "mcp-memory"

// graphs reads the memories of the MCP server memory: the files that configurations name
// in MEMORY_FILE_PATH, and those beside the program that npx has fetched.
//
// Source: modelcontextprotocol/servers, src/memory.
func (r *Reader) graphs() {
	paths := r.expand(filepath.Join(r.opts.Machine.Home, ".npm", "_npx", "*", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "memory.jsonl"))
	for _, config := range r.configFiles() {
		paths = append(paths, r.configs.File(config, files.MaxList, func(f files.File) []string { return r.graphFiles(f.Body) })...)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		r.found.Watch = append(r.found.Watch, path)
		r.add(r.cache.File(path, files.MaxList, r.graph))
	}
}

// graphFiles returns the files that a configuration names, whatever its syntax.
func (r *Reader) graphFiles(config []byte) (paths []string) {
	named := regexp.MustCompile(`MEMORY_FILE_PATH["']?\s*[:=]\s*["']?([^"'\r\n,}]+)`)
	for _, m := range named.FindAllSubmatch(config, -1) {
		path := strings.TrimSpace(string(m[1]))
		for _, home := range []string{"$HOME/", "${HOME}/", "${env:HOME}/"} {
			if rest, ok := strings.CutPrefix(path, home); ok {
				path = "~/" + rest
			}
		}
		if path = wording.ExpandTilde(path, r.opts.Machine.Home); filepath.IsAbs(path) {
			paths = append(paths, filepath.Clean(path))
		}
	}
	return paths
}

// graph reads a graph: a line for each entity with observations, and for each relation.
// An entity is a memory, with its relations.
func (r *Reader) graph(f files.File) (memories []*fact.Memory) {
	type line struct {
		Type, Name, EntityType string
		Observations           []string
		From, To, RelationType string
	}
	var entities []line
	relations := make(map[string][]string)
	for text := range bytes.Lines(f.Body) {
		var l line
		if json.Unmarshal(text, &l) != nil {
			continue
		}
		switch l.Type {
		case "entity":
			if len(entities) < maxNotes {
				entities = append(entities, l)
			}
		case "relation":
			relations[l.From] = append(relations[l.From], l.RelationType+" "+l.To)
		}
	}
	for _, e := range entities {
		var b strings.Builder
		for _, o := range e.Observations {
			b.WriteString("- " + o + "\n")
		}
		for _, related := range relations[e.Name] {
			b.WriteString("- " + related + "\n")
		}
		about := clean.Line(e.Name)
		if e.EntityType != "" {
			about += " (" + clean.Line(e.EntityType) + ")"
		}
		if len(e.Observations) > 0 {
			about += ": " + clean.Line(e.Observations[0])
		}
		from := r.origin(f, owner{agent: graphAgent, scope: fact.User})
		from.Name, from.Part, from.Size = cmp.Or(e.Name, "entity"), e.Name, 0
		if strings.Contains(strings.ToLower(e.EntityType), "preference") {
			from.Type = fact.Preference
		}
		text := about
		if b.Len() > 0 {
			text = about + "\n\n" + b.String()
		}
		memories = append(memories, one(fact.Parse([]byte(text), from))...)
	}
	return memories
}
