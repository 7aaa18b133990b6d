package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/mcp/oauthtest"
)

// offer is what one server of the world has.
type offer struct {
	about     string
	tools     []definition
	schemas   []map[string]any // of tools
	prompts   []map[string]any
	resources []map[string]any
	texts     map[string]string // of resources, by URI
}

// brokenServers are those that do not work, with their entries in the
// configuration. Linear wants a login.
var brokenServers = map[string]map[string]any{
	"linear":       nil, // its address is known later
	"warehouse":    {"command": "snowflake-mcp", "args": []string{"--account", "example"}},
	"legacy-crm":   {"command": "/bin/sh", "args": []string{"-c", "echo 'fatal: licence file /etc/crm.lic has expired' >&2; exit 3"}},
	"translations": {"url": "http://127.0.0.1:1/mcp", "headers": map[string]string{"Authorization": "Bearer ${env:DEEPL_API_KEY}"}},
	"intranet":     {"url": "http://127.0.0.1:1/mcp"},
}

// recordedServers are those whose tools are in ../shared/data/mcp-tools.
var recordedServers = map[string]bool{
	"chrome-devtools": true, "context7": true, "eslint": true, "everything": true, "filesystem": true, "github": true,
	"github-npm": true, "memory": true, "playwright": true, "sequential-thinking": true, "slack": true, "tavily": true,
}

// writeServers configures the 25 servers: twelve with the recorded tools of real
// ones, eight of testdata/finding/world, and five that do not work. It returns
// how many tools there are.
func (w *findingWorld) writeServers() (tools int) {
	w.Helper()
	offers := worldOffers(w)
	for name, defs := range realTools(w) {
		offers[name] = &offer{tools: defs}
	}
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		o := offers[strings.TrimPrefix(r.URL.Path, "/")]
		if o == nil {
			http.NotFound(rw, r)
			return
		}
		o.serve(rw, r)
	}))
	w.Cleanup(web.Close)
	entries := make(map[string]any)
	for name, entry := range brokenServers {
		entries[name] = entry
	}
	entries["linear"] = map[string]any{"url": oauthtest.New(w.TB).URL}
	for name, o := range offers {
		entries[name] = map[string]any{"url": web.URL + "/" + name}
		tools += len(o.tools)
	}
	w.write(".cursor/mcp.json", asJSON(map[string]any{"mcpServers": entries}))
	return tools
}

// realTools are the recorded tool lists, by server. The benchmark is skipped
// where they are missing.
func realTools(tb testing.TB) map[string][]definition {
	tb.Helper()
	files, err := filepath.Glob(testData("mcp-tools/*.json"))
	must(tb, err)
	if len(files) == 0 {
		tb.Skip("the definitions of real servers in ../shared/data/mcp-tools are missing; CTXFS_TEST_DATA names another folder")
	}
	servers := make(map[string][]definition)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(tb, err)
		var list struct{ Tools []definitionOf }
		must(tb, json.Unmarshal(text, &list))
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, tool := range list.Tools {
			servers[name] = append(servers[name], definition(tool))
		}
	}
	return servers
}

// worldOffers reads servers.txt: "# server | about", "tool name(arguments) |
// description", "prompt name(arguments) | description", "resource uri | name |
// description"; an indented line describes an argument, or is a resource's text.
func worldOffers(tb testing.TB) map[string]*offer {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/finding/world/servers.txt")
	must(tb, err)
	all := make(map[string]*offer)
	var o *offer
	var indented func(line string)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "  "); ok {
			indented(rest)
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		head, about, _ := strings.Cut(rest, " | ")
		switch kind {
		case "#":
			o = &offer{about: about, texts: make(map[string]string)}
			all[head] = o
		case "tool":
			name, properties, required := signature(head)
			indented = func(line string) {
				name, about, _ := strings.Cut(line, ": ")
				properties[name]["description"] = about
			}
			o.tools = append(o.tools, definition{Name: name, Description: about})
			o.schemas = append(o.schemas, map[string]any{"type": "object", "properties": properties, "required": required})
		case "prompt":
			name, _, required := signature(head)
			var arguments []map[string]any
			for _, r := range required {
				arguments = append(arguments, map[string]any{"name": r, "required": true})
			}
			o.prompts = append(o.prompts, map[string]any{"name": name, "description": about, "arguments": arguments})
		case "resource":
			name, about, _ := strings.Cut(about, " | ")
			o.resources = append(o.resources, map[string]any{"uri": head, "name": name, "description": about, "mimeType": "text/plain"})
			indented = func(line string) { o.texts[head] += line + "\n" }
		}
	}
	for _, o := range all {
		for i, schema := range o.schemas {
			o.tools[i].InputSchema, err = json.Marshal(schema)
			must(tb, err)
		}
	}
	return all
}

// signature takes "name(a, b?, c[]:number)" apart.
func signature(text string) (name string, properties map[string]map[string]any, required []string) {
	name, list, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	properties, required = make(map[string]map[string]any), []string{}
	for _, argument := range strings.Split(list, ", ") {
		argument, kind, typed := strings.Cut(argument, ":")
		if !typed {
			kind = "string"
		}
		argument, many := strings.CutSuffix(argument, "[]")
		argument, optional := strings.CutSuffix(argument, "?")
		if argument == "" {
			continue
		}
		properties[argument] = map[string]any{"type": kind}
		if many {
			properties[argument] = map[string]any{"type": "array", "items": map[string]string{"type": kind}}
		}
		if !optional {
			required = append(required, argument)
		}
	}
	return name, properties, required
}

// serve is the server over HTTP.
func (o *offer) serve(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct{ URI string }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	none := map[string]any{}
	switch m.Method {
	case "initialize":
		answer["result"] = map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": none, "prompts": none, "resources": none},
			"serverInfo": map[string]any{"name": "world", "version": "1"}, "instructions": o.about,
		}
	case "tools/list":
		listed := []map[string]any{}
		for _, d := range o.tools {
			listed = append(listed, map[string]any{"name": d.Name, "description": d.Description, "inputSchema": d.InputSchema})
		}
		answer["result"] = map[string]any{"tools": listed}
	case "prompts/list":
		answer["result"] = map[string]any{"prompts": append([]map[string]any{}, o.prompts...)}
	case "resources/list":
		answer["result"] = map[string]any{"resources": append([]map[string]any{}, o.resources...)}
	case "resources/templates/list":
		answer["result"] = map[string]any{"resourceTemplates": []any{}}
	case "resources/read":
		answer["result"] = map[string]any{"contents": []any{map[string]any{"uri": m.Params.URI, "mimeType": "text/plain", "text": o.texts[m.Params.URI]}}}
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
