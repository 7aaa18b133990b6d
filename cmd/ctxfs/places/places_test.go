package places

import (
	"strings"
	"testing"
)

// TestFind: only a home folder that is there will do, so that none is made.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for home, fault := range map[string]string{
		"":            "the home folder is not known",
		"relative":    "the home folder is not known",
		dir + "/none": "the home folder " + dir + "/none does not exist",
		dir:           "",
	} {
		p, err := Find(func(name string) (string, bool) { return home, name == "HOME" })
		if (err == nil) != (fault == "") || err != nil && !strings.HasPrefix(err.Error(), fault) || err == nil && p.State != dir+"/.local/state/ctxfs" {
			t.Errorf("%q: %+v, %v", home, p, err)
		}
	}
}
