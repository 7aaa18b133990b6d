package clients

import (
	"cmp"
	"maps"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
)

// dialect is a client's syntax of variables in its configuration. It takes a text
// that begins with "$" or "{" and returns the length of the reference at its
// beginning, or 0, and its value; set reports whether it has one. What is not a
// reference stays as it is written.
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
			input, _ := braced(value, "${input:")
			x.missing(unset{variable: value, name: x.lookedUp, input: input, workspace: x.ofWorkspace})
		}
		out.WriteString(value)
		s = s[length:]
	}
}

func (x *expander) missing(u unset) {
	u.key = x.key
	x.unset = append(x.unset, u)
}

// variable looks up a variable of the environment. Its value is recorded as a
// secret unless such variables never are.
func (x *expander) variable(name string) (string, bool) {
	x.lookedUp = name
	if value, ok := x.extra[name]; ok {
		return value, true
	}
	value, ok := x.LookupEnv(name)
	if ok && !config.Ordinary(name) {
		x.secrets = append(x.secrets, value)
	}
	return value, ok
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
	vars := dotenv(string(text))
	maps.Copy(vars, e.Env)
	e.Env = vars
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
