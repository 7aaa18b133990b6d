package suspect

import (
	"regexp"
	"sync"
)

// lazily returns a regular expression that is compiled when it is first asked for. All of
// those here take 6 ms, for which every start of the program would wait.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
