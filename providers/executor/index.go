package executor

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/internal/clean"
)

// indexName is the file that lists all runs.
const indexName = "INDEX.md"

// snapshot is the published state.
type snapshot struct {
	runs     []*run // newest first
	index    []byte
	modTime  time.Time // of the index; zero if no fact has a time
	problems []fs.Problem
}

// newSnapshot returns the state for some runs; old is what was shown before.
func newSnapshot(runs map[string]*run, old *snapshot, now func() time.Time) *snapshot {
	s := new(snapshot)
	for _, r := range runs {
		s.runs = append(s.runs, r)
		s.modTime = wording.Later(s.modTime, r.changed)
	}
	slices.SortFunc(s.runs, func(a, b *run) int {
		return cmp.Or(b.Status.Created.Compare(a.Status.Created), cmp.Compare(b.ID, a.ID))
	})
	s.index = renderIndex(s.runs)
	switch {
	case bytes.Equal(s.index, old.index):
		s.modTime = old.modTime
	case old.index != nil && !s.modTime.After(old.modTime):
		s.modTime = wording.Later(now(), old.modTime.Add(1)) // a removal has no time of its own
	}
	return s
}

//go:embed intro.md
var intro string

const none = `None yet. Start one, with one task:

    ctxfs agent run --agent NAME --repo DIR -- "mend the failing test"
`

// renderIndex returns INDEX.md.
func renderIndex(runs []*run) []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	if len(runs) == 0 {
		b.WriteString(none)
	}
	for _, r := range runs {
		name := r.ID + "/"
		if !r.Ended() {
			name = "**" + name + "**"
		}
		fmt.Fprintf(&b, "- %s: %s, %s: %s\n", name, clean.Line(r.Status.Agent), r.statusText(), clean.Cut(r.prompt, promptLen))
	}
	return b.Bytes()
}

// statusText describes the state of a run: how it ended, or since when it runs or waits.
func (r *run) statusText() string {
	switch {
	case r.Ended() && r.Status.Started.IsZero():
		return fmt.Sprintf("%s, asked for %s", r.Result.Ended, wording.Time(r.Status.Created))
	case r.Ended():
		return fmt.Sprintf("%s, started %s", r.Result.Ended, wording.Time(r.Status.Started))
	case r.Status.State == job.Waiting:
		return "waits for its turn since " + wording.Time(r.Status.Created)
	}
	return "runs since " + wording.Time(r.Status.Started)
}
