// Package wording writes counts, sizes, times, lists, and paths for people, so
// that they read the same in files of the tree, in errors, and in the output of
// commands.
//
// It lies below fs because providers, mounts, and commands all use it; it
// imports only the standard library. Text from outside is cleaned by the
// caller: see providers/internal/clean.
package wording

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"strings"
	"time"
)

// Count returns a number and what it counts, given in the plural: Count(1,
// "tools") is "1 tool", Count(2, "tools") is "2 tools".
func Count(n int, nouns string) string {
	if base, ok := strings.CutSuffix(nouns, "ies"); ok && n == 1 {
		nouns = base + "y"
	} else if base, ok := strings.CutSuffix(nouns, "sses"); ok && n == 1 {
		nouns = base + "ss"
	} else if n == 1 {
		nouns = strings.TrimSuffix(nouns, "s")
	}
	return fmt.Sprintf("%d %s", n, nouns)
}

// Size returns a number of bytes with its unit: "36.7 KB". The units are
// decimal, as those of ls --si: 1 KB is 1000 bytes.
func Size(n int64) string {
	if n < 1000 {
		return Count(int(n), "bytes")
	}
	size, unit := float64(n), ""
	for _, unit = range []string{"KB", "MB", "GB", "TB"} {
		if size /= 1000; size < 999.95 { // more is rounded to 1000.0
			break
		}
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// Time returns a time in UTC to the second, in the format of RFC 3339, and ""
// for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Minute returns a time in UTC to the minute: "2026-01-31 15:04".
func Minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// Seconds returns a duration in seconds: "1.5 s".
func Seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }

// List returns words separated by commas. Words beyond the first most are counted:
// "a, b, and 3 more". If that would be just one, it is named instead, since it
// takes no more room than its count.
func List(words []string, most int) string {
	left := len(words) - most
	if left <= 1 {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(words[:most], ", "), left)
}

// Or returns words as alternatives: "a, b or c".
func Or(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

// Cause returns err without the operation and the paths that
// [*io/fs.PathError] and [*os.LinkError] put before it, for messages that name
// the file themselves.
func Cause(err error) error {
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	if le := (*os.LinkError)(nil); errors.As(err, &le) {
		return le.Err
	}
	return err
}

// Later returns the later of two times: a page is as new as the newest fact in it.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
