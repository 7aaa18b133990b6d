package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Path is the path of a file or folder as a shell would write it. "~" at its
// beginning is the home folder. "${NAME:-PATH}" is the variable NAME if its value
// is an absolute path or begins with "~/", else PATH, which may contain others;
// "${NAME}" alone is a path that does not exist unless the variable has such a
// value. "{support}" at its beginning is the folder of the settings of desktop
// programs: ~/Library/Application Support on macOS, elsewhere $XDG_CONFIG_HOME. A
// path that begins with "{darwin}" is on macOS only, one with "{linux}" everywhere
// else.
type Path string

// Beginnings of paths.
const (
	xdgConfig = "${XDG_CONFIG_HOME:-~/.config}/"
	support   = "{support}/"
	onDarwin  = "{darwin}"
	onLinux   = "{linux}"
)

// Machine is the computer and the user whose files are looked for.
type Machine struct {
	// Home is the user's home folder.
	Home string
	// OS is the system as in runtime.GOOS; "" is any of them: then one [Path] may
	// be several.
	OS string
	// LookupEnv looks up a variable of the user's environment.
	LookupEnv func(string) (string, bool)
}

// Lookup returns a function that looks up variables in an environment. That is asked for once, with
// the first variable; of several entries the last counts.
func Lookup(environ func() []string) func(name string) (string, bool) {
	entries := sync.OnceValue(environ)
	return func(name string) (string, bool) {
		for _, entry := range slices.Backward(entries()) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// Paths returns what the paths are on the machine, in their order, each once;
// none for "". A file or folder need not exist.
func (m Machine) Paths(paths ...Path) (all []string) {
	seen := make(map[string]bool)
	for _, p := range paths {
		if p == "" {
			continue
		}
		for _, variant := range m.variants(string(p)) {
			path, ok := m.expand(variant)
			if path = filepath.Clean(path); ok && !seen[path] {
				seen[path] = true
				all = append(all, path)
			}
		}
	}
	return all
}

// Path returns what the path is on the machine: the first one if there may be
// several, "" if it does not exist.
func (m Machine) Path(p Path) string {
	if all := m.Paths(p); len(all) > 0 {
		return all[0]
	}
	return ""
}

// library is the folder of the settings and data of desktop programs on macOS.
const library = "~/Library/Application Support/"

// variants returns the path for each possible system: none if it is not one of the
// machine's.
func (m Machine) variants(path string) (all []string) {
	darwin, linux := path, path
	if rest, ok := strings.CutPrefix(path, support); ok {
		darwin, linux = library+rest, xdgConfig+rest
	} else if rest, ok := strings.CutPrefix(path, onDarwin); ok {
		darwin, linux = rest, ""
	} else if rest, ok := strings.CutPrefix(path, onLinux); ok {
		darwin, linux = "", rest
	}
	if m.OS != "darwin" && linux != "" {
		all = append(all, linux)
	}
	if (m.OS == "darwin" || m.OS == "") && darwin != "" {
		all = append(all, darwin)
	}
	return all
}

// expand replaces "~" and variables. It reports whether all variables without a
// default have a value.
func (m Machine) expand(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "${"); ok {
		end := closing(rest)
		reference, rest := rest[:end], rest[end+1:]
		name, fallback, hasFallback := strings.Cut(reference, ":-")
		value, ok := m.variable(name)
		if !ok && hasFallback {
			value, ok = m.expand(fallback)
		}
		return value + rest, ok
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		return m.Home + path[1:], true
	}
	return path, true
}

// closing returns the place of the "}" that ends a reference.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	panic("a path has no closing brace: " + s)
}

// variable returns the path in a variable. One that is not absolute is ignored, as
// the XDG Base Directory Specification requires for its own variables.
func (m Machine) variable(name string) (string, bool) {
	value, ok := m.LookupEnv(name)
	if value == "~" || strings.HasPrefix(value, "~/") {
		value = m.Home + value[1:]
	}
	return value, ok && filepath.IsAbs(value)
}
