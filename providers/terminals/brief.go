package terminals

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/terminals/record"
)

const (
	// briefAge is for how long a command that failed is of interest.
	briefAge = 3 * 24 * time.Hour
	// maxRemarks is how many remarks there are on one topic.
	maxRemarks = 8
)

var _ facts.Briefer = (*Provider)(nil)

// Brief implements facts.Briefer: the commands that run in a folder and below it, and those
// that failed there and have not worked since.
func (p *Provider) Brief(dir string) []facts.Remark {
	since := p.opts.Env.Now().Add(-briefAge)
	var running []facts.Remark
	last := make(lastRuns)
	p.mu.Lock()
	for _, t := range p.terminals {
		state := t.state.Load()
		if state.State != record.Ended && state.Command != "" && fs.Within(state.Cwd, dir) && state.CommandStarted != nil {
			running = append(running, facts.Remark{
				Topic: facts.TopicRunning, Time: state.CommandStarted.UTC(), Path: partName(state.ID, 0),
				Text: fmt.Sprintf("`%s` in terminal %s since %s", clean.Cut(state.Command, commandLen), state.ID, wording.Minute(*state.CommandStarted)),
			})
		}
		for i := range state.Records {
			r := &state.Records[i]
			if r.End.Before(since) || !fs.Within(r.Cwd, dir) || r.Command == "" {
				continue
			}
			last.add(r, state)
		}
	}
	p.mu.Unlock()
	var failing []facts.Remark
	for _, f := range stillFailing(last) {
		text := fmt.Sprintf("`%s` failed %s in terminal %s", clean.Cut(f.Command, commandLen), wording.Minute(f.End), f.terminal.ID)
		if f.Exit != nil {
			text += fmt.Sprintf(", exit %d", *f.Exit)
		}
		if why := f.cause(); why != "" {
			text += ": " + why
		}
		failing = append(failing, facts.Remark{
			Topic: facts.TopicFailing, Time: f.End.UTC(), Text: text, Path: path.Join(f.terminal.ID, commandsName, strconv.Itoa(f.N)+".txt"),
		})
	}
	return append(lastFirst(running), failing...)
}

// failed is the last run of a command that failed, or of one that did not.
type failed struct {
	*record.Record
	terminal *record.Terminal
}

// lastRuns has the last run of each command, by it and its folder.
type lastRuns map[string]failed

func (l lastRuns) add(r *record.Record, of *record.Terminal) {
	key := r.Cwd + "\x00" + r.Command
	if before, ok := l[key]; !ok || !r.End.Before(before.End) {
		l[key] = failed{r, of}
	}
}

// stillFailing returns the last of the runs that failed, the last one first.
func stillFailing(last lastRuns) (all []failed) {
	for _, f := range last {
		if f.Failed() {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b failed) int {
		return cmp.Or(b.End.Compare(a.End), strings.Compare(a.Command, b.Command), strings.Compare(a.Cwd, b.Cwd))
	})
	return all[:min(len(all), maxRemarks)]
}

// cause returns what the command said when it failed, on a line; "" if it said nothing,
// or what it said is gone.
func (f failed) cause() string {
	const most = 16 << 10 // bytes of the end of its output
	text, err := f.terminal.Output(*f.Record)
	if err != nil {
		return ""
	}
	end := make([]byte, min(text.Size(), most))
	if n, err := text.ReadAt(end, text.Size()-int64(len(end))); n < len(end) && err != nil {
		return ""
	}
	return clean.Cut(clean.Line(excerpt.Cause(string(end))), commandLen)
}

// lastFirst returns the last remarks, the last one first.
func lastFirst(all []facts.Remark) []facts.Remark {
	slices.SortFunc(all, func(a, b facts.Remark) int { return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Text, b.Text)) })
	return all[:min(len(all), maxRemarks)]
}
