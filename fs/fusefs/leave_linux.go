package fusefs

import (
	"bytes"
	"fmt"
	"os"
)

// passage is what was seen of a thread that may be in the kernel.
type passage struct {
	ran  []byte // its scheduler statistics
	runs int    // how often they have moved
}

// over tells whether a thread has left the place in the kernel where it was when
// it was first asked for. At that place no thread sleeps. One that sleeps is
// elsewhere, perhaps waiting for an answer of ours, and so is one that has run:
// its statistics may move once for what it ran before, but not twice. Formats:
// proc(5), and sched-stats.rst of the kernel.
func (p *passage) over(thread uint32) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", thread))
	if err != nil {
		return true // it has ended
	}
	// The name of the program may hold anything, the fields behind it do not.
	name := bytes.LastIndexByte(stat, ')')
	if name < 0 || name+2 >= len(stat) {
		return true
	}
	if stat[name+2] != 'R' {
		return true
	}
	ran, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", thread))
	if err != nil {
		return true
	}
	if p.ran != nil && !bytes.Equal(p.ran, ran) {
		p.runs++
	}
	p.ran = ran
	return p.runs > 1
}
