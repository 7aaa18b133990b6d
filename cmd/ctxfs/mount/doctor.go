package mount

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
)

// Finding is the result of one check.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	// What is the result in a sentence.
	What string `json:"what"`
	// Mend is how to fix it: a command, mostly. It is empty if all is well.
	Mend string `json:"mend,omitempty"`
}

func newDoctor(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:   "doctor",
		Short: "check what may be wrong, and say how to fix it",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		findings := examine(cmd.Context(), a)
		ill := 0
		for _, f := range findings {
			if !f.OK {
				ill++
			}
		}
		return a.Report(asJSON, findings, func() { printFindings(a, findings, ill) }, ill > 0)
	})
}

func printFindings(a *cli.App, findings []Finding, ill int) {
	for _, f := range findings {
		mark := "ok"
		if !f.OK {
			mark = "!!"
		}
		a.Sayf("%s  %-14s %s", mark, f.Check, f.What)
		if f.Mend != "" {
			a.Sayf("    %-14s fix: %s", "", f.Mend)
		}
	}
	if ill == 0 {
		a.Sayf("all is well")
	} else {
		a.Sayf("%s to fix", wording.Count(ill, "problems"))
	}
}

func examine(ctx context.Context, a *cli.App) []Finding {
	var all []Finding
	all = append(all, checkFuse(a), checkTools(a), checkPath(ctx, a), checkVersions(ctx, a), checkFolders(a))
	all = append(all, checkDisk(ctx, a)...)
	all = append(all, checkSetup(a)...)
	switch freed, err := mounts.Rescue(a.Process()); {
	case err != nil:
		return append(all, processFault(a, err))
	case freed:
		all = append(all, Finding{Check: "process", OK: true, What: "the mounts of a killed process hung; they were freed"})
	}
	found, answers := checkDaemon(ctx, a)
	all = append(all, found...)
	if answers {
		all = append(all, checkProviders(ctx, a)...)
	}
	return all
}

func checkFuse(a *cli.App) Finding {
	if cause, cure := mounts.Obstacle(); cause != "" {
		if cure != "" {
			cure += "; or "
		}
		return Finding{"fuse", false, cause, cure + "use ctxfs without FUSE: ctxfs sync DIR"}
	}
	how := "through fusermount3"
	if os.Getuid() == 0 {
		how = "directly, as root"
	}
	return Finding{Check: "fuse", OK: true, What: "this user can mount, " + how}
}

// checkTools checks that the programs that agents search with are installed.
func checkTools(a *cli.App) Finding {
	var missing []string
	for tool, pkg := range map[string]string{"rg": "ripgrep", "jq": "jq"} {
		if _, err := a.LookPath(tool); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		list := strings.Join(missing, " ")
		return Finding{"search", false, "agents search with rg and jq; missing: " + list, "sudo apt install " + list}
	}
	return Finding{Check: "search", OK: true, What: "rg and jq are installed"}
}

func checkFolders(a *cli.App) Finding {
	for _, dir := range []string{a.State, a.Cache} {
		err := places.TryFolder(dir)
		if err == nil {
			continue
		}
		mend := "make it yours: sudo chown -R $(id -un) " + dir
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			mend = "make room; how full it is: df -h " + dir
		}
		return Finding{"folders", false, fmt.Sprintf("cannot write to %s: %v", dir, err), mend}
	}
	return Finding{Check: "folders", OK: true, What: fmt.Sprintf("state %s, cache %s", a.Tilde(a.State), a.Tilde(a.Cache))}
}

// processFault is the finding for an error of the background process.
func processFault(a *cli.App, err error) Finding {
	f := Finding{Check: "process", What: err.Error(), Mend: "its log: " + a.Tilde(a.Log())}
	if fault := (*control.Fault)(nil); errors.As(err, &fault) && fault.Hint != "" {
		f.Mend = fault.Hint
	}
	return f
}

// checkDaemon checks the background process and its mounts. It also reports whether
// the providers can be asked.
func checkDaemon(ctx context.Context, a *cli.App) (all []Finding, answers bool) {
	report, err := status(ctx, a)
	if err != nil {
		return []Finding{processFault(a, err)}, false
	}
	f := Finding{Check: "process", OK: true, What: "not running; ctxfs mount starts it"}
	if report.Running {
		f.What = fmt.Sprintf("process %d is running; its log: %s", report.Pid, a.Tilde(a.Log()))
		switch {
		case report.Older && report.Version == places.Version:
			f = Finding{"process", false, fmt.Sprintf("process %d runs an older build of ctxfs: %s was replaced since", report.Pid, a.Tilde(report.Program)), "ctxfs mount"}
		case report.Older:
			f = Finding{"process", false, fmt.Sprintf("process %d is of version %s, this program of %s", report.Pid, report.Version, places.Version), "ctxfs mount"}
		case report.Version != places.Version:
			f = Finding{"process", false, fmt.Sprintf("process %d is of version %s, this program of %s, which does not replace it", report.Pid, report.Version, places.Version),
				"use the newer program: " + report.Program}
		}
	}
	all = append(all, f)
	if _, err := os.Stat(report.Program); report.Program != "" && errors.Is(err, os.ErrNotExist) {
		all = append(all, Finding{"program", false, fmt.Sprintf("%s, from which process %d was started, no longer exists; programs in mcps/*/bin use the ctxfs in PATH", a.Tilde(report.Program), report.Pid),
			"ctxfs unmount --all; ctxfs mount"})
	}
	for _, m := range report.Mounts {
		f := Finding{Check: "mount", OK: true, What: a.Tilde(m.Dir) + " answers"}
		if m.Of != "" {
			f = Finding{"mount", false, a.Tilde(m.Dir) + " is mounted by " + m.Of, "fusermount3 -u " + wording.ShellWord(m.Dir) + "; ctxfs mount"}
		}
		if m.State != mounts.Healthy {
			f = Finding{"mount", false, fmt.Sprintf("%s is %s: its process does not answer", a.Tilde(m.Dir), m.State), "ctxfs mount " + a.Tilde(m.Dir)}
		}
		all = append(all, f)
	}
	return all, true
}

func checkProviders(ctx context.Context, a *cli.App) []Finding {
	var all []Finding
	statuses, err := cli.Ask(ctx, a, usertree.OpProviders, fs.None{})
	if err != nil {
		return append(all, Finding{"providers", false, err.Error(), ""})
	}
	for _, p := range statuses {
		for _, problem := range p.Problems {
			all = append(all, Finding{p.Name, false, problem.What, problem.Mend})
		}
		if len(p.Problems) == 0 {
			all = append(all, Finding{Check: p.Name, OK: true, What: p.Summary})
		}
	}
	boxes, _ := cli.Ask(ctx, a, mcp.OpTools, mcp.ToolQuery{}) // the process has just answered
	if what := usertree.NoTool(boxes); what != "" {
		all = append(all, Finding{"tools", false, what, "see why: ctxfs tools; start them: ctxfs mount"})
	}
	return all
}
