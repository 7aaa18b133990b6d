package usertree

import (
	"fmt"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/instance"
)

// Unready returns the servers at or below a path of the tree whose tools are not known, as
// long as they start or fail: nothing finds these tools. What the user has not allowed to
// start is left out.
func Unready(boxes []fleet.Toolbox, in string) (servers []string) {
	for _, b := range boxes {
		folder := "mcps/" + b.Server
		if len(b.Tools) > 0 || in != "" && !fs.Within(folder, in) && !fs.Within(in, folder) {
			continue
		}
		switch b.State {
		case instance.StateReady, instance.StateCached, instance.StateDisabled, config.StateUntrusted:
		default:
			servers = append(servers, b.Server)
		}
	}
	return servers
}

// NotReady says that servers are not ready, and what of their tools.
func NotReady(servers []string, tools string) string {
	if len(servers) == 1 {
		return fmt.Sprintf("1 server is not ready, its tools are not %s: %s", tools, servers[0])
	}
	return fmt.Sprintf("%d servers are not ready, their tools are not %s: %s", len(servers), tools, wording.List(servers, 8))
}

// NoTool says why no tool of any server is known; "" if one is, or none is to be expected.
func NoTool(boxes []fleet.Toolbox) string {
	servers := Unready(boxes, "")
	if len(servers) == 0 || slices.ContainsFunc(boxes, func(b fleet.Toolbox) bool { return len(b.Tools) > 0 }) {
		return ""
	}
	return NotReady(servers, "known")
}
