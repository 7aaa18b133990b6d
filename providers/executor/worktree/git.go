package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/procs"
)

// Git is the user's program git. It ends with this process, however that ends.
type Git struct {
	path    string
	env     []string
	spawner *procs.Spawner
}

// Open returns the git that is found on PATH. Close ends it.
func Open(environ []string) (*Git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("git is needed: %w", err)
	}
	return &Git{path: path, env: environment(environ), spawner: procs.NewSpawner()}, nil
}

// Close must be called when nothing of it runs any more.
func (g *Git) Close() { g.spawner.Close() }

// environment returns an environment for git: without the variables by which another git
// may have told this program, as its hook or alias, which repository it works on.
func environment(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_") && name != "LC_ALL" && name != "LANGUAGE" {
			kept = append(kept, entry)
		}
	}
	return append(kept, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// always is what git is told whatever it is asked: to run no hooks of the repository and
// nothing in the background, and not to compress what is soon thrown away. The filters of
// the user's configuration do run: files would not be as people know them without.
var always = []string{
	"--no-pager", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false", "-c", "core.looseCompression=0",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "branch.autoSetupMerge=false", "-c", "advice.detachedHead=false",
}

// question is one call of git.
type question struct {
	dir    string
	env    []string // besides the usual one
	args   []string
	input  []byte
	output io.Writer // nil if it is to be returned
}

// Failure is the error of a git that failed.
type Failure struct {
	Code int
	// Message is the end of what it wrote to standard error, as a line.
	Message string
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return fmt.Sprintf("git failed with code %d", f.Code)
	}
	return "git: " + f.Message
}

// maxOutput is the longest output that is taken, in bytes.
const maxOutput = 256 << 20

// ask runs git and returns what it prints. The error is that of the context or a *Failure.
func (g *Git) ask(ctx context.Context, q question) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	cmd := exec.CommandContext(ctx, g.path, append(always[:len(always):len(always)], q.args...)...)
	cmd.Dir, cmd.Env = q.dir, append(g.env[:len(g.env):len(g.env)], q.env...)
	if q.input != nil {
		cmd.Stdin = bytes.NewReader(q.input)
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{to: &out, left: maxOutput}, &limited{to: &complaint, left: 64 << 10}
	if q.output != nil {
		cmd.Stdout = q.output
	}
	if err := g.spawner.Start(cmd); err != nil {
		return nil, err
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.Bytes(), &Failure{exit.ExitCode(), complaintOf(complaint.String())}
	}
	return out.Bytes(), err
}

// complaintOf returns what git wrote to standard error in a line: what it calls fatal or an
// error, else all.
func complaintOf(text string) string {
	var said []string
	for line := range strings.Lines(text) {
		for _, mark := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				said = append(said, strings.TrimSpace(rest))
			}
		}
	}
	if len(said) == 0 {
		said = []string{text}
	}
	return clean.Cut(clean.Line(mask.Text(strings.Join(said, "; "))), 300)
}

// limited passes on a number of bytes, and refuses more.
type limited struct {
	to   io.Writer
	left int
	full bool
}

var errTooMuch = errors.New("git prints too much")

func (l *limited) Write(p []byte) (int, error) {
	if l.full = l.full || len(p) > l.left; l.full {
		return 0, errTooMuch
	}
	l.left -= len(p)
	return l.to.Write(p)
}

// repository is a work tree, and what git keeps of it.
type repository struct {
	Top     string `json:"top"`     // of the work tree
	Private string `json:"private"` // the folder of git's that is of this work tree alone
	Objects string `json:"objects"`
	Index   string `json:"index"`
	Prefix  string `json:"prefix"` // the folder that was asked for, within Top; "" for Top itself
	Head    string `json:"head"`   // the commit that is checked out; "" before the first one
}

// env names the repository to git, wherever it is asked, and whatever became of the link in
// a worktree that leads to it.
func (r repository) env() []string { return []string{"GIT_DIR=" + r.Private, "GIT_WORK_TREE=" + r.Top} }

// ErrNone reports that a folder is in no repository.
var ErrNone = errors.New("not in a git repository")

// ErrBare reports that a repository has no work tree.
var ErrBare = errors.New("a bare repository has no files to work on")

// locate returns the repository in whose work tree a folder lies.
func (g *Git) locate(ctx context.Context, dir string) (r repository, err error) {
	switch kind := above(dir); kind {
	case "":
		return r, ErrNone
	case bare:
		return r, ErrBare
	}
	out, err := g.ask(ctx, question{dir: dir, args: []string{
		"rev-parse", "--absolute-git-dir", "--git-path", "objects", "--git-path", "index", "--show-toplevel", "--show-prefix", "--revs-only", "HEAD",
	}})
	lines := strings.Split(string(out), "\n")
	if err == nil && (len(lines) < 6 || len(lines) > 7) {
		err = errors.New("its path has a line break")
	}
	if err != nil {
		return r, fmt.Errorf("the repository of %s cannot be used: %w", dir, err)
	}
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	r = repository{Private: lines[0], Objects: absolute(lines[1]), Index: absolute(lines[2]), Top: lines[3], Prefix: strings.TrimSuffix(lines[4], "/"), Head: lines[5]}
	return r, nil
}

// What the nearest repository above a folder is.
const (
	bare    = "bare"
	ofFiles = "files"
)

// above returns the nearest repository that has a folder, or is it; or "". It asks no
// program.
func above(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			return ofFiles
		}
		if exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) {
			return bare
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
