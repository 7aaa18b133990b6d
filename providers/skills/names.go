package skills

import (
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// indexName is the name of the list of skills, which no skill may have.
const indexName = "INDEX.md"

// assignNames gives every skill, in order of precedence, its name in the tree:
// that of its folder where it is free without regard to case, else with "~"
// and its source added, else with "~2", "~3" after that.
func assignNames(skills []*skill) {
	taken := map[string]bool{strings.ToLower(indexName): true}
	take := func(s *skill, name string) bool {
		key := strings.ToLower(name)
		if taken[key] {
			return false
		}
		taken[key] = true
		s.name = name
		return true
	}
	var late []*skill
	for _, s := range skills {
		if s.name = ""; !take(s, folderName(s.own)) {
			late = append(late, s)
		}
	}
	for _, s := range late {
		name := folderName(s.own) + "~" + s.source
		for n, try := 2, name; !take(s, try); n++ {
			try = name + "~" + strconv.Itoa(n)
		}
	}
}

// folderName is the name of a skill's folder, as it is if it can be shown so.
func folderName(own string) string {
	const room = len("~claude-code~1000")
	if own != clean.Line(own) || len(own) > 255-room {
		return names.File(own)
	}
	return own
}
