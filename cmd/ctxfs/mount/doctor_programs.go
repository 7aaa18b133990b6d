package mount

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs/wording"
	"ctxfs/providers/setup/agents"
)

// checkPath checks that the ctxfs that is found in PATH, by agents and by the programs in
// mcps/*/bin, is this one.
func checkPath(ctx context.Context, a *cli.App) Finding {
	self := a.Program
	list, _ := a.LookupEnv("PATH")
	var found []string // each file once
	for _, dir := range filepath.SplitList(list) {
		path := filepath.Join(dir, "ctxfs")
		info, err := os.Stat(path)
		if err != nil || !filepath.IsAbs(path) || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		same := func(other string) bool {
			is, err := os.Stat(other)
			return err == nil && os.SameFile(info, is)
		}
		if !slices.ContainsFunc(found, same) {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		return Finding{"path", false, "ctxfs is not in PATH, where agents and the programs in mcps/*/bin look for it", linkInto(a, list, self)}
	}
	first, others := found[0], ""
	if len(found) > 1 {
		others = "; behind it in PATH: " + a.Tilde(strings.Join(found[1:], ", "))
	}
	if is, err := os.Stat(first); err == nil {
		if own, err := os.Stat(self); err == nil && os.SameFile(is, own) {
			return Finding{Check: "path", OK: true, What: "ctxfs in PATH is this program, " + a.Tilde(first) + others}
		}
	}
	version := versionOf(ctx, a, first, "--version")
	what := fmt.Sprintf("ctxfs in PATH is %s (version %s), this program is %s%s", a.Tilde(first), version, a.Tilde(self), others)
	if version == places.Version {
		return Finding{Check: "path", OK: true, What: what + ", of the same version"}
	}
	return Finding{"path", false, what + " (version " + places.Version + ")", "keep one of them: rm " + wording.ShellWord(first) + ", or update it"}
}

// linkInto returns the command that puts a program into a folder of PATH.
func linkInto(a *cli.App, list, self string) string {
	bin := filepath.Join(a.Home, ".local", "bin")
	link := "mkdir -p " + a.Tilde(bin) + "; ln -s " + wording.ShellWord(self) + " " + a.Tilde(bin) + "/ctxfs"
	if slices.Contains(filepath.SplitList(list), bin) {
		return link
	}
	return "add its folder to PATH: export PATH=" + wording.ShellWord(filepath.Dir(self)) + `:"$PATH"`
}

// versionTime bounds how long a program may take to print its version.
const versionTime = 2 * time.Second

var versionForm = regexp.MustCompile(`\d+(\.\d+)+[-+.0-9A-Za-z]*`)

// versionOf returns the version that a program prints, "unknown" if it prints none.
func versionOf(ctx context.Context, a *cli.App, program string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := a.Command(ctx, program, args...)
	cmd.WaitDelay = time.Second
	cmd.Dir = "/"
	out, _ := cmd.Output() // some exit with 1
	if version := versionForm.FindString(string(out)); version != "" {
		return version
	}
	return "unknown"
}

// checkVersions tells the versions of what ctxfs works with; those that keep it from
// working are other findings.
func checkVersions(ctx context.Context, a *cli.App) Finding {
	all := []string{"ctxfs " + places.Version}
	var system unix.Utsname
	if unix.Uname(&system) == nil {
		all = append(all, unix.ByteSliceToString(system.Sysname[:])+" "+unix.ByteSliceToString(system.Release[:]))
	}
	for _, program := range []string{"fusermount3", "rg", "jq"} {
		if path, err := a.LookPath(program); err == nil {
			all = append(all, program+" "+versionOf(ctx, a, path, "--version"))
		}
	}
	m := agents.Machine{Home: a.Home, LookupEnv: a.LookupEnv}
	for _, agent := range agents.All() {
		if where, ok := agent.Installed(m); ok {
			if version := packageVersion(where); version != "" {
				all = append(all, agent.ID+" "+version)
			}
		}
	}
	return Finding{Check: "versions", OK: true, What: strings.Join(all, ", ")}
}

// packageVersion returns the version of the npm package that a program is part of, ""
// if it is part of none. Starting agents to ask them takes seconds.
func packageVersion(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir, depth := filepath.Dir(real), 0; depth < 5 && filepath.Base(dir) != "node_modules"; dir, depth = filepath.Dir(dir), depth+1 {
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var is struct{ Name, Version string }
		if json.Unmarshal(text, &is) == nil && is.Name != "" {
			return versionForm.FindString(is.Version)
		}
	}
	return ""
}
