package mcp

import (
	"path/filepath"
	"strings"
)

// dialect is how a client writes variables into its configuration. It is
// given what stands between "${" and "}"; known says whether that is a
// reference in this dialect, and set whether it has a value. What is not a
// reference stays as it is written.
type dialect func(x *expander, reference string) (value string, known, set bool)

// expander expands the variables of one entry.
type expander struct {
	dialect dialect
	lookup  func(string) (string, bool)
	home    string

	unset   string   // the first reference that has no value
	missing string   // the variable of the environment that it names, or ""
	asked   string   // the variable that was looked up last
	secrets []string // the values of variables
}

// expand returns s with its variables replaced.
func (x *expander) expand(s string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		reference, after, closed := strings.Cut(rest, "}")
		if closed {
			x.asked = ""
			value, known, set := x.dialect(x, reference)
			switch {
			case known && set:
				out.WriteString(value)
				s = after
				continue
			case known && x.unset == "":
				x.unset, x.missing = "${"+reference+"}", x.asked
			}
		}
		out.WriteString("${")
		s = rest
	}
}

// variable looks up a variable of the environment. Its value is a secret,
// unless it is one that every child process gets to see.
func (x *expander) variable(name string) (string, bool) {
	x.asked = name
	value, ok := x.lookup(name)
	if ok && !inherited(name) {
		x.secrets = append(x.secrets, value)
	}
	return value, ok
}

// shellDialect is ${V} and ${V:-default}, of Claude Code and of ctxfs itself.
func shellDialect(x *expander, reference string) (value string, known, set bool) {
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	if !isVariable(name) {
		return "", false, false
	}
	value, set = x.variable(name)
	if hasFallback && value == "" {
		return fallback, true, true
	}
	return value, true, set
}

// cursorDialect is ${env:V} and Cursor's own variables. Those of a workspace
// have no value in a user's configuration.
func cursorDialect(x *expander, reference string) (value string, known, set bool) {
	switch reference {
	case "userHome":
		return x.home, true, true
	case "pathSeparator", "/":
		return string(filepath.Separator), true, true
	case "workspaceFolder", "workspaceFolderBasename":
		return "", true, false
	}
	name, ok := strings.CutPrefix(reference, "env:")
	if !ok || name == "" {
		return "", false, false
	}
	value, set = x.variable(name)
	return value, true, set
}

// isVariable tells whether s is the name of a variable, so that "${#list}" in
// an argument for a shell is left alone.
func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
