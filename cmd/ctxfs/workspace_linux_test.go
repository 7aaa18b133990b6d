package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// claudeAt writes a session of Claude Code in a folder, at a time.
func (b *box) claudeAt(dir string, at time.Time) {
	b.Helper()
	sum := sha256.Sum256([]byte(dir))
	id := fmt.Sprintf("%x-1111-4000-8000-%012d", sum[:4], at.Unix())
	path := ".claude/projects/" + strings.ReplaceAll(dir, "/", "-") + "/" + id + ".jsonl"
	b.write(path, oneLine(map[string]any{
		"type": "user", "uuid": id, "parentUuid": nil, "timestamp": at.UTC().Format(time.RFC3339), "sessionId": id,
		"cwd": dir, "version": "2.1.42", "message": map[string]any{"role": "user", "content": "add a cart"},
	}))
	must(b.T, os.Chtimes(filepath.Join(b.home, path), at, at))
}

// eavesdrop has the system report which files and folders below a folder are opened and
// read. The function returns what was, since it was last called.
func eavesdrop(t *testing.T, dir string) (heard func() []string) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	must(t, err)
	t.Cleanup(func() { syscall.Close(fd) })
	names := make(map[int32]string)
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		wd, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN|syscall.IN_ACCESS|syscall.IN_CREATE|syscall.IN_MODIFY|syscall.IN_DELETE|syscall.IN_ATTRIB)
		names[int32(wd)] = path
		return err
	}))
	read := func() (all []string) {
		buffer := make([]byte, 64<<10)
		for {
			n, _ := syscall.Read(fd, buffer)
			if n <= 0 {
				return all
			}
			for i := 0; i+syscall.SizeofInotifyEvent <= n; {
				wd := int32(uint32(buffer[i]) | uint32(buffer[i+1])<<8 | uint32(buffer[i+2])<<16 | uint32(buffer[i+3])<<24)
				length := int(buffer[i+12]) | int(buffer[i+13])<<8
				i += syscall.SizeofInotifyEvent + length
				all = append(all, names[wd])
			}
		}
	}
	read() // the walk itself
	return read
}

// readWorkspaces reads every file of all workspaces, as they are listed, found by their
// paths, and computed.
func (b *box) readWorkspaces(dirs ...string) {
	b.Helper()
	m := b.mnt()
	b.sh("ls -lR " + m + "/workspaces >/dev/null; find " + m + "/workspaces -type f -exec cat {} + >/dev/null; rg -c x " + m + " >/dev/null; cat " + m + "/*.md >/dev/null")
	for _, dir := range dirs {
		at := m + "/workspaces/by-path" + dir
		b.sh("cat " + at + "/*.* " + at + "/layout/2 " + at + "/layout/layout.txt " + at + "/src/HERE.md " + at + "/layout/src/1 " + m + "/rules/for" + dir + "/src/a.c >/dev/null")
	}
}

// TestNobodyWorkedThere: a repository in which nobody has worked lately costs nothing: no
// file and no folder of it is opened, whatever is read of the mount, until somebody wants
// to know.
func TestNobodyWorkedThere(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for _, name := range []string{"old", "work"} {
		b.write(name+"/src/a.c", "int a;\n")
		b.write(name+"/AGENTS.md", "Be kind.\n")
		b.write(name+"/Makefile", "test:\n\ttrue\n")
		b.write(name+"/.mcp.json", `{"mcpServers":{}}`)
		b.write(name+"/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: x\n---\n")
		b.sh("cd " + name + " && git init -q -b main . && git config maintenance.auto false && git add . && git -c user.name=a -c user.email=a@example.com commit -qm Begin")
	}
	old, work := filepath.Join(b.home, "old"), filepath.Join(b.home, "work")
	b.claudeAt(old, time.Now().AddDate(0, 0, -20))
	b.claudeAt(work, time.Now().Add(-time.Minute))
	heard := eavesdrop(t, old)
	b.mount()
	b.shows("workspaces/work/HERE.md", "last commit: Begin")
	for range 3 {
		b.readWorkspaces(work)
		b.write("work/src/b.c", "int b;\n")
		b.ok("find", "cart")
	}
	if got := heard(); len(got) > 0 {
		t.Errorf("%d times something was opened: %q", len(got), got[:min(len(got), 9)])
	}
	if got := b.read("workspaces/INDEX.md"); strings.Contains(got, "~/old") || !strings.Contains(got, "`ctxfs here`") {
		t.Errorf("INDEX.md: %s", got)
	}
	b.ok("here", old)
	if len(heard()) == 0 {
		t.Error("the test hears nothing")
	}
	b.shows("workspaces/old/HERE.md", "last commit: Begin")
}

// TestReadingAWorkspace: no program that a repository names is ever run; and reading the
// pages runs none at all and changes nothing.
func TestReadingAWorkspace(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("marks/.keep", "")
	trap := func(name string) string {
		path := "traps/" + strings.NewReplacer("/", "_", " ", "_", `"`, "").Replace(name)
		b.writeMode(path, "#!/bin/sh\necho \"$0 $*\" >>"+b.home+"/marks/"+filepath.Base(path)+"\ncat\n", 0o700)
		return filepath.Join(b.home, path)
	}
	// Every program that could be asked is counted when it runs.
	b.write("runs", "")
	for _, name := range []string{"git", "python3", "node", "perl", "gcc", "make", "rg", "jq", "tmux", "ssh", "gpg"} {
		if real, err := exec.LookPath(name); err == nil {
			b.writeMode("bin/"+name, "#!/bin/sh\necho \"$0 $*\" >>"+b.home+"/runs\nexec "+real+" \"$@\"\n", 0o700)
		}
	}
	daemon := b.with("PATH", filepath.Join(b.home, "bin")+":"+os.Getenv("PATH"))

	var dirs []string
	b.write("evil/src/a.c", "int a;\n")
	b.write("evil/package.json", `{"scripts":{"test":"jest"},"dependencies":{"left":"1"}}`)
	b.write("evil/AGENTS.md", "Be kind.\n")
	b.sh("mkdir other && cd other && git init -q -b main . && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m Other")
	b.sh(`cd evil && git init -q -b main . && git config user.name a && git config user.email a@example.com && git add . && git commit -qm Begin &&
git -c protocol.file.allow=always submodule --quiet add ~/other sub && git commit -qm sub && git worktree add -q ../side && git clone -q . ../clone && git clone -q -s . ../shared && mkdir ../pointed`)
	var config strings.Builder
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil2.process", "diff.external", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver",
		"gpg.program", "gpg.ssh.program", "gpg.x509.program", "pager.status", "pager.log", "pager.config", "credential.helper", "credential.https://x.helper",
		"sequence.editor", "interactive.diffFilter", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs", "tar.x.command", "browser.x.cmd", "man.x.cmd",
	} {
		section, name := key[:strings.LastIndex(key, ".")], key[strings.LastIndex(key, ".")+1:]
		if first, rest, ok := strings.Cut(section, "."); ok {
			section = first + ` "` + rest + `"`
		}
		fmt.Fprintf(&config, "[%s]\n\t%s = %s\n", section, name, trap(key))
	}
	for _, command := range []string{"status", "log", "config", "check-attr", "rev-parse", "fsmonitor--daemon"} {
		fmt.Fprintf(&config, "[alias]\n\t%s = !%s\n", command, trap("alias."+command))
	}
	b.write("included", "[core]\n\tfsmonitor = "+trap("included")+"\n\thooksPath = "+b.home+"/hooks\n")
	b.write("attributes", "* filter=evil diff=evil merge=evil\n")
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"} {
		b.writeMode("hooks/"+hook, "#!/bin/sh\necho >>"+b.home+"/marks/hook\n", 0o700)
	}
	fmt.Fprintf(&config, "[core]\n\thooksPath = %s/hooks\n\tattributesFile = %s/attributes\n\tuntrackedCache = true\n", b.home, b.home)
	fmt.Fprintf(&config, "[include]\n\tpath = %s/included\n[includeIf \"gitdir:%s/**\"]\n\tpath = %s/included\n[includeIf \"onbranch:**\"]\n\tpath = %s/included\n", b.home, b.home, b.home, b.home)
	fmt.Fprintf(&config, "[safe]\n\tdirectory = *\n[log]\n\tshowSignature = true\n[status]\n\tsubmoduleSummary = true\n[submodule]\n\trecurse = true\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\turl = \"ext::%s %%S\"\n[protocol]\n\tallow = always\n", trap("transport"))
	hostile := func(path string) {
		text, err := os.ReadFile(filepath.Join(b.home, path))
		must(t, err)
		b.write(path, strings.Replace(string(text), "repositoryformatversion = 0", "repositoryformatversion = 1", 1)+config.String())
	}
	hostile("evil/.git/modules/sub/config")
	hostile("clone/.git/config")
	hostile("shared/.git/config") // its objects are elsewhere
	b.write("evil/.git/worktrees/side/config.worktree", config.String())
	config.WriteString("[extensions]\n\tworktreeConfig = true\n")
	hostile("evil/.git/config")
	b.write("evil/.gitattributes", "* filter=evil diff=evil\n*.json filter=evil2\n")
	b.write("evil/.gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = \"ext::"+trap("gitmodules")+"\"\n\tupdate = !"+trap("gitmodules-update")+"\n")
	b.write("pointed/.git", "gitdir: ../clone/.git\n")
	b.write("evil/src/a.c", "int a, changed;\n")
	for _, name := range []string{"evil", "evil/sub", "side", "clone", "shared", "pointed"} {
		dir := filepath.Join(b.home, name)
		b.sh("mkdir -p " + dir + "/src && touch -d '1 hour' " + dir + "/* " + dir + "/src") // git has to read them to know that they are the same
		dirs = append(dirs, dir)
	}

	snapshot := func() (all string) {
		must(t, filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == b.home {
				return err
			}
			switch name, _ := filepath.Rel(b.home, path); name {
			case ".agentctx", ".config", "runs": // of ours, and of the programs themselves
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			stat := info.Sys().(*syscall.Stat_t)
			all += fmt.Sprint(path, " ", info.Mode(), info.Size(), info.ModTime(), stat.Ino, stat.Ctim)
			if info.Mode().IsRegular() {
				body, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				all += fmt.Sprintf(" %x", sha256.Sum256(body))
			}
			all += "\n"
			return nil
		}))
		return all
	}
	b.claudeAt(filepath.Join(b.home, "side"), time.Now()) // which makes it known as a worktree
	daemon.mount()
	before := snapshot()
	for _, dir := range dirs {
		if page := daemon.ok("here", "--page", dir); !strings.Contains(page, "git: ") {
			t.Errorf("the page of %s:\n%s", dir, page)
		}
	}
	b.shows("workspaces/evil/HERE.md", "uncommitted: ")
	runs := func() int { return strings.Count(readFile(t, filepath.Join(b.home, "runs")), "\n") }
	if runs() == 0 {
		t.Error("no program was counted: the test proves nothing")
	}
	b.settled() // no page is being made
	were := runs()
	if b.readWorkspaces(dirs...); runs() != were {
		t.Errorf("reading has run %d programs", runs()-were)
	}
	if after := snapshot(); after != before {
		for line := range strings.Lines(after) {
			if !strings.Contains(before, line) {
				t.Errorf("changed: %s", line)
			}
		}
		t.Error("something was written")
	}
	if marks := b.sh("ls marks"); marks != "" {
		t.Errorf("run were: %s", marks)
	}
	// The traps work.
	b.shell("cd evil && git status")
	if marks := b.sh("ls marks"); strings.Count(marks, "\n") < 2 {
		t.Errorf("git itself runs only %q: the test proves nothing", marks)
	}
}

// TestKilledAndMountedAgain: another process shows the workspaces as they were, at once,
// also where nothing tells any more that somebody has worked there; those that are gone
// leave.
func TestKilledAndMountedAgain(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for _, name := range []string{"shop", "gone"} {
		b.write("src/"+name+"/main.go", "package main\n")
		b.sh("cd src/" + name + " && git init -q -b main . && git add . && git -c user.name=a -c user.email=a@example.com commit -qm Begin")
		b.claudeAt(filepath.Join(b.home, "src", name), time.Now().Add(-time.Hour))
	}
	b.mount()
	for _, name := range []string{"shop", "gone"} {
		b.shows("workspaces/"+name+"/HERE.md", "add a cart", "last commit: Begin")
	}
	text := func() string {
		return b.sh("cd " + b.mnt("workspaces") + " && ls */ && cat INDEX.md */HERE.md */git.md */*.txt */*.tsv")
	}
	was := text()
	again := func() {
		b.kill()
		b.mount()
	}
	again()
	if now := text(); now != was {
		t.Errorf("after a restart\n%s\nbefore\n%s", now, was)
	}
	b.settled() // nobody writes there
	b.sh("rm -rf .claude " + filepath.Join(b.cache, "ctxfs/transcripts") + "; touch src/gone/x")
	again()
	if got := b.read("workspaces/shop/HERE.md") + b.read("workspaces/gone/HERE.md"); strings.Count(got, "last commit: Begin") != 2 {
		t.Errorf("without sessions:\n%s", got)
	}
	b.sh("rm -rf src/gone")
	again()
	b.absent("workspaces/gone")
	b.lacks("workspaces/INDEX.md", "gone")
	b.write("src/shop/new.go", "package main\n")
	b.shows("workspaces/shop/HERE.md", "1 untracked: new.go")
}
