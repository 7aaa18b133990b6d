package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// Table is the table of one provider, with the problems found in it. A setting
// with a problem keeps its default.
type Table struct {
	file     *File
	name     string
	problems []fs.Problem
}

// ReadTable decodes the table called name of the file at path into the struct
// that into points to, as [File.Decode] does. A file that cannot be read at all
// counts as empty: the mcp provider reports it.
func ReadTable(path, name string, into any) *Table {
	f, err := Load(path)
	if err != nil {
		f = &File{path: path}
	}
	t := &Table{file: f, name: name}
	if err := f.Decode(into, name); err != nil {
		t.problem(err.Error())
	}
	return t
}

// Problems returns what is wrong with the table.
func (t *Table) Problems() []fs.Problem { return t.problems }

func (t *Table) problem(what string) {
	t.problems = append(t.problems, fs.Problem{What: clean.Line(what), Mend: "correct " + t.file.path + "; it is read again at once"})
}

// Wrong adds the problem that a key has the wrong kind of value.
func (t *Table) Wrong(key string, value any, want string) {
	t.problem(fmt.Sprintf("%s:%d: %q in [%s] is %q; it is %s", t.file.path, t.file.Line(t.name, key), key, t.name, clean.Cut(fmt.Sprint(value), 100), want))
}

// Size returns the size in bytes that the value of a key gives, and whether it
// gives one; nil is no value. Any other value is a problem. Example, a size such
// as "500 MB", is part of its text.
func (t *Table) Size(key string, value any, example string) (n int64, ok bool) {
	if value == nil {
		return 0, false
	}
	if n, ok = ParseSize(value); !ok {
		t.Wrong(key, value, fmt.Sprintf("a size such as %q", example))
	}
	return n, ok
}

// Age returns the duration that the value of a key gives, and whether it gives
// one; "" is no value. Any other value is a problem.
func (t *Table) Age(key, value string) (age time.Duration, ok bool) {
	if value == "" {
		return 0, false
	}
	if age, ok = ParseAge(value); !ok {
		t.Wrong(key, value, `a time such as "14d" or "12h"`)
	}
	return age, ok
}

// ParseSize reads a size of at least one byte, as TOML gives it: a number, or
// text with a number and a unit. KB, MB and GB are decimal; KiB, MiB and GiB are
// binary.
func ParseSize(value any) (n int64, ok bool) {
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

// ParseAge reads a duration above zero: days ("14d"), or what
// [time.ParseDuration] reads ("36h", "90m").
func ParseAge(s string) (age time.Duration, ok bool) {
	if days, isDays := strings.CutSuffix(s, "d"); isDays {
		n, err := strconv.ParseFloat(days, 64)
		age := n * float64(24*time.Hour)
		return time.Duration(age), err == nil && age > 0 && age < math.MaxInt64
	}
	age, err := time.ParseDuration(s)
	return age, err == nil && age > 0
}
