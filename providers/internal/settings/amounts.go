package settings

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Size reads a size of at least a byte, as TOML gives it: a number, or a text of
// a number and a unit. KB, MB and GB are decimal, KiB, MiB and GiB binary.
func Size(value any) (n int64, ok bool) {
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

// Age reads a time of more than nothing: days ("14d"), or what Go writes
// ("36h", "90m").
func Age(s string) (age time.Duration, ok bool) {
	if days, isDays := strings.CutSuffix(s, "d"); isDays {
		n, err := strconv.ParseFloat(days, 64)
		age := n * float64(24*time.Hour)
		return time.Duration(age), err == nil && age > 0 && age < math.MaxInt64
	}
	age, err := time.ParseDuration(s)
	return age, err == nil && age > 0
}
