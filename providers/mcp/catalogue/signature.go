package catalogue

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
)

// Signature returns the name of a tool or prompt with what it takes, in short.
func (i *Item) Signature() string { return i.File + "(" + i.Parameters + ")" }

// Call returns the command that calls the tool of a server, gets its prompt or reads
// its resource, with a placeholder for each argument that it needs. Server is the name
// of its folder.
func (i *Item) Call(server string, f Folder) string {
	command, what := "call", i.File
	switch f {
	case PromptFolder:
		command = "prompt-get"
	case ResourceFolder:
		command = "read"
		if i.Template != "" {
			what = i.Template
		}
	}
	call := "ctxfs " + command
	if strings.HasPrefix(server, "-") || strings.HasPrefix(what, "-") {
		call += " --"
	}
	call += " " + wording.ShellWord(server) + " " + wording.ShellWord(what)
	if i.Flags != "" {
		call += " " + i.Flags
	}
	return call
}

// Head returns what a file has before the definition: the server, by the name of its
// folder, and the command of Call.
func (i *Item) Head(server string, f Folder) []byte {
	head := append([]byte(`{"`+serverMember+`":`), jsonText(server)...)
	head = append(append(head, `,"`+callMember+`":`...), jsonText(i.Call(server, f))...)
	if !bytes.HasPrefix(i.Body, []byte("{}")) {
		head = append(head, ",\n"...)
	}
	return head
}

// jsonText returns a text as JSON, without the escapes that HTML needs.
func jsonText(text string) []byte {
	line, _ := jsonscan.Line(text) // a string always encodes
	return clean.JSON(bytes.TrimSuffix(line, []byte("\n")))
}

// signature returns the Parameters and the Flags of the Item of a definition.
func (s shape) signature(o rawjson.Object) (parameters, flags string) {
	if s.pinned {
		is := arguments.SignatureOf(o.Get("inputSchema"))
		return is.Parameters, is.Flags
	}
	var list []struct {
		Name     string
		Required bool
	}
	if json.Unmarshal(o.Get("arguments"), &list) != nil || len(list) == 0 { // a resource, or a prompt without any
		return "", ""
	}
	properties, required := make(rawjson.Object, 0, len(list)), []string{}
	for _, a := range list {
		properties = properties.With(a.Name, json.RawMessage("{}"))
		if a.Required {
			required = append(required, a.Name)
			flags += " --arg " + wording.ShellWord(clean.Line(a.Name)+"=…")
		}
	}
	members, _ := properties.Append(nil) // names always encode
	needs, _ := json.Marshal(required)
	schema := `{"properties":` + string(members) + `,"required":` + string(needs) + `}`
	return arguments.SignatureOf(json.RawMessage(schema)).Parameters, strings.TrimPrefix(flags, " ")
}
