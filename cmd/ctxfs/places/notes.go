package places

import (
	"fmt"
	"io"
	"sync"
)

// Notes returns a function that writes lines for people, each of them once.
func Notes(w io.Writer) func(line string) {
	var mu sync.Mutex
	said := make(map[string]bool)
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if !said[line] {
			said[line] = true
			fmt.Fprintln(w, "ctxfs: "+line)
		}
	}
}
