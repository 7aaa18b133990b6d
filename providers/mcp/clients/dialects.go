package clients

import (
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
)

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
// folder. Without a workspace it has no value.
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
