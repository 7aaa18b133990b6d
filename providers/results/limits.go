package results

import (
	"math"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table in config.toml.
const Table = "results"

// limits are the settings.
type limits struct {
	maxSize int64         // of all files, in bytes
	maxAge  time.Duration // of a file
	limit   int           // bytes over which a result goes to a file
}

func defaultLimits() limits { return limits{maxSize: 1 << 30, maxAge: 14 * day, limit: 12_000} }

const day = 24 * time.Hour

// minAge is the age before which a file is never deleted, whatever the limits are:
// it may be about to be read.
const minAge = time.Hour

// table is the table [results]. Sizes are numbers of bytes, or texts such as
// "500 MB".
type table struct {
	MaxSize any    `toml:"max_size"`
	MaxAge  string `toml:"max_age"`
	Limit   any    `toml:"limit"`
}

// readLimits reads the settings of the file at path. A setting with a problem
// keeps its default.
func readLimits(path string) (limits, []fs.Problem) {
	l := defaultLimits()
	var given table
	t := settings.ReadTable(path, Table, &given)
	if n, ok := t.Size("max_size", given.MaxSize, "500 MB"); ok {
		l.maxSize = n
	}
	if n, ok := t.Size("limit", given.Limit, "12 KB"); ok && n <= math.MaxInt32 {
		l.limit = int(n)
	} else if ok {
		t.Wrong("limit", given.Limit, "a size of at most 2 GB")
	}
	if age, ok := t.Age("max_age", given.MaxAge); ok {
		l.maxAge = age
	}
	return l, t.Problems()
}
