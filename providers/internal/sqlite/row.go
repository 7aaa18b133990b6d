package sqlite

import (
	"strconv"
	"strings"
	"time"
)

// Row is a row of a result. SQLite stores any value in any column, so each is
// converted to what it is asked for: a value that cannot be converted is the
// zero value.
type Row struct{ values []any }

// Null reports whether the value is missing.
func (r Row) Null(i int) bool { return r.values[i] == nil }

// Text returns the value as text.
func (r Row) Text(i int) string {
	switch v := r.values[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return ""
}

// Bytes returns the value as bytes that the caller may keep.
func (r Row) Bytes(i int) []byte {
	if b, ok := r.values[i].([]byte); ok {
		return b
	}
	return []byte(r.Text(i))
}

// Int returns the value as an integer.
func (r Row) Int(i int) int64 {
	switch v := r.values[i].(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	case bool:
		if v {
			return 1
		}
	case string, []byte:
		n, _ := strconv.ParseInt(strings.TrimSpace(r.Text(i)), 10, 64)
		return n
	}
	return 0
}

// layouts returns the formats in which programs write times as text; without a
// zone SQLite means UTC.
func layouts() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00",
		"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.DateOnly,
	}
}

// Time returns the value as a time: text, or a number since 1970 in seconds,
// milliseconds, microseconds or nanoseconds, whichever gives a plausible year.
func (r Row) Time(i int) time.Time {
	switch v := r.values[i].(type) {
	case time.Time:
		return v.UTC()
	case int64:
		return Time(v)
	case float64:
		return Time(int64(v))
	}
	text := strings.TrimSpace(r.Text(i))
	for _, layout := range layouts() {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Time(n)
	}
	return time.Time{}
}

// Time returns the time for a number since 1970 whose unit the program's schema
// does not name, or names wrongly: seconds until the year 5138, in milliseconds
// from 1973 on, and so forth. It returns the zero time for zero and less.
func Time(n int64) time.Time {
	const limit = 100_000_000_000
	switch {
	case n <= 0:
		return time.Time{}
	case n < limit:
		return time.Unix(n, 0).UTC()
	case n < limit*1000:
		return time.UnixMilli(n).UTC()
	case n < limit*1000*1000:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}
