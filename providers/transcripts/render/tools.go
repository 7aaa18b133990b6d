package render

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/toolcall"
)

// touches returns the files that a call reads or writes, as far as its arguments say
// so for certain.
func (s *Summary) touches(call *toolcall.Call) (found []fileTouch) {
	for _, f := range call.Files() {
		how := reads
		if f.Writes {
			how = writes
		}
		found = append(found, fileTouch{Path: strings.Clone(s.relative(f.Path)), How: how})
	}
	return found
}

// What a tool does to the file that its arguments name.
const (
	reads  = "r"
	writes = "w"
)

// programOf returns the program that a command line runs, with its subcommand where
// that matters: "go test". Folders and variables before it are left out.
func programOf(command string) string {
	command = clean.Prefix(command, 2000)
	for range 4 {
		head, rest, more := strings.Cut(command, "&&")
		words := strings.Fields(head)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "env") {
			words = words[1:]
		}
		if len(words) == 0 || words[0] == "cd" && more {
			command = rest
			continue
		}
		program := words[0][strings.LastIndexByte(words[0], '/')+1:]
		if !isName(strings.ReplaceAll(program, ".", "")) || program == "" || len(program) > 30 {
			return ""
		}
		switch program {
		case "git", "go", "npm", "pnpm", "yarn", "cargo", "docker", "kubectl", "gh", "uv", "mise", "make", "bun", "dotnet":
			for _, w := range words[1:] {
				if isName(strings.ReplaceAll(w, ":", "")) && w[0] != '-' && len(w) < 20 {
					return program + " " + w
				}
			}
		}
		return program
	}
	return ""
}

// telling returns the argument that says most about what a call does.
func (s *Summary) telling(st *step, call *toolcall.Call) string {
	input, command := call.Input, call.Command
	switch {
	case len(st.Touched) > 0 && call.View() == nil:
		return clean.Cut(clean.Line(st.Touched[0].Path), longWhat)
	case command != "":
		return oneLineOf(command, longWhat)
	case !input.IsObject():
		return oneLineOf(call.Text, longWhat)
	}
	for _, name := range []string{"description", "subject", "pattern", "query", "prompt", "url", "skill", "path", "title", "name", "explanation", "task"} {
		if v := input.Get(name); v.Type == lazyjson.String && v.Str != "" {
			return oneLineOf(v.Str, longWhat)
		}
	}
	return ""
}
