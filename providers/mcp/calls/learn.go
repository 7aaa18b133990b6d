package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"ctxfs/providers/facts"
)

// Uses returns the calls in the log of clients that had searched before, a part for
// each session of a client. Clients with a shell state their wants in a transcript. A
// log that cannot be read yields nothing.
func (l *Log) Uses() (all []facts.Part[facts.Use]) {
	if l.path == "" {
		return nil
	}
	at := make(map[string]int)
	for _, path := range []string{l.path + olderSuffix, l.path} {
		_ = eachCalled(path, func(c *Called) {
			name := strings.Join([]string{"mcps/calls", c.Agent, c.Session}, "/")
			n, known := at[name]
			if !known {
				n = len(all)
				at[name] = n
				all = append(all, facts.Part[facts.Use]{Name: name})
			}
			all[n].Facts = append(all[n].Facts, facts.Use{
				Used: facts.Used{Kind: "tool", Server: c.Server, Name: c.Tool}, Said: c.Wanted, Outcome: c.ended(), Time: c.Time,
			})
		})
	}
	for i := range all {
		p := &all[i]
		p.Version = fmt.Sprintf("%d.%d", len(p.Facts), p.Facts[len(p.Facts)-1].Time.UnixNano())
	}
	slices.SortFunc(all, func(a, b facts.Part[facts.Use]) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// ended returns the outcome as others see it: whatever kept the call from working.
func (c *Called) ended() facts.UseOutcome {
	switch c.Outcome {
	case OutcomeOK, OutcomeAsked:
		return facts.Worked
	case OutcomeDenied, OutcomeCancelled:
		return facts.Denied
	}
	return facts.Failed
}

// eachCalled calls yield with each line of a log that states a want.
func eachCalled(path string, yield func(*Called)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	mark := []byte(`"wanted":"`)
	return eachLine(f, func(line []byte) bool {
		var c Called
		if bytes.Contains(line, mark) && json.Unmarshal(line, &c) == nil && c.Wanted != "" {
			yield(&c)
		}
		return true
	})
}
