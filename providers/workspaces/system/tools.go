package system

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"ctxfs/providers/workspaces/programs"
)

const (
	// patience is for how long a program may think about its version.
	patience = 5 * time.Second
	// maxAnswer is how much of its answer is read, in bytes.
	maxAnswer = 16 << 10
)

// systemManagers returns the programs that install packages of the system.
func systemManagers() []string {
	return []string{"apt-get", "dnf", "yum", "pacman", "apk", "zypper", "emerge", "xbps-install", "nix", "brew", "port", "snap", "flatpak"}
}

// tool is a program whose version matters to projects.
type tool struct {
	name string
	ask  string // the argument that has it tell its version; "" if it is not asked
}

// tools returns the programs that are looked for. Those that take seconds to answer, or
// that begin by installing something, are not asked.
func tools() []tool {
	const version = "--version"
	return []tool{
		{"python3", version}, {"python", version}, {"pip", ""}, {"uv", version}, {"poetry", ""}, {"pipx", ""}, {"conda", ""},
		{"node", version}, {"npm", ""}, {"pnpm", ""}, {"yarn", ""}, {"bun", version}, {"deno", version}, {"tsc", ""},
		{"go", "version"}, {"rustc", version}, {"cargo", version},
		{"ruby", version}, {"bundle", ""}, {"java", version}, {"mvn", ""}, {"gradle", ""}, {"kotlinc", ""}, {"scala", ""},
		{"php", version}, {"composer", ""}, {"perl", version}, {"lua", "-v"}, {"elixir", ""}, {"dotnet", ""}, {"swift", version}, {"zig", "version"},
		{"gcc", version}, {"clang", version}, {"cmake", version}, {"make", version}, {"ninja", version}, {"bazel", ""},
		{"git", version}, {"gh", version}, {"rg", version}, {"jq", version}, {"docker", version}, {"podman", version}, {"tmux", "-V"}, {"sqlite3", version},
		{"psql", version}, {"just", version}, {"task", ""},
	}
}

// program returns a program as it is for a project.
func (r *Reader) program(ctx context.Context, t tool, path string, outside []string) Program {
	p := Program{Name: t.name, Path: path}
	if filepath.Base(filepath.Dir(path)) == "shims" {
		return p // of a version manager, which would have to be asked in the project
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return p
	}
	if p.Version = versionOnDisk(t.name, target); p.Version == "" && t.ask != "" && !r.wouldBegin(target) {
		p.Version = r.versions.of(target, func() (string, bool) {
			version := r.ask(ctx, t, path, outside)
			return version, ctx.Err() == nil
		})
	}
	return p
}

// wouldBegin reports whether a program is a proxy of rustup for a user who has no
// toolchain: whatever it is asked, it would start to keep settings in their home.
func (r *Reader) wouldBegin(target string) bool {
	rustup, err := os.Stat(filepath.Join(filepath.Dir(target), "rustup"))
	if err != nil {
		return false
	}
	if is, err := os.Stat(target); err != nil || !os.SameFile(is, rustup) {
		return false
	}
	_, err = os.Stat(filepath.Join(r.opts.Home, ".rustup", "settings.toml"))
	return err != nil
}

// ask runs a program to learn its version; "" if it does not tell.
func (r *Reader) ask(ctx context.Context, t tool, path string, outside []string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Proxies (rustup, corepack) look up other programs on the PATH: not those of projects.
	var dirs []string
	for _, d := range filepath.SplitList(r.opts.Path) {
		if filepath.IsAbs(d) && !programs.Within(d, outside) {
			dirs = append(dirs, d)
		}
	}
	out, err := r.opts.Programs.Output(ctx, programs.Command{
		Path: path, Args: []string{t.ask}, Dir: "/",
		Env: []string{"HOME=" + r.opts.Home, "PATH=" + strings.Join(dirs, string(filepath.ListSeparator)), "LC_ALL=C", "RUSTUP_AUTO_INSTALL=0", "COREPACK_ENABLE_NETWORK=0", "NO_UPDATE_NOTIFIER=1", "DOTNET_CLI_TELEMETRY_OPTOUT=1"},
	}, maxAnswer)
	var failure *programs.Failure
	if err != nil && !errors.As(err, &failure) {
		return ""
	}
	return number(string(out))
}

// number returns the first version number in a text, such as "3.11.2", or "".
func number(text string) string {
	return regexp.MustCompile(`\d+(?:\.\d+)+(?:[a-z]+\d*|-(?:alpha|beta|pre|rc)[.\d]*)?`).FindString(text)
}

// versions remembers the versions of programs for as long as they do not change.
type versions struct {
	mu    sync.Mutex
	known map[string]stamped
}

// stamped is a version and what the program was then.
type stamped struct {
	version string
	time    time.Time
	size    int64
}

// of returns the version of the program at a path without links. An answer that is not
// final is not remembered.
func (v *versions) of(path string, ask func() (version string, final bool)) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	v.mu.Lock()
	known, ok := v.known[path]
	v.mu.Unlock()
	if ok && known.time.Equal(info.ModTime()) && known.size == info.Size() {
		return known.version
	}
	version, final := ask()
	if !final {
		return version
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = make(map[string]stamped)
	}
	v.known[path] = stamped{version, info.ModTime(), info.Size()}
	return version
}
