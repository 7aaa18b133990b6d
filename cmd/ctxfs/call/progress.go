package call

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// progress is a line on a terminal that shows the progress of a call: the last
// message of the tool, and how long it has run. A nil progress shows nothing.
type progress struct {
	out   io.Writer
	start time.Time
	stop  chan struct{}
	done  sync.WaitGroup
	ended sync.Once

	mu     sync.Mutex
	last   News
	shown  bool
	hidden bool // a person is being asked
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, start: time.Now(), stop: make(chan struct{})}
	p.done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.print()
			}
		}
	})
	return p
}

func (p *progress) update(n News) {
	if p == nil || n.Begun {
		return
	}
	p.mu.Lock()
	p.last = n
	p.mu.Unlock()
	p.print()
}

// print replaces the line. It is never longer than the usual width of a terminal.
func (p *progress) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hidden {
		return
	}
	line := strconv.Itoa(int(time.Since(p.start).Seconds())) + " s"
	switch n := p.last; {
	case n.Total > 0:
		line += fmt.Sprintf(", %g of %g (%d %%)", n.Done, n.Total, int(100*n.Done/n.Total))
	case n.Done > 0:
		line += fmt.Sprintf(", %g done", n.Done)
	}
	if p.last.Message != "" {
		line += ": " + p.last.Message
	}
	if r := []rune(strings.ReplaceAll(line, "\n", " ")); len(r) > 78 {
		line = string(r[:77]) + "…"
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	p.shown = true
}

// hide erases the line until show is called.
func (p *progress) hide() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hidden = true; p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

func (p *progress) show() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden = false
}

// clear stops the progress and erases the line. It may be called more than once.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.ended.Do(func() {
		close(p.stop)
		p.done.Wait()
		if p.shown {
			fmt.Fprint(p.out, "\r\x1b[K")
		}
	})
}
