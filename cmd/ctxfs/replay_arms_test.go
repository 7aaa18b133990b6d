package main

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/providers/find/suggest"
)

// arm is a way in which an agent has tools.
type arm interface {
	// prompt is what it costs in every request, in tokens.
	prompt(w *replayWorld) int
	// search looks for a tool: the request that the agent writes, what it gets, and of
	// this the part for each tool. Tools that has reports need no second definition.
	search(w *replayWorld, want string, has func(key string) bool) (wrote string, got shown)
	// open asks for all that there is to know of tools that are named.
	open(w *replayWorld, keys []string) (wrote, got string)
	// call is how a call is written.
	call(u use) string
}

// arms are those that are compared.
func arms() []namedArm {
	return []namedArm{
		{name: "all static", arm: static{}, given: true},
		{name: "search tool", arm: deferred{}, loads: true},
		{name: "search tool, names in prompt", arm: deferred{names: true}, loads: true, direct: true},
		{name: "this tree", arm: files{}, stores: true},
		{name: "gateway", arm: gatewayed{}, stores: true},
	}
}

// namedArm is an arm, and what is true of it.
type namedArm struct {
	arm
	name   string
	given  bool        // nothing need be looked up
	loads  bool        // a search shows whole definitions, which stay when the history is lost
	direct bool        // the agent knows the name of each tool
	stores bool        // long results are shortened
	hook   bool        // the words of the user come with signatures
	bar    suggest.Bar // of these
}

// written is a call of a tool as the model writes it.
func written(tool string, input any) string {
	text, err := json.Marshal(map[string]any{"name": tool, "input": input})
	if err != nil {
		panic(err) // strings, and what came from JSON
	}
	return string(text)
}

func shell(command string) string { return written("Bash", map[string]string{"command": command}) }

// static: all definitions are in the prompt.
type static struct{}

func (static) prompt(w *replayWorld) int { return w.definitions }

func (static) search(*replayWorld, string, func(string) bool) (string, shown) { return "", shown{} }

func (static) open(*replayWorld, []string) (string, string) { return "", "" }

func (static) call(u use) string { return written("mcp__"+u.server+"__"+u.tool, u.arguments) }

// deferred: a search tool loads definitions, behind what the cache has. With names
// the prompt has the names of all tools.
type deferred struct {
	static
	names bool
}

// searchTool is the definition of the tool that searches.
const searchTool = `{"name":"tool_search","description":"Searches the tools that are not loaded by words in their names, descriptions and arguments, and loads the definitions of the best. A tool can be called once it is loaded.","input_schema":{"type":"object","properties":{"query":{"type":"string","description":"what the tool should do, or select:<name> for one by its name"}},"required":["query"]}}`

func (a deferred) prompt(w *replayWorld) int {
	n := w.pool.count(searchTool)
	if a.names {
		var names strings.Builder
		for _, d := range w.search.documents {
			names.WriteString(toolName(d.key) + "\n")
		}
		n += w.pool.count(names.String())
	}
	return n
}

func toolName(key string) string { return "mcp__" + strings.Replace(key, "/", "__", 1) }

func (a deferred) search(w *replayWorld, want string, has func(string) bool) (string, shown) {
	got := shown{of: make(map[string]string)}
	for _, d := range w.search.best(want) {
		got.text += toolName(d.key) + "\n"
		if !has(d.key) {
			got.text += d.definition + "\n"
		}
		got.of[d.key] = d.definition
	}
	return written("tool_search", map[string]string{"query": want}), got
}

func (a deferred) open(w *replayWorld, keys []string) (wrote, got string) {
	var names []string
	for _, key := range keys {
		names = append(names, toolName(key))
		got += w.search.definition(key) + "\n"
	}
	return written("tool_search", map[string]string{"query": "select:" + strings.Join(names, ",")}), got
}

// files: AGENTS.md is in the prompt, and everything is done in a shell.
type files struct{}

func (files) prompt(w *replayWorld) int { return w.page }

func (files) search(w *replayWorld, want string, _ func(string) bool) (string, shown) {
	return shell("ctxfs find " + want), w.list(want)
}

func (files) open(w *replayWorld, keys []string) (wrote, got string) {
	wrote = "cd ~/.agentctx; cat"
	for _, key := range keys {
		path, text := w.file(key)
		wrote += " " + path
		got += text
	}
	return shell(wrote), got
}

// call writes arguments as flags, or as one object where one is an object itself.
func (files) call(u use) string {
	command := "ctxfs call " + u.server + " " + u.tool
	arguments := make(map[string]json.RawMessage)
	if json.Unmarshal(u.arguments, &arguments) != nil {
		return shell(command)
	}
	var flags []string
	for name, value := range arguments {
		if nested(value) {
			return shell(command + " " + quotedWord(string(u.arguments)))
		}
		text := string(value)
		if s := ""; json.Unmarshal(value, &s) == nil {
			text = s
		}
		flags = append(flags, " --"+name+" "+quotedWord(text))
	}
	slices.Sort(flags)
	return shell(command + strings.Join(flags, ""))
}

// quotedWord is a word of a command line.
func quotedWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>(){}[]*?!#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// gatewayed: the tools of the gateway are in the prompt.
type gatewayed struct{}

func (gatewayed) prompt(w *replayWorld) int { return w.gatewayPrompt }

func (gatewayed) search(w *replayWorld, want string, _ func(string) bool) (string, shown) {
	return written("mcp__ctxfs__find", map[string]string{"query": want}), w.answer(want)
}

// open reads the files one after the other, in calls of one request.
func (gatewayed) open(w *replayWorld, keys []string) (wrote, got string) {
	for _, key := range keys {
		path, _ := w.file(key)
		text, failed := w.gateway.ask("read", map[string]any{"path": path})
		if failed {
			w.Errorf("read %s: %s", path, text)
		}
		wrote += written("mcp__ctxfs__read", map[string]string{"path": path})
		got += text
	}
	return wrote, got
}

func (gatewayed) call(u use) string {
	return written("mcp__ctxfs__call", map[string]any{"server": u.server, "tool": u.tool, "arguments": u.arguments})
}
