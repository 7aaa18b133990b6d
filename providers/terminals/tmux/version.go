package tmux

import (
	"fmt"
	"strconv"
	"strings"
)

// features are what a version of tmux can do.
type features struct {
	flags bool // attach-session -f, refresh-client -A and -B: since 3.2
}

// featuresOf tells what a version can do, as tmux tells it: "3.3a", "3.2-rc",
// "next-3.5", "openbsd-7.4". The error says that it is too old.
func featuresOf(version string) (features, error) {
	text := strings.TrimPrefix(version, "next-")
	if strings.HasPrefix(text, "openbsd") || text == "master" {
		return features{flags: true}, nil
	}
	major, rest, _ := strings.Cut(text, ".")
	digits := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		digits = rest[:i]
	}
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(digits)
	if err != nil || err2 != nil || a < 3 {
		return features{}, fmt.Errorf("tmux %s cannot be recorded: version 3.0 or later is needed", version)
	}
	return features{flags: a > 3 || b >= 2}, nil
}
