package mount

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
)

// checkSetup checks that what ctxfs setup has written for agents is in place: pointers,
// hooks, permissions, what sandboxes allow.
func checkSetup(a *cli.App) []Finding {
	path, _ := a.LookupEnv("PATH")
	home := setup.Home{
		Machine: agents.Machine{Home: a.Home, OS: runtime.GOOS, LookupEnv: a.LookupEnv, Program: a.ProgramIn(path), Mount: a.DefaultMount()},
		Journal: filepath.Join(a.State, "setup.json"), Targets: agents.All(),
	}
	stale, set, err := home.Stale()
	if err != nil {
		return []Finding{{"setup", false, err.Error(), "see what is wrong with " + a.Tilde(home.Journal)}}
	}
	var all []Finding
	for _, s := range stale {
		var what []string
		for _, f := range s.Files {
			if f.Err != nil {
				what = append(what, fmt.Sprintf("%s: %v", a.Tilde(f.Path), f.Err))
				continue
			}
			what = append(what, a.Tilde(f.Path)+" ("+wording.List(f.Why, 3)+")")
		}
		fix := "ctxfs setup " + s.Target
		if s.Project != "" {
			fix = "cd " + wording.ShellWord(s.Project) + "; " + fix + " --project"
		}
		all = append(all, Finding{"setup", false, s.Title + " is not set up as it was: " + strings.Join(what, "; "), fix})
	}
	if set > len(stale) {
		all = append(all, Finding{Check: "setup", OK: true, What: "what agents need is in place for " + wording.Count(set-len(stale), "agents")})
	}
	found, err := home.Find()
	if err != nil {
		return all
	}
	var missing []string
	for _, f := range found {
		if f.Where != "" && !f.Set {
			missing = append(missing, f.ID)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		all = append(all, Finding{Check: "setup", OK: true, What: "installed, and not set up: " + strings.Join(missing, ", ") + " (ctxfs setup)"})
	}
	return all
}
