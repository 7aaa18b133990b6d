package fstest

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"time"
)

// leaked runs f and describes the goroutines that f started and that are
// still there a while after it returned. They are told apart by a label that
// a goroutine hands on to those that it starts, so that other tests may run
// at the same time.
func leaked(name string, f func()) string {
	const label = "fstest"
	pprof.Do(context.Background(), pprof.Labels(label, name), func(context.Context) { f() })
	var left string
	for deadline := time.Now().Add(Prompt); ; {
		if left = labelled(label, name); left == "" || time.Now().After(deadline) {
			return left
		}
		// A goroutine that has done its work needs a moment to go away, and
		// nothing tells when it has.
		<-time.After(time.Millisecond)
	}
}

// labelled describes the goroutines that carry a label.
func labelled(label, value string) string {
	var profile bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&profile, 1)
	var found []string
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(group, `"`+label+`":"`+value+`"`) {
			found = append(found, group)
		}
	}
	return strings.Join(found, "\n\n")
}
