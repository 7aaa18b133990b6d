package config

import (
	"maps"
	"slices"
	"strings"
)

// passedOn are the variables that a server's process gets besides those that
// are configured for it: the whole environment may hold anybody's tokens.
var passedOn = [...]string{
	"HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// inherited tells whether every server gets this variable.
func Inherited(name string) bool { return slices.Contains(passedOn[:], name) }

// environ is the environment of a server's process.
func Environ(lookup func(string) (string, bool), home string, configured map[string]string) []string {
	env := map[string]string{"HOME": home}
	for _, name := range passedOn {
		if value, ok := lookup(name); ok {
			env[name] = value
		}
	}
	maps.Copy(env, configured)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.ContainsAny(name+env[name], "\x00") {
			out = append(out, name+"="+env[name])
		}
	}
	return out
}
