package results

import (
	"fmt"
	"math"
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
	if n, ok := settings.Size(t.MaxSize); ok {
		l.maxSize = n
	} else if t.MaxSize != nil {
		wrong("max_size", fmt.Sprint(t.MaxSize), `a size such as "500 MB"`)
	}
	if n, ok := settings.Size(t.Limit); ok && n <= math.MaxInt32 {
		l.limit = int(n)
	} else if t.Limit != nil {
		wrong("limit", fmt.Sprint(t.Limit), "a number of bytes such as 12000")
	}
	if age, ok := settings.Age(t.MaxAge); ok {
		l.maxAge = age
	} else if t.MaxAge != "" {
		wrong("max_age", t.MaxAge, `a time such as "14d" or "12h"`)
	}
	return l, problems
}
