package fstest

import "testing"

// Must ends the test with an error, unless it is nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
