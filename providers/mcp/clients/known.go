package clients

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"ctxfs/providers/mcp/config"
)

// knownServer is a server whose processes are known to keep certain data, and
// where.
type knownServer struct {
	programs []string // as config.Programs names them
	by       string
	why      string // for STATUS.md
	// with are flags of the command line or variables of the environment, at least
	// one of which must be given; without are those that must not be given.
	with, without []string
}

//go:embed known.txt
var listed string

// knownServers are those of known.txt.
var knownServers = sync.OnceValue(func() (all []knownServer) {
	var of knownServer
	for line := range strings.Lines(listed) {
		if by, why, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' && line[0] != '\t' {
			of = knownServer{by: by, why: why}
		} else if line[0] == '\t' {
			one := of
			into := &one.programs
			for word := range strings.FieldsSeq(line) {
				switch word {
				case "with":
					into = &one.with
				case "without":
					into = &one.without
				default:
					*into = append(*into, word)
				}
			}
			all = append(all, one)
		}
	}
	return all
})

// known returns how a process of the entry is shared, if its program is known.
func (e *Entry) known() (config.Sharing, bool) {
	programs := config.Programs(e.Command, e.Args)
	for _, k := range knownServers() {
		if slices.ContainsFunc(programs, func(p string) bool { return slices.Contains(k.programs, p) }) &&
			(len(k.with) == 0 || e.gives(k.with)) && !e.gives(k.without) {
			return config.Sharing{By: k.by, Why: k.why}, true
		}
	}
	return config.Sharing{}, false
}

// gives reports whether the entry gives one of the flags or variables.
func (e *Entry) gives(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if _, ok := e.Env[name]; ok {
			return true
		}
		return slices.ContainsFunc(e.Args, func(arg string) bool {
			return slices.ContainsFunc(strings.Fields(arg), func(word string) bool { // the line of a shell has several
				flag, value, _ := strings.Cut(word, "=")
				return flag == name && value != "false"
			})
		})
	})
}
