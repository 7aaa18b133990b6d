package supervise

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/mcp/config"
)

// maxNPMLog is the size of the largest log of npm that is read, in bytes.
const maxNPMLog = 4 << 20

// npmFetch is a line of npm's log on what was fetched; the group is why it was not.
var npmFetch = regexps.Lazy(`(?m)^\d+ (?:http fetch \S+ (?:\d{3} |(\S+ attempt \d+ failed with \S+))|error (code \S+))`)

// NPMFailure returns the last failed fetch in the newest npm log that mentions a package and
// was written since the process started, and the path of that log. It returns "" if a later
// fetch succeeded. While npm retries, which takes minutes, only its log says why.
func (p *Process) NPMFailure(pkg config.Package) (what, log string) {
	runner, specs, _ := strings.Cut(pkg.Key, "\x00")
	if runner != "npx" && runner != "npm" {
		return "", ""
	}
	logs, _ := filepath.Glob(filepath.Join(npmCache(p.env), "_logs", "*.log")) // named by the time
	for _, path := range slices.Backward(logs) {
		if info, err := os.Stat(path); err != nil || info.ModTime().Before(p.began) || info.Size() > maxNPMLog {
			continue
		}
		text, _ := os.ReadFile(path) // without it nothing is found
		all := npmFetch().FindAllStringSubmatch(string(text), -1)
		if len(all) > 0 && strings.Contains(string(text), strings.ReplaceAll(specs, "\x00", " ")) {
			if last := all[len(all)-1]; last[1]+last[2] != "" {
				return last[1] + last[2], path
			}
			return "", ""
		}
	}
	return "", ""
}
