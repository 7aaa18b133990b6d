package request

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Name and Purpose are what models are told of the function that runs an agent.
const (
	Name    = "run_agent"
	Purpose = "Have another coding agent do one task in a folder, and get one JSON object with what came of it: " +
		"how it ended (success, failure, timeout, cancelled or lost), its answer, the files that it changed. " +
		"It has a context of its own: it knows nothing of this conversation but the prompt. It finds past sessions, tools and notes by itself."
)

// The JSON Schemas of a request and a result.
var (
	//go:embed request.json
	requestSchema string
	//go:embed result.json
	resultSchema string
)

// ResultSchema returns the JSON Schema of a result.
func ResultSchema() json.RawMessage { return json.RawMessage(resultSchema) }

// Schema returns the JSON Schema of a request. What it accepts, Parse reads. Parse also
// takes null for a key that is left out, and, as models whose functions cannot have an
// object of any shape need it, a schema as a string of JSON; and it leaves it to
// [Request.Check] what is missing. Agents are the names to tell of.
func Schema(agents []string) json.RawMessage {
	names, _ := json.Marshal(strings.Join(agents, ", ")) // of a string
	said := " Names here: " + strings.Trim(string(names), `"`) + "."
	if len(agents) == 0 {
		said = ""
	}
	return json.RawMessage(strings.Replace(requestSchema, " Names here: NAMES.", said, 1))
}

// Anthropic returns a request as a tool of Anthropic's Messages.
func Anthropic(agents []string) json.RawMessage {
	var schema map[string]json.RawMessage
	_ = json.Unmarshal(Schema(agents), &schema) // a constant with strings
	delete(schema, "$schema")
	delete(schema, "title")
	delete(schema, "examples")
	return encode(map[string]any{"name": Name, "description": Purpose, "input_schema": schema})
}

// OpenAI returns a request as a function that models of OpenAI, and services that speak as
// its Chat Completions do, can call. It is strict (developers.openai.com, guide "Function
// calling"): the model gives every key, and null for those that it leaves out. There are no
// objects of any shape, so the schema for the answer is a string of JSON.
func OpenAI(agents []string) json.RawMessage {
	var schema struct {
		Properties map[string]struct{ Type, Description string }
		Required   []string
	}
	_ = json.Unmarshal(Schema(agents), &schema) // a constant with strings
	properties, all := make(map[string]any), []string{}
	for name, p := range schema.Properties {
		if p.Type == "object" {
			p.Type, p.Description = "string", "As a string of JSON: "+p.Description
		}
		var kinds any = p.Type
		if !slices.Contains(schema.Required, name) {
			kinds = []string{p.Type, "null"}
		}
		properties[name] = map[string]any{"type": kinds, "description": p.Description}
		all = append(all, name)
	}
	slices.Sort(all)
	return encode(map[string]any{"type": "function", "function": map[string]any{
		"name": Name, "description": Purpose, "strict": true,
		"parameters": map[string]any{"type": "object", "properties": properties, "required": all, "additionalProperties": false},
	}})
}

func encode(value any) json.RawMessage {
	body, _ := json.Marshal(value) // of strings
	return body
}
