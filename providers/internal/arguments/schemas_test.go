package arguments

import "encoding/json"

// The schemas of the tests have the traits of real ones: hand-written ones of
// MCP servers, those made by zod, and those made by pydantic.

// issue is a tool in the way of a Go or TypeScript server.
const issue = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "properties": {
    "body": {"type": "string", "description": "Issue body content"},
    "assignees": {"type": "array", "items": {"type": "string"}, "description": "Usernames to assign to this issue"},
    "labels": {"type": "array", "items": {"type": "string"}, "description": "Labels to apply to this issue"},
    "milestone": {"type": "number", "description": "Milestone number"},
    "owner": {"type": "string", "description": "Repository owner"},
    "repo": {"type": "string", "description": "Repository name. The part after the slash."},
    "title": {"type": "string", "description": "Issue title", "minLength": 1},
    "state": {"type": "string", "enum": ["open", "closed", "all"], "default": "open", "description": "The state to give it"},
    "draft": {"type": "boolean", "default": false, "description": "Whether the issue is kept as a draft that nobody but its author sees until it is published"},
    "perPage": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Results per page"}
  },
  "required": ["owner", "repo", "title"],
  "additionalProperties": false
}`

// search is a tool as pydantic describes one.
const search = `{
  "$defs": {
    "Sort": {"enum": ["newest", "oldest", "best_match"], "title": "Sort", "type": "string", "description": "How to sort."},
    "Filter": {
      "properties": {
        "state": {"anyOf": [{"const": "open", "type": "string"}, {"const": "closed", "type": "string"}, {"type": "null"}], "default": null},
        "min_stars": {"default": 0, "title": "Min Stars", "type": "integer"},
        "sub": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}], "default": null}
      },
      "required": ["state"],
      "title": "Filter", "type": "object"
    }
  },
  "properties": {
    "query": {"title": "Query", "type": "string"},
    "sort": {"$ref": "#/$defs/Sort", "default": "newest"},
    "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}], "default": null, "description": "What to leave out"},
    "max_results": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null, "title": "Max Results"},
    "language": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "description": "ISO code, e.g. en. Empty for all."},
    "ids": {"anyOf": [{"items": {"type": "integer"}, "type": "array"}, {"type": "null"}], "default": null, "title": "Ids"},
    "extra": {"default": null, "title": "Extra"}
  },
  "required": ["query"],
  "title": "searchArguments",
  "type": "object"
}`

// chart is a tool as zod describes one, with names that are hard to use.
const chart = `{
  "type": "object",
  "properties": {
    "data": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"category": {"type": "string"}, "value": {"type": "number", "exclusiveMinimum": 0}}, "required": ["category", "value"], "additionalProperties": false}, "description": "Data of the chart, such as [{\"category\": \"a\", \"value\": 27}]. One item a bar."},
    "theColourOfTheBackgroundAndTheGrid": {"type": "string", "pattern": "^#[0-9a-f]{6}$", "description": "Colour as six hexadecimal digits"},
    "style": {"type": "object", "properties": {"line.width": {"type": "number"}, "dash": {"type": "boolean"}}, "description": "The style of lines"},
    "fooBar": {"type": ["string", "number", "null"], "description": "One name"},
    "foo_bar": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}, "description": "Another"},
    "größe\u202e\u001b[31m": {"type": "string"},
    "shape": {"oneOf": [
      {"type": "object", "properties": {"type": {"const": "circle"}, "r": {"type": "number"}}, "required": ["type", "r"]},
      {"type": "object", "properties": {"type": {"const": "square"}, "side": {"type": "number"}}, "required": ["type", "side"]}]}
  },
  "required": ["data"]
}`

func compile(schema string) *Schema { return Compile(json.RawMessage(schema)) }

// line makes words of a command line; "@" and a text stand for a file with it.
func line(args ...string) []Word {
	words := make([]Word, len(args))
	for i, arg := range args {
		words[i] = Word{Text: arg}
	}
	return words
}

func file(flag, path, body string) Word { return Word{Text: flag, Path: path, Body: &body} }
