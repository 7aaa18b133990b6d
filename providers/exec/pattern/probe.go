package pattern

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// IsProbe reports whether programs look for a name in every folder, on their own: version
// control, package managers, editors, agents, file managers. No placeholder accepts it, so
// that it starts no command.
func IsProbe(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") || strings.Contains(name, ".config.") {
		return true
	}
	_, found := slices.BinarySearch(probes(), name)
	return found
}

//go:embed probes.txt
var listed string

// probes returns these names, in small letters.
var probes = sync.OnceValue(func() []string { return slices.Sorted(strings.FieldsSeq(listed)) })
