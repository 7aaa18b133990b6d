package request

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Name and Purpose are what models are told of the function that runs an agent.
const (
	Name    = "run_agent"
	Purpose = "Have another coding agent do one task in a folder, and get one JSON object with what came of it: " +
		"how it ended (success, failure, timeout, cancelled or lost), its answer, the files that it changed. " +
		"It has a context of its own: it knows nothing of this conversation but the prompt. It finds past sessions, tools and notes by itself."
)

// pair is a name with its value in a JSON object.
type pair struct {
	name  string
	value any
}

// object is a JSON object in an order that is meant for readers.
type object []pair

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range o {
		b.WriteByte("{,"[min(i, 1)])
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// dialect is the version of JSON Schema in which schemas are written.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// property is a key of a request or a result.
type property struct {
	name string
	// Kind is its type; "" if more says it, or it has any.
	kind, what string
	// More are further keywords.
	more     object
	required bool
}

func (p property) schema() object {
	s := object{{"description", p.what}}
	if p.kind != "" {
		s = object{{"type", p.kind}, {"description", p.what}}
	}
	return append(s, p.more...)
}

// requestProperties are the keys of a request. Agents are names that can be given as agent.
func requestProperties(agents []string) []property {
	who := "Who does it: the name of a coding agent, or of a kind of subagent from the user's configuration."
	if len(agents) > 0 {
		who += " Names here: " + strings.Join(agents, ", ") + "."
	}
	filled := object{{"minLength", 1}}
	return []property{
		{"agent", "string", who, filled, true},
		{"prompt", "string", "The whole task, for somebody who knows nothing yet: what is to be done, where to look, what the answer must contain.", filled, true},
		{"repoDir", "string", "The folder in which it works, an absolute path. Without it, the folder in which whoever asks works, if that is known.", nil, false},
		{"readOnly", "boolean", "It may read everything and write nothing: for questions, searches and reviews. Default: false.", nil, false},
		{"worktree", "boolean", "It works in a git worktree of its own, and its changes come back as a branch: for several agents at once in one repository. Default: false.", nil, false},
		{"timeoutMs", "integer", "How long it may take, in milliseconds; then it is ended. Default: 600000, ten minutes.", object{{"minimum", 0}, {"maximum", MaxTimeoutMS}}, false},
		{"schema", "object", "A JSON Schema for its answer, which then is in structured; agents without a flag for that leave it \"unsupported\".", nil, false},
	}
}

// requestExamples are requests that are valid.
var requestExamples = []json.RawMessage{
	json.RawMessage(`{"agent":"claude-code","prompt":"The test TestLogin fails. Find out why, mend it, and say in three lines what was wrong.","repoDir":"/home/me/shop"}`),
	json.RawMessage(`{"agent":"codex","prompt":"Which functions write to the table orders? Answer with file and line for each.","repoDir":"/home/me/shop","readOnly":true,"timeoutMs":120000}`),
	json.RawMessage(`{"agent":"claude-code","prompt":"Is the diff between main and HEAD ready to be merged?","readOnly":true,"schema":{"type":"object","properties":{"ready":{"type":"boolean"},"why":{"type":"string"}},"required":["ready","why"],"additionalProperties":false}}`),
}

// Schema returns the JSON Schema of a request. What it accepts, Parse reads. Parse also
// takes null for a key that is left out, and, as models whose functions cannot have an
// object of any shape need it, a schema as a string of JSON; and it leaves it to
// [Request.Check] what is missing. Agents are the names to tell of.
func Schema(agents []string) json.RawMessage {
	s := append(object{{"$schema", dialect}, {"title", "A task for a coding agent"}}, schemaOf(requestProperties(agents))...)
	return encode(append(s, pair{"examples", requestExamples}))
}

// schemaOf returns the schema of an object with just these keys.
func schemaOf(properties []property) object {
	var members object
	required := []string{}
	for _, p := range properties {
		members = append(members, pair{p.name, p.schema()})
		if p.required {
			required = append(required, p.name)
		}
	}
	return object{{"type", "object"}, {"properties", members}, {"required", required}, {"additionalProperties", false}}
}

// OpenAI returns a request as a function that models of OpenAI, and services that speak as
// its Chat Completions do, can call. It is strict (developers.openai.com, guide "Function
// calling"): the model gives every key, and null for those that it leaves out. There are no
// objects of any shape, so the schema for the answer is a string of JSON.
func OpenAI(agents []string) json.RawMessage {
	var members object
	required := []string{}
	for _, p := range requestProperties(agents) {
		kind, what := p.kind, p.what
		if kind == "object" {
			kind, what = "string", "As a string of JSON: "+what
		}
		var kinds any = kind
		if !p.required {
			kinds = []string{kind, "null"}
		}
		members = append(members, pair{p.name, object{{"type", kinds}, {"description", what}}})
		required = append(required, p.name)
	}
	parameters := object{{"type", "object"}, {"properties", members}, {"required", required}, {"additionalProperties", false}}
	return encode(object{{"type", "function"}, {"function", object{
		{"name", Name}, {"description", Purpose}, {"strict", true}, {"parameters", parameters},
	}}})
}

// Anthropic returns a request as a tool of Anthropic's Messages.
func Anthropic(agents []string) json.RawMessage {
	return encode(object{{"name", Name}, {"description", Purpose}, {"input_schema", schemaOf(requestProperties(agents))}})
}

func encode(o object) json.RawMessage {
	body, err := json.Marshal(o)
	if err != nil {
		panic(err) // it is made of constants and strings
	}
	return body
}
