package clients

import (
	"cmp"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
)

// dialect is a client's syntax of variables in its configuration. It takes a text
// that begins with "$" or "{" and returns the length of the reference at its
// beginning, 0 if there is none, and its value; set reports whether it has one.
// What is not a reference stays as it is written.
type dialect func(x *expander, s string) (length int, value string, set bool)

// expander expands the variables of one entry.
type expander struct {
	dialect dialect
	machine
	// workspace is the folder of the project that the server is run for, or "".
	workspace string
	// folder is the folder of the configuration file.
	folder string
	// extra are variables that the client itself sets.
	extra map[string]string

	key      string   // of the entry, that is being expanded
	placed   []string // the keys that name the workspace
	lookedUp string   // the variable that was looked up last
	// ofWorkspace is set if the variable that was looked up last is one of the
	// workspace.
	ofWorkspace bool
	unset       []unset  // the variables that are not set
	secrets     []string // the values of variables
	filesRead   []string // files that were read
}

// unset is a variable without a value.
type unset struct {
	key      string // of the entry, in which it stands: "url", "env.TOKEN"
	variable string // as it is written
	name     string // that of the environment which it names, or ""
	input    string // the id of the input that it is, or ""
	keyring  string // the client whose keyring holds it, or ""
	// workspace is set for a variable of the workspace, which has a value where the
	// server is run for a project.
	workspace bool
}

// base returns the folder of the relative paths of the entry.
func (x *expander) base() string { return cmp.Or(x.workspace, x.Home) }

// text expands the string of a key.
func (x *expander) text(key, s string) string {
	x.key = key
	return x.expand(s)
}

// texts expands an array of strings.
func (x *expander) texts(key string, texts []string) []string {
	x.key = key
	for i := range texts {
		texts[i] = x.expand(texts[i])
	}
	return texts
}

// table expands the values of a table.
func (x *expander) table(key string, table map[string]string) map[string]string {
	for name, text := range table {
		x.key = key + "." + name
		table[name] = x.expand(text)
	}
	return table
}

// expand returns s with its variables replaced.
func (x *expander) expand(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(s, "${")
		if i < 0 || x.dialect == nil {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		s = s[i:]
		x.lookedUp, x.ofWorkspace = "", false
		length, value, set := x.dialect(x, s)
		switch {
		case length == 0:
			length, value = 1, s[:1]
		case !set:
			value = s[:length]
			x.missing(unset{variable: value, name: x.lookedUp, input: inputOf(value), workspace: x.ofWorkspace})
		}
		out.WriteString(value)
		s = s[length:]
	}
}

func (x *expander) missing(u unset) {
	u.key = x.key
	x.unset = append(x.unset, u)
}

// inputOf returns the id of the input that a reference names, or "".
func inputOf(reference string) string {
	id, ok := strings.CutPrefix(reference, "${input:")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(id, "}")
}

// variable looks up a variable of the environment. Its value is recorded as a
// secret unless the process of every server gets it.
func (x *expander) variable(name string) (string, bool) {
	x.lookedUp = name
	if value, ok := x.extra[name]; ok {
		return value, true
	}
	value, ok := x.LookupEnv(name)
	if ok && !config.Inherited(name) {
		x.secrets = append(x.secrets, value)
	}
	return value, ok
}

// braced returns the text between open, which s must begin with, and "}", and the
// length of the whole; 0 if s has another form.
func braced(s, open string) (reference string, length int) {
	rest, ok := strings.CutPrefix(s, open)
	if !ok {
		return "", 0
	}
	reference, _, ok = strings.Cut(rest, "}")
	if !ok {
		return "", 0
	}
	return reference, len(open) + len(reference) + 1
}

// inWorkspace returns the value of a variable of the workspace: what of makes of its
// folder. Without a workspace it has none.
func (x *expander) inWorkspace(of func(folder string) string) (value string, set bool) {
	x.placed, x.ofWorkspace = append(x.placed, x.key), true
	if x.workspace == "" {
		return "", false
	}
	return of(x.workspace), true
}

// itself is the value of ${workspaceFolder}.
func itself(folder string) string { return folder }

// workspaceVariable returns what the variable of an editor makes of the folder of the
// workspace; nil if it is not a variable of the workspace.
func workspaceVariable(name string) func(folder string) string {
	switch name {
	case "workspaceFolder":
		return itself
	case "workspaceFolderBasename":
		return filepath.Base
	}
	return nil
}

// ownDialect expands what shellDialect does, and the variables of a workspace as
// editors write them. It is that of ctxfs itself.
func ownDialect(x *expander, s string) (length int, value string, set bool) {
	reference, length := braced(s, "${")
	if of := workspaceVariable(reference); of != nil {
		value, set = x.inWorkspace(of)
		return length, value, set
	}
	return shellDialect(x, s)
}

// claudeProject is the variable with the folder of the project that Claude Code sets
// for the servers that it starts, and puts into the entries of plugins. In other
// entries it has no value there, so that they need a default, which is of the same
// meaning: "${CLAUDE_PROJECT_DIR:-.}".
//
// Source: code.claude.com/docs/en/mcp.
const claudeProject = "CLAUDE_PROJECT_DIR"

// claudeDialect expands what shellDialect does, and the folder of the project.
func claudeDialect(x *expander, s string) (length int, value string, set bool) {
	reference, length := braced(s, "${")
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	if name != claudeProject {
		return shellDialect(x, s)
	}
	if value, set = x.inWorkspace(itself); !set && hasFallback {
		return length, fallback, true
	}
	return length, value, set
}

// shellDialect expands ${V} and ${V:-default}.
func shellDialect(x *expander, s string) (length int, value string, set bool) {
	reference, length := braced(s, "${")
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	if !isVariable(name) {
		return 0, "", false
	}
	value, set = x.variable(name)
	if hasFallback && value == "" {
		return length, fallback, true
	}
	return length, value, set
}

// plainDialect expands ${V} and nothing else.
func plainDialect(x *expander, s string) (length int, value string, set bool) {
	name, length := braced(s, "${")
	if !isVariable(name) {
		return 0, "", false
	}
	value, set = x.variable(name)
	return length, value, set
}

// geminiDialect expands $V, ${V} and ${V:-default}.
func geminiDialect(x *expander, s string) (length int, value string, set bool) {
	if length, value, set = shellDialect(x, s); length > 0 || s[0] != '$' {
		return length, value, set
	}
	end := 1
	for end < len(s) && isVariable(s[1:end+1]) {
		end++
	}
	if end == 1 {
		return 0, "", false
	}
	value, set = x.variable(s[1:end])
	return end, value, set
}

// envDialect expands ${env:V}, of Windsurf.
func envDialect(x *expander, s string) (length int, value string, set bool) {
	reference, length := braced(s, "${")
	name, ok := strings.CutPrefix(reference, "env:")
	if !ok || name == "" {
		return 0, "", false
	}
	value, set = x.variable(name)
	return length, value, set
}

// editorDialect expands ${env:V}, of Cursor and VS Code, and the variables of a
// workspace, which have no value where a user's server is run for no project.
func editorDialect(x *expander, s string) (length int, value string, set bool) {
	reference, length := braced(s, "${")
	switch reference {
	case "userHome":
		return length, x.Home, true
	case "pathSeparator", "/":
		return length, string(filepath.Separator), true
	}
	if of := workspaceVariable(reference); of != nil {
		value, set = x.inWorkspace(of)
		return length, value, set
	}
	return envDialect(x, s)
}

// vscodeDialect expands what editorDialect does, further names of the workspace, and
// ${input:id}. The editor asks its user for inputs; ctxfs takes them from its own
// configuration or its environment.
//
// Source: configurationResolver/common/variableResolver.ts of VS Code. A folder of a
// workspace with several is named by its base name.
func vscodeDialect(x *expander, s string) (length int, value string, set bool) {
	if id, length := braced(s, "${input:"); length > 0 {
		value, set = x.input(id)
		if set {
			x.secrets = append(x.secrets, value)
		}
		return length, value, set
	}
	reference, length := braced(s, "${")
	name, folder, named := strings.Cut(reference, ":")
	of := workspaceVariable(name)
	switch name {
	case "workspaceRoot", "cwd":
		of = itself
	case "workspaceRootFolderName":
		of = filepath.Base
	}
	if of == nil {
		return editorDialect(x, s)
	}
	value, set = x.inWorkspace(of)
	if set && named && folder != filepath.Base(x.workspace) {
		value, set, x.ofWorkspace = "", false, false // another folder of the workspace
	}
	return length, value, set
}

// opencodeDialect expands {env:V} and {file:path}. opencode replaces an unset
// variable with nothing; here it is a fault like any other.
func opencodeDialect(x *expander, s string) (length int, value string, set bool) {
	if name, length := braced(s, "{env:"); length > 0 {
		value, set = x.variable(name)
		return length, value, set
	}
	path, length := braced(s, "{file:")
	if length == 0 {
		return 0, "", false
	}
	if path = wording.ExpandTilde(path, x.Home); !filepath.IsAbs(path) {
		path = filepath.Join(x.folder, path)
	}
	x.filesRead = append(x.filesRead, path)
	text, _, err := readRegular(path)
	if err != nil {
		return length, "", false
	}
	value = strings.TrimSpace(string(text))
	x.secrets = append(x.secrets, value)
	return length, value, true
}

// input returns the value of an input: of [mcp.inputs], or of CTXFS_INPUT_<ID>.
func (m machine) input(id string) (string, bool) {
	if value, ok := m.inputs[id]; ok {
		return value, true
	}
	return m.LookupEnv(inputVariable(id))
}

// inputVariable returns the name of the variable with the value of an input.
func inputVariable(id string) string {
	name := []byte("CTXFS_INPUT_" + strings.ToUpper(id))
	for i, c := range name {
		if !(c == '_' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			name[i] = '_'
		}
	}
	return string(name)
}

// isVariable reports whether s can be the name of a variable, so that "${#list}" in
// an argument for a shell is left as it is.
func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// envFile reads the file of variables that the key "envFile" names; a variable
// of "env" has precedence.
func (k *keys) envFile(e *Entry, x *expander) {
	path := x.text("envFile", k.text("envFile"))
	if path == "" || len(x.unset) > 0 {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.base(), path)
	}
	x.filesRead = append(x.filesRead, path)
	text, _, err := readRegular(path)
	if err != nil {
		v, _ := k.value.Get("envFile")
		k.fail(v, "%q cannot be read: %v", path, wording.Cause(err))
		return
	}
	if e.Env == nil {
		e.Env = make(map[string]string)
	}
	for name, value := range dotenv(string(text)) {
		if _, ok := e.Env[name]; !ok {
			e.Env[name] = value
		}
	}
}

// dotenv reads lines of NAME=value, with comments, quotes and "export".
func dotenv(text string) map[string]string {
	vars := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !isVariable(name) {
			continue
		}
		if quote := strings.IndexAny(value, `"'`); quote == 0 {
			if inner, _, closed := strings.Cut(value[1:], value[:1]); closed {
				value = inner
			}
		} else if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		vars[name] = value
	}
	return vars
}
