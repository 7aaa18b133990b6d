package mounts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

// TestScripts runs the corpus of testdata/scripts, whose README describes the
// scripts, over every way of showing a tree.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, driver := range []struct {
		name string
		make func(*testing.T, *fs.Tree) driver
	}{
		{"tree", newTreeDriver},
		{"view", newViewDriver},
		{"folder", newFolderDriver},
		{"mount", newMountDriver},
	} {
		t.Run(driver.name, func(t *testing.T) {
			d := driver.make(t, fixture(t))
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
					runScript(t, file, driver.name, d)
				})
			}
		})
	}
}

// driver reads the fixture in one way. Its answers are those of the script
// language.
type driver interface {
	do(ctx context.Context, command string, args []string) string
}

// step is one command of a script and the answer that it expects.
type step struct {
	line    int
	command string
	args    []string
	answer  string
}

func runScript(t *testing.T, file, name string, d driver) {
	steps, only := readScript(t, file)
	if len(only) > 0 && !slices.Contains(only, name) {
		t.Skipf("%s is for %s only", file, strings.Join(only, ", "))
	}
	for _, s := range steps {
		fstest.Equal(t, d.do(t.Context(), s.command, s.args), s.answer, file, s.line, s.command, strings.Join(s.args, " "))
	}
}

// arity is the number of arguments of each command. The first may contain
// spaces, or for drop the last.
var arity = map[string]int{"list": 1, "tree": 1, "cat": 1, "bytes": 3, "stat": 1, "missing": 1, "drop": 2}

func readScript(t *testing.T, file string) (steps []step, only []string) {
	t.Helper()
	body, err := os.ReadFile(file)
	fstest.Must(t, err)
	for i, line := range strings.Split(string(body), "\n") {
		answer, indented := strings.CutPrefix(line, "    ")
		command, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case indented || line == "":
			if len(steps) > 0 {
				steps[len(steps)-1].answer += answer + "\n"
			} else if indented {
				t.Fatalf("%s:%d: an answer without a command", file, i+1)
			}
		case command == "only":
			only = strings.Fields(rest)
		case arity[command] > 0:
			steps = append(steps, step{line: i + 1, command: command, args: splitArgs(command, rest)})
		default:
			t.Fatalf("%s:%d: what is %q?", file, i+1, command)
		}
	}
	for i := range steps {
		steps[i].answer = strings.TrimRight(steps[i].answer, "\n")
	}
	return steps, only
}

func splitArgs(command, rest string) []string {
	if command == "drop" {
		return strings.SplitN(rest, " ", arity[command])
	}
	args := []string{rest}
	for len(args) < arity[command] {
		i := strings.LastIndexByte(args[0], ' ')
		args = slices.Insert(args, 1, args[0][i+1:])
		args[0] = args[0][:i]
	}
	return args
}

// fixtureTime is when everything in the fixture happened.
var fixtureTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fixture returns a tree with every ready-made node in it.
func fixture(t *testing.T) *fs.Tree {
	t.Helper()
	text := func(body string) fs.Node { return fs.NewText(fixtureTime, []byte(body)) }
	folder := func(nodes map[string]fs.Node) fs.Dir { return fs.NewFolder(fixtureTime, nodes) }

	disk := t.TempDir()
	for name, body := range map[string]string{
		"skill/SKILL.md": "a skill\n", "skill/scripts/run.sh": "#!/bin/sh\n",
		"terminals/1.txt": "pid: 1   \n$ echo hello\nhello\n",
	} {
		path := filepath.Join(disk, name)
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		fstest.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), mode), os.Chtimes(path, fixtureTime, fixtureTime)))
	}
	fstest.Must(t, os.Symlink("scripts/run.sh", filepath.Join(disk, "skill/link")))
	skill, err := fs.NewDiskDir(filepath.Join(disk, "skill"), fs.DiskOptions{})
	fstest.Must(t, err)
	calls := drop.New(drop.Options{Now: time.Now, Static: map[string]fs.Node{"README.md": text("put one JSON object here\n")}, Accept: acceptCall})
	t.Cleanup(func() { calls.Close() })

	var large strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&large, "line %06d\n", i)
	}
	root := folder(map[string]fs.Node{
		"AGENTS.md": text("what is here\n"),
		"memory": folder(map[string]fs.Node{
			"deep": folder(map[string]fs.Node{
				"empty": folder(nil),
				"er":    folder(map[string]fs.Node{"text.md": text("# A title\n\nA line after an empty one.\n")}),
			}),
			"empty":      text(""),
			"large.txt":  text(large.String()),
			"no-newline": text("one line"),
			"rendered.md": fs.NewRendered(fixtureTime, 1, func(context.Context) ([]byte, error) {
				return []byte("rendered on demand\n"), nil
			}),
			"run":         fs.NewScript(fixtureTime, []byte("#!/bin/sh\necho hello\n")),
			"~Ärger 1.md": text("a name in other letters\n"),
		}),
		"disk":      skill,
		"terminals": folder(map[string]fs.Node{"1.txt": fs.NewLog(filepath.Join(disk, "terminals/1.txt"), 10)}),
		"find":      wordsDir{fs.NewFolder(fixtureTime, map[string]fs.Node{"README.md": text("ls find/\"some words\"\n")})},
		"calls":     calls,
	})
	return fs.NewTree(root, fs.TreeOptions{})
}

// acceptCall answers with its input.
func acceptCall(_ context.Context, name string, _ fs.Standpoint, body []byte) (drop.Work, error) {
	if strings.Contains(string(body), "refuse") {
		return nil, fmt.Errorf("%w: as was asked", fs.ErrInvalid)
	}
	return func(context.Context) drop.Outcome { return drop.Outcome{OK: true, Text: name, Structured: body} }, nil
}

// wordsDir is a lookup-only folder: it finds something under all names that
// contain a space.
type wordsDir struct{ *fs.Folder }

func (d wordsDir) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if !strings.Contains(name, " ") {
		return d.Folder.Lookup(ctx, name)
	}
	match := fs.NewText(fixtureTime, []byte("found: "+name+"\n"))
	return fs.NewFolder(fixtureTime, map[string]fs.Node{"match.md": match}), nil
}
