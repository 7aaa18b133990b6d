package fstest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Equal checks that two values are equal. What says of what they are, if the line of the
// test does not.
func Equal[T comparable](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if got != want {
		t.Error(unequal(got, want, what))
	}
}

// EqualSlices checks that two slices have equal elements.
func EqualSlices[S ~[]E, E comparable](t testing.TB, got, want S, what ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Error(unequal(got, want, what))
	}
}

// ErrorIs checks that an error is or wraps another one.
func ErrorIs(t testing.TB, got, want error, what ...any) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Error(unequal(got, want, what))
	}
}

// unequal says what is not as wanted. Texts are quoted, but for those of several lines.
func unequal(got, want any, what []any) string {
	verb := "%+v"
	if text, ok := got.(string); ok {
		if verb = "%q"; strings.Count(text, "\n") > 1 {
			verb = "\n%s\n"
		}
	} else if _, ok := got.([]string); ok {
		verb = "%q"
	}
	text := fmt.Sprintf("got "+verb+", want "+verb, got, want)
	for i, w := range what {
		if b, ok := w.([]byte); ok {
			what[i] = string(b)
		}
	}
	if len(what) > 0 {
		text = strings.TrimSuffix(fmt.Sprintln(what...), "\n") + ": " + text
	}
	return text
}
