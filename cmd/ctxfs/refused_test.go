package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusedMountPoints also sees to it that a refused mount leaves nothing
// behind.
func TestRefusedMountPoints(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("file", "text")
	b.write("full/a/b", "text")
	b.write("full/c", "text")
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.write("dotfiles/SKILL.md", "---\nname: dotfiles\ndescription: Elsewhere.\n---\n")
	must(t, os.Symlink(filepath.Join(b.home, "dotfiles"), filepath.Join(b.home, ".claude/skills/linked")))
	must(t, os.Symlink(filepath.Join(b.home, ".claude/skills"), filepath.Join(b.home, "skillslink")))
	at := func(p string) string { return filepath.Join(b.home, p) }
	for _, c := range []struct {
		dir   string
		words []string
	}{
		{at("file"), []string{"is a file", "\n  choose a folder"}},
		{at("file/below"), []string{"not a directory"}},
		{at("full"), []string{"is not empty", "a, c", "\n  choose a folder"}},
		{at(".claude/skills/mnt"), []string{"lies inside", ".claude/skills", "\n  choose a folder elsewhere: ctxfs mount"}},
		{at(".claude/skills/walk/mnt"), []string{"lies inside"}},
		{at("skillslink/mnt"), []string{"lies inside"}},
		{at("dotfiles/mnt"), []string{"lies inside"}},
		{at(".claude"), []string{"contains", ".claude/", "\n  choose an empty folder"}},
		{b.home, []string{"contains"}},
		{"/", []string{"contains"}},
		// Folders that would be passed through as soon as they exist.
		{at(".agents/skills"), []string{"lies inside"}},
		{at(".codex/skills/a/b"), []string{"lies inside"}},
	} {
		b.refused(exitFailed, c.words, "mount", c.dir)
	}
	b.refused(exitUsage, []string{"the name of the folder is empty"}, "mount", "")
	b.refused(exitUsage, []string{"takes at most 1 argument, so \"b\" is one too many", "\n  see how it is used: ctxfs mount --help"}, "mount", "a", "b")
	if _, err := os.Lstat(at(".claude/skills/mnt")); err == nil {
		t.Error("a refused mount point was made")
	}
	for _, dir := range []string{at(".claude/skills/sync"), b.home, at("skillslink/x")} {
		b.refused(exitFailed, []string{"it would contain itself"}, "sync", "--once", dir)
	}

	// In the foreground too, and while another mount is there.
	b.refused(exitFailed, []string{"is a file"}, "mount", "-f", at("file"))
	b.mount()
	b.refused(exitFailed, []string{"is a file"}, "mount", at("file"))
	b.refused(exitFailed, []string{"is not empty"}, "mount", "-f", at("full"))
	b.refused(exitFailed, []string{"it would contain itself"}, "sync", "--once", at(".claude/skills/sync"))
	if m := b.status().Mounts; len(m) != 1 {
		t.Errorf("mounts: %+v", m)
	}
}

// TestNoLog has no file for a log: the log lies elsewhere.
func TestNoLog(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	must(t, os.MkdirAll(filepath.Join(b.state, "ctxfs", "daemon.log"), 0o700))
	b.mount()
	b.read("AGENTS.md")
}

// TestMountInsideAMount is refused, since the mount is read-only.
func TestMountInsideAMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	for _, args := range [][]string{{"mount", b.mnt("below")}, {"mount", b.mnt("skills")}, {"sync", "--once", b.mnt("below")}} {
		r := b.do("timeout", append([]string{"100", b.program()}, args...)...)
		if r.code != exitFailed || !strings.Contains(r.err, "read-only file system") && !strings.Contains(r.err, "is not empty") {
			t.Errorf("ctxfs %q: exit %d\n%v", args, r.code, r)
		}
	}
	b.read("AGENTS.md")
}

// TestMountWithoutFUSE has the real program run with a /dev of its own where fuse is missing,
// or for root only.
func TestMountWithoutFUSE(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can have a /dev of its own")
	}
	for device, words := range map[string][]string{
		"true": {"has no /dev/fuse", "modprobe fuse", "ctxfs sync"},
		"mknod /dev/fuse c 10 229 && chmod 600 /dev/fuse": {"cannot be opened by you", "chmod 0666 /dev/fuse", "ctxfs sync"},
	} {
		b := newUserBox(t)
		script := "mount -t tmpfs -o mode=755 dev /dev && mknod -m 666 /dev/null c 1 3 && " + device + " && " +
			"exec setpriv --reuid=65534 --regid=65534 --clear-groups ctxfs "
		for _, args := range []string{"mount", "doctor"} {
			cmd := b.command(t.Context(), "unshare", "-m", "sh", "-c", script+args)
			cmd.SysProcAttr = nil // it is root that makes the device
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			if args == "mount" && cmd.ProcessState.ExitCode() != exitFailed || args == "doctor" && cmd.ProcessState.ExitCode() != exitProblems {
				t.Errorf("%s: %s: %v", device, args, err)
			}
			if !containsAll(string(out), words) {
				t.Errorf("%s: %s does not say all of %q: %s", device, args, words, out)
			}
		}
	}
}
