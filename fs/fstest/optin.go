package fstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// optInVariable lists the sets of tests that run beside the default suite, comma separated.
const optInVariable = "CTXFS_TEST"

// optInSets are the sets of tests that are opt-in: they shake, need what is not installed
// with the project, or measure.
var optInSets = []string{
	"chaos",    // storms, and kills in a loop
	"npm",      // real programs of npm, in .ci/node_modules
	"agents",   // real agents, with a stand-in for their model
	"chromium", // pages in a browser
	"measure",  // recorded data from elsewhere, timings and curves
}

// OptIn skips a test of a set that the variable CTXFS_TEST does not list; "all" lists every
// set. A benchmark is never skipped: it runs only when it is named.
func OptIn(t testing.TB, set string) {
	t.Helper()
	if !slices.Contains(optInSets, set) {
		t.Fatalf("no set of tests is called %q; there are %s", set, strings.Join(optInSets, ", "))
	}
	if _, benchmark := t.(interface{ Loop() bool }); !benchmark && !optedIn(set) {
		t.Skipf("it is of the opt-in set %s: %s=%s runs it", set, optInVariable, set)
	}
}

func optedIn(set string) bool {
	listed := strings.Split(os.Getenv(optInVariable), ",")
	return slices.Contains(listed, set) || slices.Contains(listed, "all")
}

// Rounds scales the number of rounds of a test, or the size of its input: full if the set
// chaos is opted into, without the race detector and without -short, otherwise a tenth of
// it, but at least one.
func Rounds(full int) int {
	if optedIn("chaos") && !testing.Short() && !Race() {
		return full
	}
	return max(1, full/10)
}

// Data returns the path of recorded data that are no part of the project: below
// CTXFS_TEST_DATA, or below ../shared/data as seen from the module's root. A test that needs
// them is of the set measure, and skipped where they are absent.
func Data(t testing.TB, path ...string) string {
	t.Helper()
	OptIn(t, "measure")
	root := os.Getenv("CTXFS_TEST_DATA")
	if root == "" {
		root = filepath.Join(ModuleRoot(t), "..", "shared", "data")
	}
	path = append([]string{root}, path...)
	if _, err := os.Stat(filepath.Join(path...)); err != nil {
		t.Skipf("the recorded data are missing, and CTXFS_TEST_DATA names no other folder: %v", err)
	}
	return filepath.Join(path...)
}
