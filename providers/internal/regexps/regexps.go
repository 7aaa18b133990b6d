// Package regexps has regular expressions that cost nothing until they are used. Those in
// package variables are else compiled whenever the program starts, also for the commands
// that take less time than that: a hundred of them take milliseconds.
package regexps

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns a regular expression, which is compiled when it is
// first asked for. It panics then if the text is not a regular expression.
func Lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
