// Package stats has the command stats: what an agent's context costs, how tools were
// called, and what sessions have spent. table.go prints tables,
// overview.go the beginning of each; sections.go, spending.go and files.go make them.
package stats

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/providers/mcp"
	"ctxfs/providers/stats"
)

// usualDays is how many days are counted unless the command line says otherwise.
const usualDays = "30d"

// options are the flags.
type options struct {
	since, until, agent, server, model, project, in string
	asJSON, asCSV                                   bool
	// html is the file for a page, "-" for standard output; open has it opened.
	html string
	open bool
}

// Command returns the command stats.
func Command(a *cli.App) *cobra.Command {
	var o options
	var names []string
	for _, v := range views() {
		names = append(names, v.name)
	}
	cmd := &cobra.Command{
		Use:   "stats [SECTION]",
		Short: "what sessions, servers, skills and rules cost, and how tools were called",
		Long:  about(),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (all []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for _, v := range views() {
					all = append(all, cobra.CompletionWithDesc(v.name, v.about))
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usage(cmd, errors.New("one section at a time"))
			}
			if len(args) == 1 && !slices.Contains(names, args[0]) {
				return cli.Usage(cmd, fmt.Errorf("there is no section %q; there are: %s", args[0], strings.Join(names, ", ")))
			}
			if o.asCSV && len(args) == 0 {
				return cli.Usage(cmd, fmt.Errorf("--csv needs a section: %s", strings.Join(names, ", ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, a, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", usualDays, "from this `DAY` on: 7d, 2026-01-31, all")
	f.StringVar(&o.until, "until", "", "to this `DAY`: 2026-01-31")
	f.StringVar(&o.agent, "agent", "", "only this `AGENT`, such as claude-code")
	f.StringVar(&o.server, "server", "", "only this `SERVER`")
	f.StringVar(&o.model, "model", "", "only models with this `NAME`, or part of it")
	f.StringVar(&o.project, "project", "", "only what was done for the project in `DIR`")
	f.StringVar(&o.in, "in", "", "skills and rules for `DIR`, not where you stand")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	f.BoolVar(&o.asCSV, "csv", false, "print the section as CSV")
	f.StringVar(&o.html, "html", "", "write a page with charts to `FILE`, or -")
	f.BoolVar(&o.open, "open", false, "open that page in a browser")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "html", "open")
	a.CompleteFlag(cmd, "in", cli.CompleteDirs)
	a.CompleteFlag(cmd, "project", cli.CompleteDirs)
	a.CompleteFlag(cmd, "server", completeServers(a))
	return cmd
}

// completeServers completes the names of servers.
func completeServers(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		boxes, _ := cli.Ask(cmd.Context(), a, mcp.OpTools, mcp.ToolQuery{}) // nothing to complete, then
		for _, b := range boxes {
			names = append(names, b.Server)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// about lists the sections.
func about() string {
	var b strings.Builder
	for _, v := range views() {
		fmt.Fprintf(&b, "  %-9s %s\n", v.name, v.about)
	}
	return b.String()
}

func run(cmd *cobra.Command, a *cli.App, o *options, args []string) error {
	shown := views()
	if len(args) == 1 {
		shown = slices.DeleteFunc(shown, func(v view) bool { return v.name != args[0] })
	}
	q, err := query(cmd, a, o)
	if err != nil {
		return err
	}
	for _, v := range shown {
		if !slices.Contains(q.Sections, v.of) {
			q.Sections = append(q.Sections, v.of)
		}
	}
	if console.IsTerminal(a.Err) {
		wait := time.AfterFunc(waitTime, func() { a.Notef("logs of sessions that were not counted yet are read") })
		defer wait.Stop()
	}
	r, err := cli.Ask(cmd.Context(), a, stats.OpStats, q)
	if err != nil {
		return err
	}
	for _, problem := range r.Problems {
		a.Notef("%s", problem)
	}
	switch {
	case o.asJSON:
		return a.PrintJSON(r)
	case o.asCSV:
		return shown[0].table(a, &r).writeCSV(a.Out)
	case o.html != "":
		return writePage(a, &r, shown, o.html)
	case o.open:
		return openPage(a, &r, shown)
	}
	s := newScreen(a.Out)
	if len(args) == 0 {
		s.overview(a, &r, shown)
	} else {
		s.print(shown[0].table(a, &r), 0)
	}
	return nil
}

// waitTime is how long a slow command stays silent.
const waitTime = 2 * time.Second

// query returns what the flags ask for.
func query(cmd *cobra.Command, a *cli.App, o *options) (q stats.Query, err error) {
	q = stats.Query{Agent: o.agent, Server: o.server, Model: o.model, Zone: zone()}
	now := a.Now()
	if q.Zone == "" {
		_, q.Offset = now.Zone()
	}
	if q.Since, err = day(o.since, now); err != nil {
		return q, cli.Usage(cmd, fmt.Errorf("--since takes 7d, 4w, a day such as 2026-01-31, or all, not %q", o.since))
	}
	if o.until != "" {
		if _, err := time.Parse(time.DateOnly, o.until); err != nil {
			return q, cli.Usage(cmd, fmt.Errorf("--until takes a day such as 2026-01-31, not %q", o.until))
		}
		q.Until = o.until
	}
	if o.project != "" {
		at, err := a.Standpoint(o.project)
		if err != nil {
			return q, err
		}
		q.Project = at.Dir
	}
	at := a.Here()
	if o.in != "" {
		if at, err = a.Standpoint(o.in); err != nil {
			return q, err
		}
	}
	q.Dir = at.Dir
	return q, nil
}

// day returns the first day of a time that ends now; "" for all.
func day(since string, now time.Time) (string, error) {
	if since == "all" {
		return "", nil
	}
	if _, err := time.Parse(time.DateOnly, since); err == nil {
		return since, nil
	}
	if since == "" {
		return "", errors.New("no day")
	}
	n, err := strconv.Atoi(since[:len(since)-1])
	if err != nil || n < 1 || n > 36500 {
		return "", errors.New("no number of days")
	}
	switch since[len(since)-1] {
	case 'w':
		n *= 7
	case 'd':
	default:
		return "", errors.New("no days")
	}
	return now.AddDate(0, 0, 1-n).Format(time.DateOnly), nil // today is one of them
}

// zone returns the IANA name of the local time zone, or "" where it is not known.
func zone() string {
	name := time.Local.String()
	if name == "Local" {
		at, err := filepath.EvalSymlinks("/etc/localtime")
		if err != nil {
			return ""
		}
		_, name, _ = strings.Cut(at, "/zoneinfo/")
	}
	if name == "" || filepath.IsAbs(name) {
		return ""
	}
	if _, err := time.LoadLocation(name); err != nil {
		return ""
	}
	return name
}

// outcomes returns how many calls ended in which way: "ok 3, timeout 1".
func outcomes(all map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, all[name]))
	}
	return strings.Join(parts, ", ")
}
