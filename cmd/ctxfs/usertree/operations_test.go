package usertree

import (
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestAProblemOfSeveralIsSaidOnce: a problem that several providers report is shown with the
// first of them.
func TestAProblemOfSeveralIsSaidOnce(t *testing.T) {
	late, own := fs.Problem{What: "changes are noticed late", Mend: "sysctl"}, fs.Problem{What: "no permission"}
	shared := []fs.Problem{late, own}
	all := []ProviderStatus{
		{Name: "a", Status: fs.Status{State: "degraded", Problems: []fs.Problem{late}}},
		{Name: "b", Status: fs.Status{State: "degraded", Problems: shared}},
		{Name: "c", Status: fs.Status{State: "ready"}},
	}
	sayOnce(all)
	fstest.EqualSlices(t, all[0].Problems, []fs.Problem{late})
	fstest.EqualSlices(t, all[1].Problems, []fs.Problem{own})
	fstest.EqualSlices(t, shared, []fs.Problem{late, own})
}
