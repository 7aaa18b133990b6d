package request

import "encoding/json"

// ResultSchema returns the JSON Schema of a result.
func ResultSchema() json.RawMessage {
	s := append(object{{"$schema", dialect}, {"title", "What came of a task for a coding agent"}}, schemaOf(resultProperties())...)
	return encode(append(s, pair{"examples", resultExamples}))
}

// usageProperties are the keys of Usage.
var usageProperties = []property{
	{"input_tokens", "integer", "Tokens that were sent to the model, without those from its cache.", nil, true},
	{"cache_read_tokens", "integer", "Tokens that were read from the model's cache.", nil, false},
	{"cache_write_tokens", "integer", "Tokens that were written to it.", nil, false},
	{"output_tokens", "integer", "Tokens that the model wrote.", nil, true},
	{"cost_usd", "number", "What it cost in US dollars, where the agent says so.", nil, false},
}

func resultProperties() []property {
	path := func(name, what string) property { return property{name, "string", what, nil, false} }
	return []property{
		{"id", "string", "The run: its folder in agents/ has all that is known of it.", nil, true},
		{"agent", "string", "The agent, or the kind of subagent, that did it.", nil, true},
		{"ended", "string", "How it has ended: success; failure, see error; timeout; cancelled; lost, its processes were killed.",
			object{{"enum", []Ended{Success, Failure, Timeout, Cancelled, Lost}}}, true},
		{"exit_code", "", "The agent's exit code, 128 and its number where a signal ended it, null if it was not started.", object{{"type", []string{"integer", "null"}}}, true},
		{"text", "string", "The agent's answer. Of a long one the middle is left out; text_file has all of it.", nil, true},
		path("text_file", "The file with the whole answer."),
		{"structured", "", `The answer to schema, or "unsupported" if the agent has no flag for it.`, nil, false},
		{"usage", "", "What its log says that it took.", schemaOf(usageProperties), false},
		{"read_only", "string", "Of a read-only run: enforced by the kernel, or only requested by the agent's own flags.",
			object{{"enum", []string{Enforced, Requested}}}, false},
		{"error", "string", "What went wrong, on a line.", nil, false},
		{"fix", "string", "What to do about it.", nil, false},
		path("terminal_log", "The log of the terminal in which it ran."),
		{"session", "string", "The agent's id of its session.", nil, false},
		path("transcript", "All that was said and done in it."),
		path("digest", "The same on two pages."),
		path("diff", "A patch of all that changed while it ran."),
		{"changed", "array", "The files that changed, relative to the folder in which it worked.", object{{"items", object{{"type", "string"}}}}, false},
		path("worktree", "Its git worktree, if it has changes."),
		{"branch", "string", "The branch that is checked out in it.", nil, false},
		{"notes", "array", "What else is to be known, such as why there is no diff.", object{{"items", object{{"type", "string"}}}}, false},
		{"duration_ms", "integer", "How long the agent ran, in milliseconds.", nil, true},
	}
}

// resultExamples are results that are valid.
var resultExamples = []json.RawMessage{
	json.RawMessage(`{"id":"codex-x7ab","agent":"codex","ended":"success","exit_code":0,"text":"The clock was read twice. It is read once now.","usage":{"input_tokens":18211,"cache_read_tokens":15104,"output_tokens":904},"session":"01998e2c-5f0e-7d32-9c3a-0d9b7f6c2a11","changed":["login.go"],"duration_ms":61240}`),
	json.RawMessage(`{"id":"claude-code-k2nd","agent":"claude-code","ended":"timeout","exit_code":143,"text":"","read_only":"enforced","error":"it had not ended within 2m0s","fix":"give it more time: --timeout, or timeoutMs","duration_ms":120048}`),
}
