// Package toolcall reads the calls of agents' tools: which command line they run, and
// which files they read or write. Agents spell their tools and arguments alike but for
// case and separators.
package toolcall

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Call is a call of a tool.
type Call struct {
	Tool string
	// Input is the arguments, if they are JSON, Text what was stored of them.
	Input lazyjson.Value
	Text  string
	// Command is the command line that the call runs; "" if it runs none.
	Command string
}

// Parse returns a call as it is stored in a session.
func Parse(c *event.Call) *Call {
	call := &Call{Tool: c.Name, Text: c.Input}
	if lazyjson.Valid([]byte(c.Input)) {
		call.Input = lazyjson.ParseString(c.Input)
	}
	call.Command = commandOf(call.Input)
	return call
}

// File is a file that a call reads or writes.
type File struct {
	Path   string // as the call names it
	Writes bool
}

// maxFiles is how many files of one call are returned.
const maxFiles = 1000

// Files returns the files that a call reads or writes, as far as its arguments say so
// for certain.
func (c *Call) Files() (found []File) {
	add := func(path string, writes bool) {
		if path != "" && len(found) < maxFiles && !strings.ContainsAny(path, "\n\x00") {
			found = append(found, File{path, writes})
		}
	}
	if patch := c.Patch(); patch != "" {
		for line := range strings.Lines(patch) {
			if _, path := PatchVerb(line); path != "" {
				add(path, true)
			}
		}
		return found
	}
	if v := c.View(); v != nil {
		add(v.Path, false)
		return found
	}
	reads, writes := c.does()
	if !reads && !writes || !c.Input.IsObject() {
		return nil
	}
	if path := pathIn(c.Input); path != "" {
		add(path, writes)
		return found
	}
	for _, name := range []string{"files", "replacements", "operations", "paths", "edits"} {
		for _, one := range lazyjson.All(c.Input.Get(name)) {
			if one.Type == lazyjson.String {
				add(one.Str, writes)
			} else {
				add(pathIn(one), writes)
			}
		}
	}
	return found
}

// does reports whether the tool reads the files that its arguments name, or writes them.
func (c *Call) does() (reads, writes bool) {
	switch Plain(c.Tool) {
	case "read", "readfile", "view", "viewfile", "viewimage", "notebookread", "copilotreadfile", "openfile", "fsread", "readmanyfiles", "readfiles", "cat":
		return true, false
	case "write", "edit", "multiedit", "notebookedit", "writefile", "replace", "writetofile", "replaceinfile", "applydiff",
		"insertcontent", "searchandreplace", "editfile", "editfiles", "searchreplace", "createfile", "insertedit", "inserteditintofile",
		"replacestringinfile", "multireplacestringinfile", "strreplace", "multistrreplace", "multireplace", "patchfile", "deletefiles", "create", "deletefile", "delete", "fswrite",
		"editnotebook", "editnotebookfile", "copilotcreatefile", "copilotreplacestring", "copilotinsertedit", "undoedit", "newfile", "editor":
		return false, true
	case "strreplaceeditor", "strreplacebasededittool", "strreplacebasededit", "texteditor":
		switch c.Input.Get("command").Str {
		case "view":
			return true, false
		case "":
			return false, false
		}
		return false, true
	}
	return false, false
}

// Plain returns the name of a tool or of an argument without what agents spell
// differently: "edit_file_v2", "editFile" and "EditFile" become one.
func Plain(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", ""), "-", "")
	return strings.TrimSuffix(name, "v2")
}

// pathArguments are the names that tools give to the file they work on.
var pathArguments = [...]string{
	"filepath", "path", "targetfile", "absolutepath", "notebookpath", "targetnotebook", "relativeworkspacepath", "relativepath", "filename", "file",
}

// pathIn returns the file that the arguments of a tool name.
func pathIn(input lazyjson.Value) string {
	best, rank := "", len(pathArguments)
	for key, v := range lazyjson.All(input) {
		if v.Type == lazyjson.String && len(key.Str) < 40 {
			if i := slices.Index(pathArguments[:rank], Plain(key.Str)); i >= 0 {
				best, rank = v.Str, i
			}
		}
	}
	return best
}

// Patch returns the patch that a call applies, in the form of apply_patch; "" if it
// applies none.
func (c *Call) Patch() string {
	switch Plain(c.Tool) {
	case "applypatch", "patch":
		for _, name := range []string{"input", "patch", "patchText", "patch_text", "command"} { // command is what Codex hands its hooks
			if v := c.Input.Get(name); v.Type == lazyjson.String {
				return v.Str
			}
		}
		if c.Input.Type == lazyjson.String {
			return c.Input.Str
		}
		return c.Text
	}
	if strings.HasPrefix(c.Command, "apply_patch") {
		return c.Command
	}
	return ""
}

// PatchVerb returns what a line of a patch does to a file, and to which: "Add File",
// "Update File", "Delete File", "Move to"; "" for any other line.
func PatchVerb(line string) (verb, path string) {
	rest, ok := strings.CutPrefix(line, "*** ")
	if !ok {
		return "", ""
	}
	verb, path, ok = strings.Cut(rest, ": ")
	if !ok || !slices.Contains([]string{"Add File", "Update File", "Delete File", "Move to"}, verb) {
		return "", ""
	}
	return verb, strings.TrimSpace(path)
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
