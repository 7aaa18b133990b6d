package render

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
)

// What a tool does to the file that its arguments name.
const (
	reads  = "r"
	writes = "w"
)

// fileTool returns what a tool of any agent does to a file; "" if unknown. Agents
// spell their tools alike but for case and separators.
func fileTool(name string, input lazyjson.Value) string {
	switch plainName(name) {
	case "read", "readfile", "view", "viewfile", "viewimage", "notebookread", "copilotreadfile", "openfile", "fsread", "readmanyfiles", "readfiles", "cat":
		return reads
	case "write", "edit", "multiedit", "notebookedit", "writefile", "replace", "writetofile", "replaceinfile", "applydiff",
		"insertcontent", "searchandreplace", "editfile", "searchreplace", "createfile", "insertedit", "inserteditintofile",
		"replacestringinfile", "multireplacestringinfile", "strreplace", "multistrreplace", "multireplace", "patchfile", "deletefiles", "create", "deletefile", "delete", "fswrite",
		"editnotebook", "editnotebookfile", "copilotcreatefile", "copilotreplacestring", "copilotinsertedit", "undoedit", "newfile", "editor":
		return writes
	case "strreplaceeditor", "strreplacebasededittool", "strreplacebasededit", "texteditor":
		switch input.Get("command").Str {
		case "view":
			return reads
		case "":
			return ""
		}
		return writes
	}
	return ""
}

// plainName returns the name of a tool or of an argument without what agents spell
// differently: "edit_file_v2", "editFile" and "EditFile" become one.
func plainName(name string) string {
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	return strings.TrimSuffix(name, "v2")
}

// pathArguments are the names that tools give to the file they work on.
var pathArguments = [...]string{
	"filepath", "path", "targetfile", "absolutepath", "notebookpath", "targetnotebook", "relativeworkspacepath", "relativepath", "filename", "file",
}

// pathIn returns the file that the arguments of a tool name.
func pathIn(input lazyjson.Value) string {
	best, rank := "", len(pathArguments)
	input.ForEach(func(key, v lazyjson.Value) bool {
		if v.Type == lazyjson.String && len(key.Str) < 40 {
			if i := slices.Index(pathArguments[:rank], plainName(key.Str)); i >= 0 {
				best, rank = v.Str, i
			}
		}
		return true
	})
	return best
}

// maxTouched is how many files of one call are recorded.
const maxTouched = 1000

// touches returns the files that a call reads or writes, as far as its arguments
// say so for certain.
func (s *Summary) touches(tool, text string, input lazyjson.Value, command string) []fileTouch {
	patch := ""
	switch plainName(tool) {
	case "applypatch", "patch":
		patch = text
		for _, name := range []string{"input", "patch", "patchText", "patch_text"} {
			if v := input.Get(name); v.Type == lazyjson.String {
				patch = v.Str
				break
			}
		}
		if input.Type == lazyjson.String {
			patch = input.Str
		}
	default:
		if strings.HasPrefix(command, "apply_patch") {
			patch = command
		}
	}
	if patch != "" {
		return s.patched(patch)
	}
	how := fileTool(tool, input)
	if how == "" || !input.IsObject() {
		return nil
	}
	var found []fileTouch
	add := func(path string) {
		if path != "" && len(found) < maxTouched && !strings.ContainsAny(path, "\n\x00") {
			found = append(found, fileTouch{Path: strings.Clone(s.relative(path)), How: how})
		}
	}
	if path := pathIn(input); path != "" {
		add(path)
		return found
	}
	for _, name := range []string{"files", "replacements", "operations", "paths", "edits"} {
		input.Get(name).ForEach(func(_, one lazyjson.Value) bool {
			if one.Type == lazyjson.String {
				add(one.Str)
			} else {
				add(pathIn(one))
			}
			return true
		})
	}
	return found
}

// patched returns the files of a patch in the form of apply_patch.
func (s *Summary) patched(patch string) []fileTouch {
	var found []fileTouch
	for line := range strings.Lines(patch) {
		rest, ok := strings.CutPrefix(line, "*** ")
		if !ok || len(found) >= maxTouched {
			continue
		}
		for _, verb := range []string{"Add File: ", "Update File: ", "Delete File: ", "Move to: "} {
			if path, ok := strings.CutPrefix(rest, verb); ok {
				found = append(found, fileTouch{Path: strings.Clone(s.relative(strings.TrimSpace(path))), How: writes})
			}
		}
	}
	return found
}

// commandOf returns the command line of a call of a shell; "" for other calls.
func commandOf(input lazyjson.Value) string {
	for _, name := range []string{"command", "cmd", "script"} {
		v := input.Get(name)
		switch {
		case v.Type == lazyjson.String:
			return v.Str
		case v.IsArray():
			words := v.Array()
			if len(words) == 3 && strings.HasSuffix(words[0].Str, "sh") && strings.HasPrefix(words[1].Str, "-") {
				return words[2].Str
			}
			var line []string
			for _, w := range words {
				line = append(line, w.String())
			}
			return strings.Join(line, " ")
		}
	}
	return ""
}

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
func (s *Summary) telling(st *step, input lazyjson.Value, command, text string) string {
	switch {
	case len(st.Touched) > 0:
		return clean.Cut(clean.Line(st.Touched[0].Path), longWhat)
	case command != "":
		return oneLineOf(command, longWhat)
	case !input.IsObject():
		return oneLineOf(text, longWhat)
	}
	for _, name := range []string{"description", "subject", "pattern", "query", "prompt", "url", "skill", "path", "title", "name", "explanation", "task"} {
		if v := input.Get(name); v.Type == lazyjson.String && v.Str != "" {
			return oneLineOf(v.Str, longWhat)
		}
	}
	return ""
}
