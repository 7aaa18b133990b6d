package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml.
const Table = "results"

// limits are the settings.
type limits struct {
	maxSize int64         // of all files, in bytes
	maxAge  time.Duration // of a file
	limit   int           // bytes over which a result goes to a file
}

func defaultLimits() limits {
	return limits{maxSize: 1 << 30, maxAge: 14 * day, limit: 12_000}
}

const day = 24 * time.Hour

// youth is how long a file is never deleted, whatever the limits are: somebody
// may be about to read it.
const youth = time.Hour

// table is the table [results]. Sizes are numbers of bytes, or texts such as
// "500 MB".
type table struct {
	MaxSize any    `toml:"max_size"`
	MaxAge  string `toml:"max_age"`
	Limit   any    `toml:"limit"`
}

// readLimits reads the settings. A setting with a fault is as if it were not
// there. That the file cannot be read at all is for others to tell.
func readLimits(path string) (l limits, problems []fs.Problem) {
	l = defaultLimits()
	f, err := settings.Load(path)
	if err != nil {
		return l, nil
	}
	problem := func(what string) {
		problems = append(problems, fs.Problem{What: clean.Line(what), Mend: "correct " + path + "; it is read again at once"})
	}
	wrong := func(key, value, is string) {
		problem(fmt.Sprintf("%s:%d: %q in [%s] is %q; it is %s", path, f.Line(Table, key), key, Table, clean.Cut(value, 100), is))
	}
	var t table
	if err := f.Decode(&t, Table); err != nil {
		problem(err.Error())
	}
	if n, ok := parseSize(t.MaxSize); ok {
		l.maxSize = n
	} else if t.MaxSize != nil {
		wrong("max_size", fmt.Sprint(t.MaxSize), `a size such as "500 MB"`)
	}
	if n, ok := parseSize(t.Limit); ok && n <= math.MaxInt32 {
		l.limit = int(n)
	} else if t.Limit != nil {
		wrong("limit", fmt.Sprint(t.Limit), "a number of bytes such as 12000")
	}
	if age, ok := parseAge(t.MaxAge); ok {
		l.maxAge = age
	} else if t.MaxAge != "" {
		wrong("max_age", t.MaxAge, `a time such as "14d" or "12h"`)
	}
	return l, problems
}

// parseSize reads a size of at least a byte: a number, or a text of a number and
// a unit. KB, MB and GB are decimal, KiB, MiB and GiB binary.
func parseSize(value any) (n int64, ok bool) {
	switch v := value.(type) {
	case int64:
		return v, v > 0
	case string:
		v = strings.ToLower(strings.TrimSpace(v))
		number := strings.TrimRight(v, "kmgtib ")
		unit, known := map[string]float64{
			"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
		}[strings.TrimSpace(v[len(number):])]
		f, err := strconv.ParseFloat(number, 64)
		size := f * unit
		return int64(size), known && err == nil && size >= 1 && size < math.MaxInt64
	}
	return 0, false
}

// parseAge reads a time of more than nothing: days ("14d"), or what Go writes
// ("36h", "90m").
func parseAge(s string) (age time.Duration, ok bool) {
	if days, isDays := strings.CutSuffix(s, "d"); isDays {
		n, err := strconv.ParseFloat(days, 64)
		age := n * float64(day)
		return time.Duration(age), err == nil && age > 0 && age < math.MaxInt64
	}
	age, err := time.ParseDuration(s)
	return age, err == nil && age > 0
}
