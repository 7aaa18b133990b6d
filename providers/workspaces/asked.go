package workspaces

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"ctxfs/providers/internal/atomicfile"
)

// askedName is the file with the folders whose pages were asked for, and when. It is
// JSON.
const askedName = "asked.json"

// maxAsked is how many folders it has.
const maxAsked = 100

// readAsked reads the file. One that cannot be read is an empty one.
func readAsked(dir string) map[string]time.Time {
	asked := make(map[string]time.Time)
	if body, err := os.ReadFile(filepath.Join(dir, askedName)); err != nil || json.Unmarshal(body, &asked) != nil {
		clear(asked)
	}
	return asked
}

// ask records that the pages of a folder are wanted, which counts as work there.
func (p *Provider) ask(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[dir] = p.opts.Env.Now().UTC()
	for len(p.asked) > maxAsked {
		oldest := dir
		for other, at := range p.asked {
			if at.Before(p.asked[oldest]) {
				oldest = other
			}
		}
		delete(p.asked, oldest)
	}
	if body, err := json.MarshalIndent(p.asked, "", "  "); err == nil {
		_ = atomicfile.Write(filepath.Join(p.opts.State, askedName), append(body, '\n')) // it holds as long as the process
	}
}
