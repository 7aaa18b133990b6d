package terminals

import (
	"context"
	"os"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/terminals/config"
	"ctxfs/providers/terminals/record"
	"ctxfs/providers/terminals/tmux"
)

// adoptTime is how long a command waits until all panes are recorded.
const adoptTime = 15 * time.Second

// adoption is the recording of tmux's panes, if it is on.
type adoption struct {
	mu      sync.Mutex
	adopter *tmux.Adopter
	asked   bool   // by a command: the settings do not end it
	fault   string // why it could not be started
	closed  bool
}

// Adopted is what is recorded of tmux.
type Adopted struct {
	Panes    []tmux.Pane
	Problems []string // sentences: what is not recorded, and why
}

// Start implements fs.Starter. It begins to index, and starts the recording of tmux's
// panes if the settings say so. It returns at once.
func (p *Provider) Start() {
	_ = p.fulltext.Begin()
	p.configured()
}

// configured starts or ends the recording of tmux, as the settings say.
func (p *Provider) configured() {
	if !p.opts.Watch {
		return
	}
	p.mu.Lock()
	wanted := p.settings.Tmux
	p.mu.Unlock()
	p.tmux.mu.Lock()
	p.tmux.fault = ""
	var ended *tmux.Adopter
	switch {
	case wanted:
		if err := p.adopt(); err != nil {
			p.tmux.fault = err.Error()
		}
	case !p.tmux.asked:
		ended, p.tmux.adopter = p.tmux.adopter, nil
	}
	p.tmux.mu.Unlock()
	if ended != nil {
		_ = ended.Close()
	}
}

// adopt starts the recording. The caller holds its mutex.
func (p *Provider) adopt() (err error) {
	if p.tmux.adopter != nil || p.tmux.closed {
		return nil
	}
	p.mu.Lock()
	s := p.settings
	p.mu.Unlock()
	known := mask.NewKnown(os.Environ())
	p.tmux.adopter, err = tmux.New(tmux.Options{
		Folder: p.opts.TmuxFolder,
		Record: record.Options{
			Dir: p.opts.State, Limits: s.Limits, Replay: s.Replay, Mask: func() record.Masker { return known.Masker() },
		},
		Changed: func() { p.opts.Env.Changed(indexName) }, // the status may have changed
		Log:     p.opts.Env.Log,
	})
	return err
}

// AdoptTmux records the panes of the user's tmux servers from now on, until the
// provider is closed, and returns them. It waits until all present panes are
// recorded, which takes at most 15 seconds (if a server hangs).
func (p *Provider) AdoptTmux(ctx context.Context, _ fs.None) (Adopted, error) {
	p.tmux.mu.Lock()
	err := p.adopt()
	adopter := p.tmux.adopter
	p.tmux.asked = p.tmux.asked || err == nil
	p.tmux.mu.Unlock()
	if err != nil || adopter == nil {
		return Adopted{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	late := adopter.Adopt(waiting) != nil
	if err := ctx.Err(); err != nil {
		return Adopted{}, err
	}
	var adopted Adopted
	adopted.Panes, adopted.Problems = adopter.State()
	if late {
		adopted.Problems = append(adopted.Problems, "a tmux server takes long to answer; the other panes are recorded as soon as it does")
	}
	return adopted, nil
}

// problems returns what is wrong with the recording.
func (a *adoption) problems() []fs.Problem {
	a.mu.Lock()
	adopter, fault := a.adopter, a.fault
	a.mu.Unlock()
	var all []fs.Problem
	if fault != "" {
		all = append(all, fs.Problem{
			What: clean.Line(fault),
			Mend: "install tmux 3.2 or later, or take tmux = true out of the table [" + config.Table + "]",
		})
	}
	if adopter != nil {
		_, problems := adopter.State()
		for _, what := range problems {
			all = append(all, fs.Problem{What: clean.Line(what), Mend: "see what tmux says: tmux list-sessions; it is tried again by itself"})
		}
	}
	return all
}

func (a *adoption) close() {
	a.mu.Lock()
	adopter := a.adopter
	a.adopter, a.closed = nil, true
	a.mu.Unlock()
	if adopter != nil {
		_ = adopter.Close()
	}
}
