package terminals

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// many is a number of terminals that must cause no trouble.
const many = 200

func TestTwoHundredTerminals(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	tapes := make([]*tape, many)
	for i := range tapes {
		tapes[i] = newTape(t, dir)
		tapes[i].put(begin("serve"))
	}
	f.shows(indexName, "- **200.txt**: running", "- **1.txt**: running")
	if s := f.Status(); s.Summary != "200 terminals, 200 open" || s.State != "ready" || len(s.Items) != maxItems {
		t.Errorf("%s: %d items", s.Summary, len(s.Items))
	}
	for i, p := range tapes {
		p.put(fmt.Sprintf("this is %d\r\n", i+1))
		p.wait(10 * time.Millisecond)
	}
	for i := range tapes {
		if got := f.read(fmt.Sprintf("%d.txt", i+1)); !strings.HasSuffix(got, fmt.Sprintf("$ serve\nthis is %d\n", i+1)) {
			t.Fatalf("%d: %q", i+1, got)
		}
	}
	for i, p := range tapes {
		p.put(end(fmt.Sprint(i % 2)))
		fstest.Must(t, p.Close(0, ""))
	}
	fstest.Settles(t, f, "all have ended", func() bool { return f.Status().Summary == "200 terminals, 0 open" })
	fstest.Check(t, start(t, dir, offline).tree)
}
