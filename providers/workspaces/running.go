package workspaces

import (
	"fmt"
	"os"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/processes"
)

// processesAge is for how long processes are not looked at again. Starts and ends are
// not announced, so processes are looked at every processesAge while someone works.
const processesAge = 10 * time.Second

const processesName = "processes.tsv"

// processesFresh is for how long processes are not looked at again even if a page is
// asked for.
const processesFresh = time.Second

// lookAtProcesses looks at what runs in all workspaces, if that was not done within an
// age, and has the pages made again of those where it has changed.
func (p *Provider) lookAtProcesses(age time.Duration) {
	p.looking.Lock()
	defer p.looking.Unlock()
	if time.Since(p.processesAt) < age {
		return
	}
	// The time of the system, which has started them.
	running, err := p.readProcesses(processes.Options{Place: p.nameOf, Own: os.Getpid(), Now: time.Now})
	p.processesAt = time.Now()
	if err != nil {
		return // the system does not tell
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.places {
		if processes.TSV(p.running[name]) != processes.TSV(running[name]) {
			p.dueLocked(w)
		}
	}
	p.running = running
}

// nameOf returns the name of the workspace that a folder is in, or "".
func (p *Provider) nameOf(dir string) string {
	w, _ := p.opts.Known.Of(dir)
	return w.Name
}

// isWorked reports whether any place has recent work.
func (p *Provider) isWorked() bool {
	all := p.opts.Known.All()
	return len(all) > 0 && p.opts.Env.Now().Sub(all[0].Time) < idle
}

// serverLines returns the processes that listen somewhere.
func (f *herePage) serverLines() (lines []string) {
	for _, one := range f.running {
		if len(one.Listens) == 0 {
			continue
		}
		line := fmt.Sprintf("`%s` listens on %s, pid %d", clean.Cut(one.Command, 80), wording.List(one.Listens, 3), one.PID)
		if one.Terminal != "" {
			line += ", terminal " + one.Terminal
		}
		lines = append(lines, line+", since "+wording.Minute(one.Since))
	}
	return lines
}
