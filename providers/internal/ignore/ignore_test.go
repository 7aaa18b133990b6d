package ignore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestIgnored(t *testing.T) {
	m := New([]byte("*.swp\n"), []byte("secret\n"), []byte("\xef\xbb\xbf# comment\nbuild/\r\n/only\n!keep.swp\nsub/*.o\ndoc/**/draft\n\\#hash\nend\\ \nspace  \n[]a]x\nv[[:digit:]]\n[z\nback\\\n{a,b}\nin**side/x\nall/**\n"))
	sub := m.In("sub", []byte("*.log\n!b.o\n/here\n"))
	for _, c := range []struct {
		in     *Matcher
		name   string
		folder bool
		want   bool
	}{
		{m, ".git", true, true},
		{m, "a.swp", false, true},
		{m, "keep.swp", false, false},
		{m, "secret", false, true},
		{m, "build", true, true},
		{m, "build", false, false},
		{m, "only", false, true},
		{sub, "only", false, false},
		{sub, "secret", true, true},
		{sub, "a.o", false, true},
		{sub, "b.o", false, false},
		{m, "a.o", false, false},
		{sub, "a.log", false, true},
		{sub, "here", false, true},
		{sub.In("deep", nil), "here", false, false},
		{m, "#hash", false, true},
		{m, "# comment", false, false},
		{m, "end ", false, true},
		{m, "space", false, true},
		{m, "]x", false, true},
		{m, "bx", false, false},
		{m, "v7", false, true},
		{m, "[z", false, false},
		{m, "back", false, false},
		{m, "back\\", false, false},
		{m, "a", false, false},
		{m, "{a,b}", false, true},
		{m.In("in-and-inside", nil), "x", false, true},
		{m.In("doc", nil).In("x", nil).In("y", nil), "draft", true, true},
		{m.In("doc", nil), "draft", true, true},
		{m, "all", true, false},
		{m.In("all", nil), "x", true, true},
	} {
		fstest.Equal(t, c.in.Ignored(c.name, c.folder), c.want, "ignored", c.in.path, c.name, c.folder)
	}
}

// TestAgreesWithGit compares trees of random names and patterns with git check-ignore.
func TestAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	random := rand.New(rand.NewPCG(15, 1))
	paths, ignored := 0, 0
	for round := range fstest.Rounds(80) {
		home, root := t.TempDir(), t.TempDir()
		write(t, filepath.Join(home, ".config", "git", "ignore"), randomPatterns(random, 1))
		write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
		write(t, filepath.Join(root, ".git", "info", "exclude"), randomPatterns(random, 2))
		for _, dir := range []string{"objects", "refs"} {
			fstest.Must(t, os.MkdirAll(filepath.Join(root, ".git", dir), 0o700))
		}
		write(t, filepath.Join(root, ".gitignore"), randomPatterns(random, 6))
		for range 40 {
			dir := root
			for range random.IntN(4) {
				dir = filepath.Join(dir, randomName(random))
			}
			if os.MkdirAll(dir, 0o700) != nil {
				continue // a name on the way is that of a file
			}
			if random.IntN(6) == 0 {
				write(t, filepath.Join(dir, ".gitignore"), randomPatterns(random, 3))
			}
			if file := filepath.Join(dir, randomName(random)); !isDir(file) {
				write(t, file, "")
			}
		}

		all, got := walk(t, root, User(home, filepath.Join(home, ".config")))
		check := exec.Command(git, "check-ignore", "--no-index", "-z", "--stdin")
		check.Dir, check.Env = root, []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
		check.Stdin = strings.NewReader(strings.Join(all, "\x00") + "\x00")
		out, err := check.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: none is ignored
			t.Fatalf("git check-ignore: %v", err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		for _, path := range all {
			if slices.Contains(want, path) != slices.Contains(got, path) {
				t.Errorf("round %d: %q: git ignores it: %v\n%q\n%s", round, path, slices.Contains(want, path), User(home, filepath.Join(home, ".config")), patternsOf(root))
			}
		}
		paths, ignored = paths+len(all), ignored+len(got)
		tracking(t, random, git, root, home, all)
	}
	t.Logf("%d of %d paths are ignored", ignored, paths)
}

// tracking adds files to the index, whether they are ignored or not, and compares what is
// not ignored with git ls-files.
func tracking(t *testing.T, random *rand.Rand, git, root, home string, all []string) {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Env = root, []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_LITERAL_PATHSPECS=1"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	add := []string{"-c", fmt.Sprintf("index.version=%d", 2+2*random.IntN(2)), "add", "-f", "--"}
	for _, path := range all {
		if random.IntN(5) == 0 && !isDir(filepath.Join(root, path)) {
			add = append(add, path)
		}
	}
	if len(add) == 5 {
		return
	}
	run(add...)
	if random.IntN(2) == 0 {
		run(append([]string{"update-index", "--force-remove", "--"}, add[5:6]...)...)
	}
	want := strings.Split(strings.TrimSuffix(run("ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00")
	slices.Sort(want)
	all, ignored := walk(t, root, User(home, filepath.Join(home, ".config")))
	got := slices.DeleteFunc(all, func(path string) bool { return slices.Contains(ignored, path) || isDir(filepath.Join(root, path)) })
	slices.Sort(got)
	fstest.Equal(t, strings.Join(want, "\x00"), strings.TrimPrefix(strings.Join(got, "\x00"), "\x00"), "git shows", patternsOf(root))
}

func TestIndex(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	for _, format := range []string{"sha1", "sha256"} {
		root := t.TempDir()
		write(t, filepath.Join(root, ".gitignore"), "out\n")
		write(t, filepath.Join(root, "out", "kept"), "")
		write(t, filepath.Join(root, "out", "sub", "not"), "")
		for _, args := range [][]string{{"init", "-q", "--object-format=" + format}, {"add", "-f", "out/kept"}} {
			cmd := exec.Command(git, args...)
			cmd.Dir, cmd.Env = root, []string{"HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %q: %v: %s", args, err, out)
			}
		}
		m := Of(root, nil)
		out := m.In("out", nil)
		if m.Ignored("out", true) || out.Ignored("kept", false) || !out.Ignored("sub", true) || !out.Ignored("other", false) {
			t.Errorf("%s: what is tracked is ignored, or the rest is not", format)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"+strings.Repeat("x", 60)+"\x00\x01a\x00"), true)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("x", 60)+"\x00\x01\x00a\x00"), false)
	f.Fuzz(func(t *testing.T, body []byte, short bool) {
		hash := 32
		if short {
			hash = 20
		}
		parseIndex(body, hash).has("a", true)
	})
}

// walk returns all paths in a tree, and those that are ignored.
func walk(t *testing.T, root string, user []byte) (all, ignored []string) {
	matchers := map[string]*Matcher{".": Of(root, user)}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		path, _ = filepath.Rel(root, path)
		switch {
		case err != nil || path == ".":
			return err
		case path == ".git":
			return fs.SkipDir
		}
		all = append(all, path)
		parent, dir := matchers[filepath.Dir(path)], e.IsDir()
		if parent == nil || parent.Ignored(e.Name(), dir) {
			ignored = append(ignored, path)
		} else if dir {
			matchers[path] = parent.In(e.Name(), Read(filepath.Join(root, path, ".gitignore")))
		}
		return nil
	})
	fstest.Must(t, err)
	return all, ignored
}

func randomName(random *rand.Rand) string {
	var name strings.Builder
	for range 1 + random.IntN(3) {
		name.WriteString([]string{"a", "b", "c", ".x", "*", "[", "{", "ä", "\xff", "#", " "}[min(random.IntN(16), 10)%11])
	}
	return strings.Trim(name.String(), " ") + "a"
}

func randomPatterns(random *rand.Rand, lines int) string {
	var b strings.Builder
	for range random.IntN(lines + 1) {
		if random.IntN(4) == 0 {
			b.WriteString("!")
		}
		if random.IntN(5) == 0 {
			b.WriteString("/")
		}
		for i := range 1 + random.IntN(3)*random.IntN(2) {
			if i > 0 {
				b.WriteString("/")
			}
			if random.IntN(6) == 0 {
				b.WriteString("**")
				continue
			}
			for range 1 + random.IntN(4) {
				parts := []string{"a", "b", "c", ".x", "*", "*", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]*]", "[[:alpha:]]", "[[:punct:]]", "[+-c]", "[/]", "[c-a]", "[a\\]]", "[-a]", "**", "\\*", "\\a", "{a,b}", "[a-", "#", "ä", "\xff", "a b"}
				b.WriteString(parts[random.IntN(len(parts))])
			}
		}
		b.WriteString([]string{"", "", "", "/", " ", "\r"}[random.IntN(6)])
		b.WriteString("\n")
	}
	return b.String()
}

// patternsOf returns all files of patterns in a tree, to explain a failure.
func patternsOf(root string) string {
	var b strings.Builder
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, _ error) error {
		if e.Name() == ".gitignore" || e.Name() == "exclude" {
			fmt.Fprintf(&b, "%s: %q\n", strings.TrimPrefix(path, root), Read(path))
		}
		return nil
	})
	return b.String()
}

func TestFilesOfPatterns(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = x\n[Include]\n\tpath = more\n[core] autocrlf = input\n")
	write(t, filepath.Join(home, "more"), "[core]\n\tExcludesFile = \"~/my ignore\" ; mine\n")
	write(t, filepath.Join(home, "my ignore"), "*.mine\n")
	write(t, filepath.Join(root, ".git", "worktrees", "w", "commondir"), "../..\n")
	write(t, filepath.Join(root, ".git", "info", "exclude"), "*.local\n")
	write(t, filepath.Join(root, "w", ".git"), "gitdir: ../.git/worktrees/w\n")
	write(t, filepath.Join(root, "w", "deep", ".gitignore"), "*.deep\n")
	fstest.Must(t, os.Symlink(filepath.Join(home, "my ignore"), filepath.Join(root, "w", ".gitignore")))
	user := User(home, filepath.Join(home, ".config"))
	m := Of(filepath.Join(root, "w", "deep"), user)
	for name, want := range map[string]bool{"a.mine": true, "a.local": true, "a.deep": true, "a.other": false} {
		fstest.Equal(t, m.Ignored(name, false), want, "ignored", name, !want)
	}
	if got := Read(filepath.Join(root, "w", ".gitignore")); got != nil {
		t.Errorf("read %q through a link", got)
	}

	big := filepath.Join(root, "big")
	write(t, big, strings.Repeat("a-name\n", maxFile/7+2))
	if got := Read(big); len(got) > maxFile || !bytes.HasSuffix(got, []byte("a-name\n")) {
		t.Errorf("a large file gives %d bytes, which end in %q", len(got), got[len(got)-7:])
	}
	if m := Of(home, nil); m.Ignored("more", false) {
		t.Error("a folder of no repository ignores files without patterns")
	}
}

func FuzzPatterns(f *testing.F) {
	for _, line := range []string{"a/**/b", "[[:alpha:]-]x", "\\", "!/x/ ", "[]-a]", "{a,b}", "*a*b*c", "[[:"} {
		f.Add([]byte(line), "a/b")
	}
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		New(file).In("sub", file).Ignored(name, true)
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	fstest.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
