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
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/git"
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

// always is what git is told whatever it is asked: to run no hooks and nothing in the
// background, not to fetch from a repository on this machine, which has a configuration of its
// own, and not to compress what is soon thrown away. The filters of the user's configuration
// do run: files would not be as people know them without. Those of the repository do not: see
// [Work.show].
var always = []string{
	"--no-pager", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false", "-c", "core.looseCompression=0",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "branch.autoSetupMerge=false", "-c", "advice.detachedHead=false",
	"-c", "worktree.useRelativePaths=false", "-c", "protocol.file.allow=never",
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

// ErrNone reports that a folder is in no repository.
var ErrNone = errors.New("not in a git repository")

// ErrBare reports that a repository has no work tree.
var ErrBare = errors.New("a bare repository has no files to work on")

// locate returns the repository in whose work tree a folder lies.
func (w *Work) locate(ctx context.Context, dir string) (r repository, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return r, err
	}
	r.Top = dir
	found, err := git.Locate(r.Top)
	damaged := false
	for errors.Is(err, git.ErrNone) && !isFile(filepath.Join(r.Top, ".git")) {
		damaged = damaged || git.Exists(filepath.Join(r.Top, ".git")) // git passes it by
		if r.Top == filepath.Dir(r.Top) {
			if !damaged {
				return r, ErrNone
			}
			break
		}
		r.Top = filepath.Dir(r.Top)
		found, err = git.Locate(r.Top)
	}
	r.Private, r.Objects, r.Index = found.Private, filepath.Join(found.Common, "objects"), filepath.Join(found.Private, "index")
	r.Prefix = strings.TrimPrefix(strings.TrimPrefix(dir, r.Top), "/")
	if err == nil {
		r.Head, err = w.head(ctx, r, found.Owner)
	}
	if err != nil && !errors.Is(err, ErrBare) {
		err = fmt.Errorf("the repository of %s cannot be used: %w", dir, err)
	}
	return r, err
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// head returns the commit that is checked out, or "", if git would work in the repository.
func (w *Work) head(ctx context.Context, r repository, owner int) (string, error) {
	v, err := w.show(ctx, r)
	if err != nil {
		return "", err
	}
	v.Owner = owner
	switch {
	case v.Bare:
		return "", ErrBare
	case v.Elsewhere != "":
		return "", fmt.Errorf("its configuration says that its files are in %s", v.Elsewhere)
	case v.Foreign():
		return "", errors.New("git finds dubious ownership: another user owns it, and no safe.directory of yours names it")
	}
	out, err := w.ask(ctx, r, "rev-parse", "--revs-only", "HEAD")
	return strings.TrimSpace(string(out)), err
}

// show returns a repository as git is shown it, until hide is called: without what the
// repository's own configuration would have it run.
func (w *Work) show(ctx context.Context, r repository) (*git.View, error) {
	if i := slices.IndexFunc(w.shown, func(v *git.View) bool { return v.Private == r.Private }); i >= 0 {
		return w.shown[i], nil
	}
	repo := git.Repository{Dir: r.Top, Private: r.Private, Common: filepath.Dir(r.Objects)}
	folder := filepath.Join(w.dir, "shown", fmt.Sprint(len(w.shown)))
	_ = os.RemoveAll(folder) // left by a process that was killed
	v, err := git.Show(repo, folder, func(env []string, args ...string) ([]byte, error) {
		return w.git.ask(ctx, question{dir: r.Top, env: env, args: append([]string{"config", "--list", "-z", "--includes"}, args...)})
	})
	if err != nil {
		return nil, err
	}
	// Data that decides what is in files, and where those come from that were not fetched.
	known := v.Config.Harmless("core.excludesfile", "core.attributesfile", "remote.*.url", "remote.*.promisor", "remote.*.partialclonefilter", "lfs.url", "lfs.storage")
	for _, driver := range v.Config.Subsections("merge", "driver") { // what it would merge conflicts
		known = append(known, git.Setting{Key: "merge." + driver + ".driver", Value: "false"})
	}
	if err := v.Configure(known); err != nil {
		return nil, err
	}
	w.shown = append(w.shown, v)
	return v, nil
}

// hide removes what show has made. The next git is to see what the configuration says then.
func (w *Work) hide() {
	_ = os.RemoveAll(filepath.Join(w.dir, "shown"))
	w.shown = nil
}

// ask runs git in a repository.
func (w *Work) ask(ctx context.Context, r repository, args ...string) ([]byte, error) {
	v, err := w.show(ctx, r)
	if err != nil {
		return nil, err
	}
	return w.git.ask(ctx, question{dir: r.Top, env: v.Env(), args: args})
}

// unrun says which filters of the repository's own configuration did not run.
func (w *Work) unrun() []string {
	var names []string
	for _, v := range w.shown {
		own := slices.DeleteFunc(slices.Clone(v.Config), func(e git.Setting) bool { return v.User.Last(e.Key) == e.Value }) // which has run
		for _, name := range own.Subsections("filter", "clean", "smudge", "process") {
			names = append(names, Shown(name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []string{"filters of the repository's own configuration were not run: " + wording.List(slices.Compact(names), 5)}
}
